import { getQuickJS } from 'quickjs-emscripten'

/** The interpreter alone, with the least glue that gives it async tools: a fresh runtime for each run, JSON across. */
export async function start(tools) {
  const quickjs = await getQuickJS()
  return {
    call: (name) => `await tools.${name}`,
    promise: (name) => `tools.${name}`,
    async run(code) {
      const runtime = quickjs.newRuntime()
      const context = runtime.newContext()
      runtime.setMemoryLimit(128 * 2 ** 20)
      const pump = () => {
        const done = runtime.executePendingJobs()
        if (done.error) {
          done.error.dispose()
          throw new Error('a job failed')
        }
      }
      let isOver = false
      const group = context.newObject()
      for (const [name, execute] of Object.entries(tools)) {
        const handle = context.newFunction(name, (argument) => {
          const promise = context.newPromise()
          const settle = (value) => {
            if (isOver) return
            const text = context.newString(JSON.stringify(value))
            promise.resolve(text)
            text.dispose()
            promise.dispose()
            pump()
          }
          void Promise.resolve(execute(JSON.parse(context.getString(argument)))).then(settle)
          return promise.handle
        })
        context.setProp(group, name, handle)
        handle.dispose()
      }
      context.setProp(context.global, 'host', group)
      group.dispose()
      const names = JSON.stringify(Object.keys(tools))
      const source = `const tools = Object.fromEntries(${names}.map((name) => [name, async (a) => JSON.parse(await host[name](JSON.stringify(a)))]));
(async () => JSON.stringify((await (async () => {${code}\n})()) ?? null))()`
      try {
        const promise = context.unwrapResult(context.evalCode(source))
        const ended = context.resolvePromise(promise)
        promise.dispose()
        pump()
        const result = context.unwrapResult(await ended)
        const text = context.getString(result)
        result.dispose()
        return JSON.parse(text)
      } finally {
        isOver = true
        context.dispose()
        runtime.dispose()
      }
    },
    async close() {},
  }
}
