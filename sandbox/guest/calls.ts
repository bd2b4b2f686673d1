import { createToolError, invalidArguments, markSite, toolErrorFromJson } from './errors.ts'
import { emitCall } from './outbox.ts'
import { append, createList, JSONParse, PromiseConstructor, SafeMap, type List } from './primordials.ts'
import { projectArguments } from './project-json.ts'
import { run } from './run-facts.ts'

export type CallOp = 'call' | 'full' | 'search' | 'describe' | 'artifact'

interface OpenCall {
  readonly n: number
  readonly op: CallOp
  readonly name: string
  /** How the program writes the function: `tools.github.issue_read`. */
  readonly label: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly site: { readonly stack?: unknown }
}

const openCalls = new SafeMap<number, OpenCall>()
// Calls over `maxPendingCalls` wait here with their arguments already taken: none is refused, and the heap limit pays.
const waiting: List<{ readonly call: OpenCall; readonly args: string } | undefined> = createList()
let firstWaiting = 0
let lastNumber = 0
let onHost = 0

/**
 * Sends one call. The arguments are read now, in full: what the program does to them later changes nothing. Never
 * throws; the promise counts as handled, so that a call nobody awaits cannot break anything.
 */
export function submitCall(op: CallOp, name: string, label: string, args: unknown, skip: Function): Promise<unknown> {
  const site = markSite(skip)
  const projected = projectArguments(args, run.limits.maxValueBytes)
  if (!projected.ok) {
    return rejected(invalidArguments(name, `${label}: argument${projected.path} ${projected.problem}`, site))
  }
  const json = projected.json
  return handled(
    new PromiseConstructor((resolve, reject) => {
      const call: OpenCall = { n: ++lastNumber, op, name, label, resolve, reject, site }
      openCalls.set(call.n, call)
      if (onHost < run.limits.maxPendingCalls) send(call, json)
      else append(waiting, { call, args: json })
    }),
  )
}

export function rejected(error: unknown): Promise<never> {
  return handled(new PromiseConstructor<never>((_resolve, reject) => reject(error)))
}

function send(call: OpenCall, args: string): void {
  onHost++
  emitCall(call.n, call.op, call.name, args)
}

/** Settles call `n`. Resolving takes plain data just parsed, of this realm. An unknown number is ignored: the host checks. */
export function settleCall(n: number, isOk: boolean, json: string): void {
  const call = openCalls.get(n)
  if (call === undefined) return
  openCalls.delete(n)
  onHost--
  sendWaiting()
  try {
    if (isOk) call.resolve(JSONParse(json))
    else call.reject(toolErrorFromJson(json, call.name, call.site))
  } catch {
    // Not JSON: cannot come from a host of this version.
    const message = 'The reply could not be read.'
    const fields = { tool: call.name, code: 'TOOL_FAILED', message, phase: 'body', bodyStarted: true, retryable: false }
    call.reject(createToolError(fields, call.site))
  }
}

function sendWaiting(): void {
  while (firstWaiting < waiting.length && onHost < run.limits.maxPendingCalls) {
    const next = waiting[firstWaiting] as { readonly call: OpenCall; readonly args: string }
    waiting[firstWaiting] = undefined
    firstWaiting++
    send(next.call, next.args)
  }
  if (firstWaiting === waiting.length) {
    waiting.length = 0
    firstWaiting = 0
  }
}

/** An unhandled rejection would reach the child as a copied-out error; ours never do. */
function handled<T>(promise: Promise<T>): Promise<T> {
  void swallow(promise)
  return promise
}
async function swallow(promise: Promise<unknown>): Promise<void> {
  try {
    await promise
  } catch {
    // The program's own reaction, if it has one, sees it.
  }
}
