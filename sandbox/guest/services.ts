import { rejected, submitCall } from './calls.ts'
import { invalidArguments, markSite } from './errors.ts'
import { emit, emitNotice, emitProgress } from './outbox.ts'
import {
  ArrayIsArray,
  define,
  FIXED,
  max,
  min,
  NumberIsFinite,
  ObjectCreate,
  ObjectFreeze,
  quote,
  toStringOf,
  toWellFormed,
  TypeErrorConstructor,
} from './primordials.ts'
import { projectNow } from './project-json.ts'
import { run } from './run-facts.ts'
import { shorten, utf8Length } from './text-size.ts'

let shownBytes = 0

/** `show(block)`: passes a content block, or a text, to whoever reads the result. */
function show(block?: unknown): void {
  const value = typeof block === 'string' ? textBlock(block) : block
  const projected = projectNow(value, run.limits.maxResultBytes)
  if (typeof value !== 'object' || value === null || !projected.ok || projected.json === undefined) {
    if (!projected.ok) {
      emitNotice('SHOW_DROPPED', `show(): the block is larger than ${run.limits.maxResultBytes} bytes and was dropped.`)
      return
    }
    throw new TypeErrorConstructor('show takes a content block, such as { type: "text", text: "…" }, or a string')
  }
  shownBytes += utf8Length(projected.json)
  if (shownBytes > run.limits.maxResultBytes) {
    emitNotice('SHOW_DROPPED', `show(): more than ${run.limits.maxResultBytes} bytes in all; the block was dropped.`)
    return
  }
  emit('{"e":"show","json":' + quote(projected.json) + '}')
}

function textBlock(text: string): object {
  return { __proto__: null, type: 'text', text }
}

/** `progress(message)`, `progress(fraction)`, `progress(message, fraction)` or `progress({ message, fraction })`. */
function progress(first?: unknown, second?: unknown): void {
  let message: unknown = first
  let fraction: unknown = second
  if (typeof first === 'number') {
    message = typeof second === 'string' ? second : undefined
    fraction = first
  } else if (typeof first === 'object' && first !== null) {
    message = (first as { message?: unknown }).message
    fraction = (first as { fraction?: unknown }).fraction
  }
  let json = '{"e":"progress"'
  if (message !== undefined) json += ',"message":' + quote(shorten(toWellFormed(textOf(message)), 500))
  if (typeof fraction === 'number' && NumberIsFinite(fraction)) {
    json += ',"fraction":' + toStringOf(max(0, min(1, fraction)))
  }
  emitProgress(json + '}')
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const projected = projectNow(value, 2000)
  return projected.ok && projected.json !== undefined ? projected.json : ''
}

const search = (query?: unknown, options?: unknown): Promise<unknown> => {
  if (typeof query !== 'string')
    return refuse('sdk.search', 'sdk.search takes a query: sdk.search("send mail")', search)
  const args = { __proto__: null, query, ...optionFields(options, 'limit') }
  return submitCall('search', 'sdk.search', 'sdk.search', args, search)
}

const describe = (names?: unknown): Promise<unknown> => {
  const list = typeof names === 'string' ? [names] : names
  if (!ArrayIsArray(list)) {
    return refuse('sdk.describe', 'sdk.describe takes names: sdk.describe(["tool_name"])', describe)
  }
  return submitCall('describe', 'sdk.describe', 'sdk.describe', { __proto__: null, names: list }, describe)
}

const read = (id?: unknown, options?: unknown): Promise<unknown> => {
  if (typeof id !== 'string') {
    return refuse(
      'artifacts.read',
      'artifacts.read takes an id: artifacts.read("id", { offset: 0, length: 1000 })',
      read,
    )
  }
  const args = { __proto__: null, id, ...optionFields(options, 'offset'), ...optionFields(options, 'length') }
  return submitCall('artifact', 'artifacts.read', 'artifacts.read', args, read)
}

function optionFields(options: unknown, name: string): object {
  const fields = ObjectCreate(null) as Record<string, unknown>
  if (typeof options !== 'object' || options === null) return fields
  const value = (options as Record<string, unknown>)[name]
  if (value !== undefined) fields[name] = value
  return fields
}

function refuse(name: string, message: string, skip: Function): Promise<never> {
  return rejected(invalidArguments(name, message, markSite(skip)))
}

export function installServices(global: object): void {
  define(
    global,
    'show',
    method('show', (block?: unknown) => show(block)),
    FIXED,
  )
  define(
    global,
    'progress',
    method('progress', (first?: unknown, second?: unknown) => progress(first, second)),
    FIXED,
  )
  const sdk = ObjectCreate(null) as object
  define(sdk, 'search', search, { enumerable: true })
  define(sdk, 'describe', describe, { enumerable: true })
  define(global, 'sdk', ObjectFreeze(sdk), FIXED)
  const artifacts = ObjectCreate(null) as object
  define(artifacts, 'read', read, { enumerable: true })
  define(global, 'artifacts', ObjectFreeze(artifacts), FIXED)
}

function method<T extends Function>(name: string, body: T): T {
  define(body, 'name', name, {})
  return ObjectFreeze(body)
}
