import { afterAll, beforeAll } from 'vitest'
import { startHost, type ScriptedHost, type ScriptedRun, type Script } from './scripted-host.ts'

/** One child for all tests of a file: each run gets an isolate of its own. */
export function useHost(): { run(source: string, script?: Script): Promise<ScriptedRun>; host(): ScriptedHost } {
  let host: ScriptedHost | undefined
  beforeAll(async () => {
    host = await startHost()
  })
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]()
  })
  const get = () => {
    if (host === undefined) throw new Error('the host is not started yet')
    return host
  }
  return { run: (source, script) => get().run(source, script), host: get }
}
