import type { Json } from './json.ts'
import { FAILURE_CODES, isFailureCode } from './failure-codes.ts'

/** Where in the life of a call (or run) a failure arose. */
export type FailurePhase =
  | 'arguments'
  | 'mode'
  | 'lookup'
  | 'pre'
  | 'approval'
  | 'guards'
  | 'around'
  | 'body'
  | 'value'
  | 'post'
  | 'finalize'
  | 'run'

/** The not-ok outcome's data. Plain JSON: it goes into logs, over the wire and to programs as it is. */
export interface Failure {
  /** A code of `failure-codes.ts`, or a tool's own. */
  readonly code: string
  readonly message: string
  readonly phase: FailurePhase
  /** Whether the tool's body had begun: if so, side effects are possible. */
  readonly bodyStarted: boolean
  /** Whether the same call may work later without a change. */
  readonly retryable: boolean
  readonly details?: Json
}

export function createFailure(
  code: string,
  message: string,
  at: { phase: FailurePhase; bodyStarted?: boolean; retryable?: boolean; details?: Json },
): Failure {
  const retryable = at.retryable ?? (isFailureCode(code) && FAILURE_CODES[code].retry === 'later')
  return {
    code,
    message,
    phase: at.phase,
    bodyStarted: at.bodyStarted ?? false,
    retryable,
    ...(at.details !== undefined && { details: at.details }),
  }
}

/** An error that carries a failure code, for places that throw (configuration, start-up) or tools that want their own code. */
export class CodedError extends Error {
  readonly code: string
  readonly details?: Json
  constructor(code: string, message: string, options?: { cause?: unknown; details?: Json }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CodedError'
    this.code = code
    if (options?.details !== undefined) this.details = options.details
  }
}

/** Identity across realms and copies is by code, never by `instanceof`. Total: a hostile value is just not a match. */
export function hasCode(thrown: unknown, code?: string): thrown is { code: string } {
  try {
    const found = (thrown as { code?: unknown } | null | undefined)?.code
    return typeof found === 'string' && (code === undefined || found === code)
  } catch {
    return false
  }
}

const UNREADABLE = 'an error that cannot be read'
const MAX_MESSAGE = 4_000

/** The text of anything thrown. Total: hostile getters, proxies and null give a constant, never another throw. */
export function thrownMessage(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown.slice(0, MAX_MESSAGE)
    if (typeof thrown === 'object' && thrown !== null) {
      const message: unknown = (thrown as { message?: unknown }).message
      if (typeof message === 'string' && message !== '') return message.slice(0, MAX_MESSAGE)
      return UNREADABLE
    }
    return String(thrown).slice(0, MAX_MESSAGE)
  } catch {
    return UNREADABLE
  }
}
