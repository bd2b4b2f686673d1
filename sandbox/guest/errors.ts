import type { SliceState } from '../wire.ts'
import {
  captureStackTrace,
  define,
  defineField,
  ErrorConstructor,
  ErrorPrototype,
  errorToString,
  HIDDEN,
  isPrototypeOf,
  JSONParse,
  ObjectHasOwn,
  quote,
  ReflectDefineProperty,
  stringEndsWith,
  stringIndexOf,
  stringSlice,
  stringStartsWith,
  stringTrim,
  toStringOf,
  toWellFormed,
} from './primordials.ts'
import { isProgramFrame, placeFrame } from './places.ts'
import { projectNow } from './project-json.ts'
import { describeThrown } from './thrown-text.ts'
import { cutToBytes } from './text-size.ts'
import { classNameOf } from './value-kinds.ts'

const MAX_MESSAGE_BYTES = 16 * 1024
const MAX_STACK_BYTES = 16 * 1024
const MAX_STACK_LINES = 20
const MAX_CAUSES = 4

/** What a failed call rejects with. Made in the guest's realm; the fields are those of the host's failure. */
export class ToolError extends Error {
  declare readonly tool: string
  declare readonly code: string
  declare readonly phase: string
  declare readonly bodyStarted: boolean
  declare readonly retryable: boolean
  declare readonly details?: unknown
  declare readonly content?: unknown
}
define(ToolError.prototype, 'name', 'ToolError', HIDDEN)

export interface ToolErrorFields {
  readonly tool: string
  readonly code: string
  readonly message: string
  readonly phase: string
  readonly bodyStarted: boolean
  readonly retryable: boolean
  readonly details?: unknown
  readonly content?: unknown
}

const FIELD_NAMES = ['tool', 'code', 'phase', 'bodyStarted', 'retryable', 'details', 'content'] as const

/** `site` is an object whose stack was captured where the call was made: the program's own line, not the delivery's. */
export function createToolError(fields: ToolErrorFields, site?: { readonly stack?: unknown }): ToolError {
  const error = new ToolError(fields.message)
  for (let index = 0; index < FIELD_NAMES.length; index++) {
    const name = FIELD_NAMES[index] as keyof ToolErrorFields
    if (ObjectHasOwn(fields, name)) {
      defineField(error, name, fields[name], true)
    }
  }
  const frames = site === undefined ? '' : programFrames(readText(site, 'stack'))
  defineField(error, 'stack', 'ToolError: ' + fields.message + (frames === '' ? '' : '\n' + frames), false)
  return error
}

/** Marks where the program is right now; the stack text is made only when somebody reads it. */
export function markSite(skip: Function): { readonly stack?: unknown } {
  const site = { __proto__: null } as { readonly stack?: unknown }
  captureStackTrace(site, skip)
  return site
}

/** Fields of a failure as the host sends them: JSON text that may be anything, as a resumed run may be of another version. */
export function toolErrorFromJson(json: string, tool: string, site?: { readonly stack?: unknown }): ToolError {
  const parsed = JSONParse(json)
  const given = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  const text = (name: string, fallback: string): string => {
    const value = ObjectHasOwn(given, name) ? given[name] : undefined
    return typeof value === 'string' ? value : fallback
  }
  const flag = (name: string): boolean => ObjectHasOwn(given, name) && given[name] === true
  const fields = {
    __proto__: null,
    tool: text('tool', tool),
    code: text('code', 'TOOL_FAILED'),
    message: text('message', 'The tool failed.'),
    phase: text('phase', 'body'),
    bodyStarted: flag('bodyStarted'),
    retryable: flag('retryable'),
  } as ToolErrorFields
  if (ObjectHasOwn(given, 'details')) defineField(fields, 'details', given['details'], false)
  if (ObjectHasOwn(given, 'content')) defineField(fields, 'content', given['content'], false)
  return createToolError(fields, site)
}

