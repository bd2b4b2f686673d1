/**
 * Entry of the guest bundle. Its completion value is the one record through which the child works the guest; the child
 * holds it by reference and no value of the program's leads to it. Strings in, strings out.
 *
 * Assumed corruptible all the same: identity, policy and budgets live on the host.
 */
import type { DeliverBody, StartBody } from '../wire.ts'
import { settleCall } from './calls.ts'
import { installClock, settleTemporal } from './clock.ts'
import { createConsole } from './console.ts'
import { describeUncaught, installStackTexts, isError, programFrames, threwToJson, ToolError } from './errors.ts'
import { beginSlice, emitNotice, takeBatch } from './outbox.ts'
import {
  define,
  HIDDEN,
  indirectEval,
  JSONParse,
  ObjectCreate,
  quote,
  ReflectApply,
  SafeSet,
  stringIndexOf,
  stringSlice,
  stringStartsWith,
  stringTrim,
  SyntaxErrorConstructor,
  toWellFormed,
} from './primordials.ts'
import { setPlaces } from './places.ts'
import { projectResult } from './project-json.ts'
import { installRandom, seedRandom } from './random.ts'
import { cutRealm, fixGlobal } from './realm.ts'
import { run } from './run-facts.ts'
import { installServices } from './services.ts'
import { cutToBytes } from './text-size.ts'
import { fireTimer, installTimers } from './timers.ts'
import { createTools, rewordUncaught } from './tools.ts'
import { installWeb } from './web.ts'

const global = globalThis
/** The slice state as JSON text; empty while the program waits. First ending wins. */
let ending = ''
let isEndingTold = false
let delivery: DeliverBody | undefined
let nextItem = 0

installStackTexts()
cutRealm(global)
installClock(global)
installRandom(global)
installTimers(global, uncaught)
installWeb(global)
installServices(global)
define(global, 'ToolError', ToolError, HIDDEN)
fixGlobal(global, 'console', createConsole())

function end(state: string): void {
  if (ending === '') ending = state
}

function uncaught(thrown: unknown): void {
  if (ending !== '') return
  end(threwToJson(describeUncaught(thrown, rewordUncaught)))
}

/** Evaluates the program. `'syntax'`: it does not compile, and the child finds out where. */
function start(json: string): string {
  const body = JSONParse(json) as StartBody
  run.limits = body.limits
  run.startTimeMs = body.startTimeMs
  run.nowMs = body.startTimeMs
  setPlaces(body.places)
  seedRandom(body.seed)
  settleTemporal(global, body.code)
  fixGlobal(global, 'tools', createTools(body.bindings))
  let program: unknown
  try {
    program = indirectEval(body.code + '\n//# sourceURL=program.js')
  } catch (thrown) {
    uncaught(thrown)
    return isError(thrown) && thrown.constructor === SyntaxErrorConstructor ? 'syntax' : ''
  }
  void drive(program)
  return ''
}

async function drive(program: unknown): Promise<void> {
  try {
    const value = typeof program === 'function' ? await ReflectApply(program, undefined, []) : program
    const projected = await projectResult(value, run.limits.maxResultBytes)
    for (let index = 0; index < projected.notices.length; index++) {
      emitNotice('RESULT_CHANGED', projected.notices[index] as string)
    }
    if (projected.ok)
      end('{"s":"returned"' + (projected.json === undefined ? '' : ',"json":' + quote(projected.json)) + '}')
    else {
      const message = `The program returned more than ${run.limits.maxResultBytes} bytes.`
      end('{"s":"stopped","why":"output","message":' + quote(message) + '}')
    }
  } catch (thrown) {
    uncaught(thrown)
  }
}

/**
 * Takes a delivery (or, given an empty text, goes on with the last one). Stops after a timer, as its microtasks come
 * before the next item; `drain` says that items are left.
 */
function deliver(json: string): void {
  if (json !== '') {
    delivery = JSONParse(json) as DeliverBody
    nextItem = 0
    beginSlice()
    if (delivery.nowMs > run.nowMs) run.nowMs = delivery.nowMs
  }
  if (delivery === undefined) return
  const items = delivery.items
  while (nextItem < items.length) {
    const item = items[nextItem++] as DeliverBody['items'][number]
    if (item.t !== 'timer') settleCall(item.n, item.t === 'ok', item.json)
    else {
      fireTimer(item.id, uncaught)
      if (nextItem < items.length) return
    }
  }
  delivery = undefined
}

/**
 * The child has seen that a promise was rejected which nothing handles. What it was rejected with, only the child's copy
 * of it tells. Said in the order of events, and the same thing once.
 */
function reject(text: string): void {
  if (text === '') return
  const end = stringIndexOf(text, '\n')
  const head = end < 0 ? text : stringSlice(text, 0, end)
  const frames = programFrames(stringSlice(text, head.length))
  const next = stringIndexOf(frames, '\n')
  const at = next < 0 ? frames : stringSlice(frames, 0, next)
  const told = cutToBytes(toWellFormed(head), MAX_REJECTION_BYTES) + (at === '' ? '' : ' ' + stringTrim(at))
  if (rejections.has(told)) return
  rejections.add(told)
  const what = `a promise was rejected while nothing waited for it: ${told}. The run went on.`
  emitNotice(
    'REJECTION_UNHANDLED',
    `${what} Unless something awaits it later, its error is lost: await the promise, or catch`,
  )
}
const MAX_REJECTION_BYTES = 1024
const rejections = new SafeSet<string>()

/**
 * What the child is to do next: `>`: call `deliver` again; `+`: send these events as a part; `=`: the slice is over,
 * then the length of its state, `:`, the state and the last events. `'last'`: the run was stopped, no delivery goes on.
 */
function drain(mode: string): string {
  if (mode === 'last') delivery = undefined
  if (delivery !== undefined) return '>'
  const batch = takeBatch()
  if (batch.more) return '+' + batch.events
  const state = ending === '' ? '{"s":"waiting"}' : ending
  // A result may be large: it is said once.
  if (ending !== '' && !isEndingTold) {
    isEndingTold = true
    if (stringStartsWith(ending, '{"s":"returned"')) ending = '{"s":"returned"}'
  }
  return '=' + state.length + ':' + state + batch.events
}

/** What every start goes through is compiled while nobody waits for it. Leaves nothing behind. */
function warmUp(): void {
  JSONParse('{}')
  seedRandom('00000000000000000000000000000000')
  createTools([])
  setPlaces(undefined)
  indirectEval('(() => async () => {})()')
  void projectResult(0, 64)
  takeBatch()
}
warmUp()

const api = ObjectCreate(null) as Record<string, unknown>
api['start'] = start
api['deliver'] = deliver
api['drain'] = drain
api['reject'] = reject
export default api
