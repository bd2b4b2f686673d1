import { createContext, Script } from 'node:vm'

/** As long a name as any: positions inside the prelude are shown to nobody. */
const FILE = 'prelude'

/** A program that goes the way most go: a call, a line on the console, a value. Functions it never meets stay lazy. */
const START = JSON.stringify({
  code: '(() => async () => {"use strict";\nconst r = await tools.x({ a: [1] }); console.log(r); return r\n})()',
  bindings: [{ name: 'x', path: ['x'], required: [] }],
  limits: { memoryMb: 8, maxPendingCalls: 8, maxLogBytes: 1024, maxResultBytes: 1024, maxValueBytes: 1024 },
  places: { table: '', ownSuffix: '_x' },
  seed: '0'.repeat(32),
  startTimeMs: 0,
  sliceMs: 1000,
})
const DELIVERY = JSON.stringify({ nowMs: 1, sliceMs: 1000, items: [{ t: 'ok', n: 1, json: '{"n":1}' }] })

interface Prelude {
  start(json: string): unknown
  deliver(json: string): unknown
  drain(mode: string): unknown
}

/**
 * V8's compiled form of the prelude, the functions that most programs use in it, for isolates of this very process:
 * compiling them anew took two fifths of the time of a new isolate. It is made by playing one program through the prelude
 * here, in a context of its own and outside any isolate of a run. Both texts are ours, and nothing of it comes from or goes
 * to anywhere else: a foreign cache would be foreign code.
 */
export function compilePrelude(guestCode: string): ArrayBuffer {
  const script = new Script(guestCode, { filename: FILE })
  const context = createContext({}, { microtaskMode: 'afterEvaluate' })
  const tick = new Script('0')
  try {
    const prelude = script.runInContext(context) as Prelude // The record that the bundle ends with.
    prelude.start(START)
    prelude.drain('')
    prelude.deliver(DELIVERY)
    tick.runInContext(context)
    prelude.drain('')
  } catch {
    // Where texts may not be evaluated (a flag of the process) the program does not start; what ran is in the cache.
  }
  const data = script.createCachedData()
  const copy = new ArrayBuffer(data.length)
  new Uint8Array(copy).set(data)
  return copy
}
