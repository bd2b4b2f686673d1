/**
 * Frames of a child → messages, or the rule they break. Total: never throws. A child can be taken over by the program
 * it runs, so nothing here trusts it: the size is checked before the parser runs, every field is checked, what comes
 * out is built anew with a fixed order of keys, and unknown fields are left behind.
 *
 * What this cannot know (which runs and calls are open) its caller checks.
 */
import {
  CHILD_FRAME,
  type FatalBody,
  type PartBody,
  type ReadyBody,
  type SliceBody,
  type SliceState,
  type WireEvent,
} from './wire.ts'

export interface FrameLimits {
  readonly maxPendingCalls: number
  readonly maxLogBytes: number
  readonly maxResultBytes: number
  readonly maxValueBytes: number
}

export type ChildFrame =
  | { readonly type: 'ready'; readonly body: ReadyBody }
  | { readonly type: 'part'; readonly body: PartBody }
  | { readonly type: 'slice'; readonly body: SliceBody }
  | { readonly type: 'fatal'; readonly body: FatalBody }

export type FrameCheck =
  { readonly ok: true; readonly frame: ChildFrame } | { readonly ok: false; readonly violation: string }

/** One event takes at least this many bytes: so many events fit a body at most. */
const MAX_EVENTS = 200_000
const MAX_NAME_CHARS = 1024
const MAX_SHORT_CHARS = 64 * 1024
/** A JSON text quoted once more at most sextuples (control characters); twice is the honest most. */
const QUOTED = 6
const ROOM_BYTES = 1024 * 1024

/** Parses one frame of a child. `limits` are those of the run it speaks for. */
export function parseChildFrame(type: number, body: Buffer | string, limits: FrameLimits): FrameCheck {
  const size = typeof body === 'string' ? body.length : body.byteLength
  const most = QUOTED * (limits.maxValueBytes + limits.maxResultBytes + limits.maxLogBytes) + ROOM_BYTES
  if (size > most) return violation(`a frame of ${size} bytes; ${most} are allowed`)
  let parsed: unknown
  try {
    parsed = JSON.parse(typeof body === 'string' ? body : body.toString('utf8'))
  } catch {
    return violation('a body that is not JSON')
  }
  if (!isFields(parsed)) return violation('a body that is not an object')
  try {
    return { ok: true, frame: toFrame(type, parsed, limits) }
  } catch (thrown) {
    if (thrown instanceof Violation) return violation(thrown.message)
    return violation('a body that cannot be read')
  }
}

class Violation extends Error {}

function violation(what: string): FrameCheck {
  return { ok: false, violation: `the sandbox process sent ${what}` }
}

type Fields = Record<string, unknown>

function toFrame(type: number, fields: Fields, limits: FrameLimits): ChildFrame {
  switch (type) {
    case CHILD_FRAME.ready:
      return {
        type: 'ready',
        body: {
          version: count(fields, 'version'),
          node: text(fields, 'node', MAX_NAME_CHARS),
          v8: text(fields, 'v8', MAX_NAME_CHARS),
        },
      }
    case CHILD_FRAME.part:
      return { type: 'part', body: { events: toEvents(fields, limits) } }
    case CHILD_FRAME.slice: {
      const events = toEvents(fields, limits)
      const state = own(fields, 'state')
      if (!isFields(state)) throw new Violation('a slice without a state')
      return { type: 'slice', body: { events, state: toState(state, limits), cpuMs: quantity(fields, 'cpuMs') } }
    }
    case CHILD_FRAME.fatal: {
      const why = oneOf(fields, 'why', ['out-of-memory', 'internal'] as const)
      return { type: 'fatal', body: { why, message: text(fields, 'message', MAX_SHORT_CHARS) } }
    }
    default:
      throw new Violation(`a frame of type ${type}, which is unknown`)
  }
}

function toEvents(fields: Fields, limits: FrameLimits): WireEvent[] {
  const events = own(fields, 'events')
  if (!Array.isArray(events)) throw new Violation('a slice without a list of events')
  if (events.length > MAX_EVENTS) throw new Violation(`${events.length} events at once; ${MAX_EVENTS} are allowed`)
  return events.map((event) => {
    if (!isFields(event)) throw new Violation('an event that is not an object')
    return toEvent(event, limits)
  })
}

