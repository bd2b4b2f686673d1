import type { ArtifactStore } from '../artifacts/store.ts'
import { createFailure, type Failure } from '../data/failure.ts'
import type { Json } from '../data/json.ts'
import type { GuestCall } from '../executor/executor.ts'
import { RUN_CODE } from '../registry/scope.ts'
import type { TurnQueue } from './turn-queue.ts'

export interface ServicesOptions {
  /** Whose artifacts the run may read. */
  readonly owner: string
  readonly artifacts: ArtifactStore
  readonly searchTools: (query: string, limit: number | undefined) => Json
  readonly describeTools: (names: readonly string[]) => Json
  readonly maxValueBytes: number
  readonly monotonicMs: () => number
  readonly turns: TurnQueue
}

export type ServiceAnswer = { readonly value: Json } | { readonly failure: Failure }

/**
 * What a program may ask of the host besides calling tools: `sdk.search`, `sdk.describe`, `artifacts.read`. These are no
 * tool calls: nothing is logged and no policy is asked, as they show only what the program may see anyway. But the work
 * is the host's own, in the one thread that every run, timer and request shares. So it is bounded: in how often, in how
 * long altogether, and never more than one request in a turn of the event loop.
 */
export interface Services {
  serve(request: GuestCall): Promise<ServiceAnswer>
}

/** Requests of one run. */
export const MAX_SERVICE_REQUESTS = 1_000
/** Time of the host that the services of one run may take. */
export const MAX_SERVICE_MS = 2_000
/** The first search of a view makes an index for all that follow: its run is not made to pay for the whole of it. */
const MAX_CHARGE_MS = MAX_SERVICE_MS / 4
/** Longer arguments are no names, no words and no id. */
const MAX_ARGUMENTS_CHARS = 64 * 1024
const DEFAULT_PART = 100_000

export function createServices(options: ServicesOptions): Services {
  const { owner, artifacts, maxValueBytes, monotonicMs, turns } = options
  let requests = 0
  let usedMs = 0
  // Of one run only one request waits for a turn at a time: a run with hundreds of them delays another's by one turn.
  let last: Promise<unknown> = Promise.resolve()

  async function serveInTurn(request: GuestCall): Promise<ServiceAnswer> {
    if (request.signal.aborted) return { failure: runIsOver() }
    if (usedMs >= MAX_SERVICE_MS) return { failure: overTime(request.name) }
    await turns.turn()
    if (request.signal.aborted) return { failure: runIsOver() }
    const startedAt = monotonicMs()
    try {
      return answer(request)
    } finally {
      usedMs += Math.min(monotonicMs() - startedAt, MAX_CHARGE_MS)
    }
  }

  function answer({ op, name, argumentsJson }: GuestCall): ServiceAnswer {
    if (argumentsJson.length > MAX_ARGUMENTS_CHARS) return { failure: tooLong(name, argumentsJson.length) }
    const args = parseArguments(argumentsJson)
    switch (op) {
      case 'search':
        return { value: options.searchTools(textIn(args.query), limitIn(args.limit)) }
      case 'describe':
        return { value: options.describeTools(namesIn(args.names)) }
      case 'artifact':
        return read(textIn(args.id), whole(args.offset, 0), whole(args.length, DEFAULT_PART))
      case 'call':
      case 'full':
        throw new TypeError('a tool call is dispatched, not served')
    }
  }

  function read(id: string, offset: number, length: number): ServiceAnswer {
    // No more can be received: so much is not even copied.
    const part = artifacts.read(owner, id, { offset, length: Math.min(length, maxValueBytes) })
    return part === undefined ? { failure: noArtifact(id) } : { value: { ...part } }
  }

  return {
    serve(request) {
      if (++requests > MAX_SERVICE_REQUESTS) return Promise.resolve({ failure: tooMany(request.name) })
      const served = last.then(() => serveInTurn(request))
      last = served.catch(() => {}) // Told to whoever asked; the next request is another's.
      return served
    },
  }
}

function tooMany(name: string): Failure {
  return callLimit(
    `${name}: a program may ask sdk and artifacts ${MAX_SERVICE_REQUESTS} times in all, and this one has. ` +
      'Describe several tools at once, read larger parts, or do the work in several runs.',
  )
}

function overTime(name: string): Failure {
  return callLimit(
    `${name}: what this program asked of sdk and artifacts has taken the ${MAX_SERVICE_MS / 1_000} s that one run may take ` +
      'there. Ask for less, keep what was answered, or do the work in several runs.',
  )
}

function callLimit(message: string): Failure {
  return createFailure('CALL_LIMIT', message, { phase: 'run' })
}

function runIsOver(): Failure {
  return createFailure('ABORTED_BEFORE_DISPATCH', 'the run has ended; nothing was looked up.', { phase: 'run' })
}

function tooLong(name: string, length: number): Failure {
  return createFailure(
    'INVALID_ARGS',
    `${name}: the arguments may have ${MAX_ARGUMENTS_CHARS} characters as JSON; they have ${length}. Ask for less at once.`,
    { phase: 'arguments' },
  )
}

function noArtifact(id: string): Failure {
  return createFailure(
    'INVALID_ARGS',
    `artifacts.read: there is no artifact ${JSON.stringify(id.slice(0, 100))} in this session (they are kept for a day).`,
    { phase: 'arguments' },
  )
}

function parseArguments(json: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(json)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

function namesIn(value: unknown): readonly string[] {
  const names = Array.isArray(value) ? value : [value]
  return names.filter((name) => typeof name === 'string' && name !== RUN_CODE).slice(0, 100) as string[] // Filtered to strings.
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function limitIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function whole(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise
}