/** A refusal made here, before anything was sent. */
export function invalidArguments(tool: string, message: string, site: { readonly stack?: unknown }): ToolError {
  return createToolError(
    { tool, code: 'INVALID_ARGS', message, phase: 'arguments', bodyStarted: false, retryable: false },
    site,
  )
}

const UNREADABLE = 'the program threw an error that cannot be read'
function canRead(from: object, key: string): boolean {
  try {
    void (from as Record<string, unknown>)[key]
    return true
  } catch {
    return false
  }
}

function readText(from: object, key: string): string {
  try {
    const value = (from as Record<string, unknown>)[key]
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}

/** The lines of a stack that are the program's. V8 names an anonymous function of evaluated code `eval`: not said. */
export function programFrames(stack: string): string {
  let kept = ''
  let count = 0
  let start = 0
  while (start < stack.length && count < MAX_STACK_LINES) {
    let end = stringIndexOf(stack, '\n', start)
    if (end < 0) end = stack.length
    let line = stringTrim(stringSlice(stack, start, end))
    start = end + 1
    if (!stringStartsWith(line, 'at ')) continue
    if (!isProgramFrame(line)) continue
    if (stringStartsWith(line, 'at eval (') && stringEndsWith(line, ')')) line = 'at ' + stringSlice(line, 9, -1)
    kept += (kept === '' ? '' : '\n') + '    ' + line
    count++
  }
  return kept
}

function headOf(error: object): string {
  try {
    return errorToString(error as Error)
  } catch {
    return classNameOf(error)
  }
}

/** The stack without what stands above its frames: lines of a message may look like frames. */
function stackBelow(head: string, error: object): string {
  const stack = readText(error, 'stack')
  return stringStartsWith(stack, head) ? stringSlice(stack, head.length) : stack
}

/** `Name: message` and the program's frames; what `console` and the ending show. Reads of the error may run its getters. */
export function errorText(error: object): string {
  const head = headOf(error)
  const frames = programFrames(stackBelow(head, error))
  return cutToBytes(head, MAX_MESSAGE_BYTES) + (frames === '' ? '' : '\n' + frames)
}

export function isError(value: unknown): value is Error {
  try {
    return typeof value === 'object' && value !== null && isPrototypeOf(ErrorPrototype, value)
  } catch {
    return false
  }
}

/** An uncaught value as capped texts: name, message with its causes, stack. Everything the host will ever see of it. */
export function describeUncaught(
  thrown: unknown,
  reword: (name: string, message: string) => string,
): Extract<SliceState, { s: 'threw' }> {
  if (!isError(thrown)) {
    return { s: 'threw', name: 'Error', message: 'The program threw ' + describeNonError(thrown), stack: '' }
  }
  const name = cutToBytes(toWellFormed(readText(thrown, 'name') || classNameOf(thrown)), 256)
  const message = canRead(thrown, 'message') ? reword(name, readText(thrown, 'message')) : UNREADABLE
  const stack = cutToBytes(programFrames(stackBelow(headOf(thrown), thrown)), MAX_STACK_BYTES)
  const code = readText(thrown, 'code')
  const tool = isPrototypeOf(ToolError.prototype, thrown) ? readText(thrown, 'tool') : ''
  const whole = cutToBytes(message + causesOf(thrown), MAX_MESSAGE_BYTES)
  return {
    s: 'threw',
    name,
    message: toWellFormed(whole),
    stack: toWellFormed(stack),
    ...(code !== '' && { code: cutToBytes(toWellFormed(code), 256) }),
    ...(tool !== '' && { tool: cutToBytes(toWellFormed(tool), 256) }),
  }
}

function describeNonError(thrown: unknown): string {
  if (typeof thrown === 'string') return cutToBytes('the string ' + quote(toWellFormed(thrown)), MAX_MESSAGE_BYTES)
  if (typeof thrown !== 'object' || thrown === null) {
    return cutToBytes(typeof thrown === 'function' ? 'a function' : describeThrown(thrown), MAX_MESSAGE_BYTES)
  }
  const projected = projectNow(thrown, MAX_MESSAGE_BYTES)
  if (projected.ok && projected.json !== undefined) return projected.json
  return projected.notices.length > 0 ? 'a value that cannot be read' : 'an object of ' + classNameOf(thrown)
}

/** ` [cause: …]` for up to four levels, and the first errors of an AggregateError. */
function causesOf(error: object): string {
  let text = ''
  let at: unknown = error
  for (let level = 0; level < MAX_CAUSES; level++) {
    let cause: unknown
    let errors: unknown
    try {
      cause = (at as { cause?: unknown }).cause
      errors = (at as { errors?: unknown }).errors
      if (typeof errors === 'object' && errors !== null) {
        const list = errors as ArrayLike<unknown>
        for (let index = 0; index < list.length && index < MAX_CAUSES; index++) {
          text += `\n  [error ${index + 1}: ${oneLine(list[index])}]`
        }
      }
    } catch {
      return text
    }
    if (cause === undefined || cause === null) return text
    text += `\n  [cause: ${oneLine(cause)}]`
    if (typeof cause !== 'object') return text
    at = cause
  }
  return text
}

function oneLine(value: unknown): string {
  if (!isError(value)) return cutToBytes(describeNonError(value), 1024)
  const name = readText(value, 'name') || classNameOf(value)
  return cutToBytes(name + ': ' + readText(value, 'message'), 2048)
}

/** JSON text of an ending state; fields are written out because a literal would look for `toJSON`. */
export function threwToJson(state: Extract<SliceState, { s: 'threw' }>): string {
  let json =
    '{"s":"threw","name":' + quote(state.name) + ',"message":' + quote(state.message) + ',"stack":' + quote(state.stack)
  if (ObjectHasOwn(state, 'code')) json += ',"code":' + quote(toStringOf(state.code))
  if (ObjectHasOwn(state, 'tool')) json += ',"tool":' + quote(toStringOf(state.tool))
  return json + '}'
}

/**
 * Stack texts hold the program's frames only. V8 asks `Error.prepareStackTrace` of this realm whenever a stack is first
 * read; the program can neither set it nor get at the call sites it is given.
 */
export function installStackTexts(): void {
  const siteToString = captureSiteToString()
  const prepareStackTrace = (error: unknown, sites: unknown): string => {
    let head: string
    try {
      head = errorToString(error as Error)
    } catch {
      head = 'Error'
    }
    let text = head
    const list = sites as ArrayLike<object>
    for (let index = 0; index < list.length; index++) {
      let line = siteToString(list[index] as object)
      if (stringStartsWith(line, 'eval (') && stringEndsWith(line, ')')) line = stringSlice(line, 6, -1)
      const placed = placeFrame(line)
      if (placed !== undefined) text += '\n    at ' + placed
    }
    return text
  }
  ReflectDefineProperty(ErrorConstructor, 'prepareStackTrace', {
    __proto__: null,
    get: () => prepareStackTrace,
    set: () => {},
    enumerable: false,
    configurable: false,
  } as PropertyDescriptor)
}

/** `toString` of V8's CallSite class, taken from a real one. */
function captureSiteToString(): (site: object) => string {
  const holder = ErrorConstructor as unknown as { prepareStackTrace?: (error: unknown, sites: object[]) => unknown }
  holder.prepareStackTrace = (_error, sites) => sites
  const probe: { stack?: unknown } = {}
  captureStackTrace(probe)
  const sites = probe.stack as object[]
  delete holder.prepareStackTrace
  const toText = (sites[0] as { toString(): string }).toString
  return (site) => toStringOf(callOn(toText, site))
}
const { apply } = Reflect
function callOn(method: () => string, self: object): string {
  return apply(method, self, []) as string
}