function toEvent(event: Fields, limits: FrameLimits): WireEvent {
  const kind = own(event, 'e')
  switch (kind) {
    case 'call': {
      const n = count(event, 'n')
      if (n === 0) throw new Violation('a call of number 0')
      const op = oneOf(event, 'op', ['call', 'full', 'search', 'describe', 'artifact'] as const)
      return {
        e: 'call',
        n,
        op,
        name: text(event, 'name', MAX_NAME_CHARS),
        args: json(event, 'args', limits.maxValueBytes),
      }
    }
    case 'timer':
      return { e: 'timer', id: count(event, 'id'), ms: quantity(event, 'ms') }
    case 'clear':
      return { e: 'clear', id: count(event, 'id') }
    case 'log': {
      const level = oneOf(event, 'level', ['log', 'info', 'warn', 'error', 'debug'] as const)
      return {
        e: 'log',
        level,
        at: quantity(event, 'at'),
        text: text(event, 'text', limits.maxLogBytes + MAX_NAME_CHARS),
      }
    }
    case 'notice':
      return { e: 'notice', code: text(event, 'code', MAX_NAME_CHARS), text: text(event, 'text', MAX_SHORT_CHARS) }
    case 'show':
      return { e: 'show', json: json(event, 'json', limits.maxResultBytes) }
    case 'progress':
      return {
        e: 'progress',
        ...(has(event, 'message') && { message: text(event, 'message', MAX_SHORT_CHARS) }),
        ...(has(event, 'fraction') && { fraction: quantity(event, 'fraction') }),
      }
    default:
      throw new Violation('an event of an unknown kind')
  }
}

function toState(state: Fields, limits: FrameLimits): SliceState {
  const kind = own(state, 's')
  switch (kind) {
    case 'waiting':
      return { s: 'waiting' }
    case 'returned':
      return { s: 'returned', ...(has(state, 'json') && { json: json(state, 'json', limits.maxResultBytes) }) }
    case 'threw':
      return {
        s: 'threw',
        name: text(state, 'name', MAX_NAME_CHARS),
        message: text(state, 'message', MAX_SHORT_CHARS),
        stack: text(state, 'stack', MAX_SHORT_CHARS),
        ...(has(state, 'code') && { code: text(state, 'code', MAX_NAME_CHARS) }),
        ...(has(state, 'tool') && { tool: text(state, 'tool', MAX_NAME_CHARS) }),
      }
    case 'stopped':
      return {
        s: 'stopped',
        why: oneOf(state, 'why', ['slice-timeout', 'memory', 'output', 'compile'] as const),
        message: text(state, 'message', MAX_SHORT_CHARS),
      }
    default:
      throw new Violation('a state of an unknown kind')
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
function has(fields: Fields, key: string): boolean {
  return Object.hasOwn(fields, key)
}
/** Own fields only: what is missing must not be found on `Object.prototype`. */
function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function text(fields: Fields, key: string, maxChars: number): string {
  const value = own(fields, key)
  if (typeof value !== 'string') throw new Violation(`"${key}" that is not a string`)
  if (value.length > maxChars) throw new Violation(`"${key}" of ${value.length} characters; ${maxChars} are allowed`)
  return value
}

/** A JSON text; not parsed here, as its reader does that anyhow. */
function json(fields: Fields, key: string, maxBytes: number): string {
  const value = text(fields, key, maxBytes)
  if (value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes) {
    throw new Violation(`"${key}" of more than ${maxBytes} bytes`)
  }
  return value
}

function oneOf<const T extends string>(fields: Fields, key: string, allowed: readonly T[]): T {
  const value = own(fields, key)
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new Violation(`"${key}" that is none of ${allowed.join(', ')}`)
  return found
}

/** A whole number from 0. */
function count(fields: Fields, key: string): number {
  const value = own(fields, key)
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new Violation(`"${key}" that is not a whole number`)
  }
  return value
}

/** A finite number from 0. */
function quantity(fields: Fields, key: string): number {
  const value = own(fields, key)
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new Violation(`"${key}" that is not a number from 0`)
  }
  return value
}
