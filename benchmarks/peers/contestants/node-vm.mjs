import { createContext, Script } from 'node:vm'

/** The floor without any wall: a fresh context of the host's own isolate. Never for programs that are not trusted. */
export async function start(tools) {
  return {
    call: (name) => `await tools.${name}`,
    promise: (name) => `tools.${name}`,
    run: (code) => new Script(`(async () => {${code}\n})()`).runInContext(createContext({ tools })),
    async close() {},
  }
}
