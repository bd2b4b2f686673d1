import { jsonStringBytes } from './bytes.ts'
import { textBlock, type ContentBlock } from './content.ts'
import { isRecord } from './json.ts'
import type { Json } from './json.ts'
import { snapshot } from './snapshot.ts'
import type { SnapshotLimits } from './snapshot.ts'

export interface ContentLimits extends SnapshotLimits {
  readonly maxBlocks?: number
}

export type ParsedContent =
  | { readonly ok: true; readonly content: readonly ContentBlock[]; readonly bytes: number }
  | { readonly ok: false; readonly path: string; readonly reason: string }
export type ParsedBlock =
  | { readonly ok: true; readonly block: ContentBlock; readonly bytes: number }
  | { readonly ok: false; readonly path: string; readonly reason: string }

const DEFAULT_MAX_BLOCKS = 10_000

/**
 * Content blocks out of anything at all: a frozen copy, or the first place that is wrong. Fields that the vocabulary does
 * not know are kept, since a peer may understand them; kinds of block that it does not know are refused, since nobody here
 * could say what a model would be shown.
 */
export function parseContent(value: unknown, limits?: ContentLimits): ParsedContent {
  const known = limits === undefined && typeof value === 'object' && value !== null ? Text.of(value) : undefined
  if (known !== undefined) return known
  const taken = snapshot(value, limits)
  if (!taken.ok) return taken
  if (!isList(taken.value)) {
    return { ok: false, path: '', reason: `content must be an array of blocks; got ${nameOf(taken.value)}` }
  }
  const maxBlocks = limits?.maxBlocks ?? DEFAULT_MAX_BLOCKS
  if (taken.value.length > maxBlocks) return { ok: false, path: '', reason: `more than ${maxBlocks} blocks` }
  for (const [index, block] of taken.value.entries()) {
    const fault = blockFault(block)
    if (fault !== undefined) return { ok: false, path: `/${index}${fault.path}`, reason: fault.reason }
  }
  return { ok: true, content: taken.value as unknown as readonly ContentBlock[], bytes: taken.bytes } // Each was checked.
}

/**
 * Content of one text, frozen. What `parseContent` would find in it is known, and it is not asked again: most results of
 * tools are such content, made by code of this process.
 */
export function textContent(text: string): readonly ContentBlock[] {
  const content: readonly ContentBlock[] = [Object.freeze(textBlock(text))]
  // A long one is measured and held against the limits like any other.
  if (text.length <= MAX_KNOWN_TEXT) new Text(content, text)
  return Object.freeze(content) // After the field: a frozen object may not be given one in every engine.
}
const MAX_KNOWN_TEXT = 64 * 1024

class Same {
  constructor(target: object) {
    return target
  }
}
/** A private field on the array itself (a constructor may return another object than its own): it cannot be forged. */
class Text extends Same {
  readonly #parsed: ParsedContent & { readonly ok: true }
  constructor(content: readonly ContentBlock[], text: string) {
    super(content)
    this.#parsed = Object.freeze({ ok: true, content, bytes: TEXT_BLOCK_BYTES + jsonStringBytes(text, Infinity) })
  }
  static of(value: object): ParsedContent | undefined {
    return #parsed in value ? value.#parsed : undefined
  }
}
const TEXT_BLOCK_BYTES = JSON.stringify([textBlock('')]).length - 2

/** One content block out of anything at all, by the same rules. */
export function parseContentBlock(value: unknown, limits?: SnapshotLimits): ParsedBlock {
  const taken = snapshot(value, limits)
  if (!taken.ok) return taken
  const fault = blockFault(taken.value)
  if (fault !== undefined) return { ok: false, ...fault }
  return { ok: true, block: taken.value as unknown as ContentBlock, bytes: taken.bytes } // It was checked.
}

interface Fault {
  readonly path: string
  readonly reason: string
}
type Shape = readonly (readonly [key: string, check: (value: Json) => string | undefined])[]

const REQUIRED: Readonly<Record<ContentBlock['type'], Shape>> = {
  text: Object.entries({ text: string }),
  image: Object.entries({ data: base64, mimeType: nonEmpty }),
  audio: Object.entries({ data: base64, mimeType: nonEmpty }),
  resource: Object.entries({ resource: object }),
  resource_link: Object.entries({ uri: nonEmpty, name: string }),
}
const OPTIONAL: Shape = Object.entries({ annotations: object, _meta: object })
const LINK_OPTIONAL: Shape = Object.entries({ title: string, description: string, mimeType: string, size: count })
const RESOURCE_REQUIRED: Shape = Object.entries({ uri: nonEmpty })
const RESOURCE_OPTIONAL: Shape = Object.entries({ mimeType: string, text: string, blob: base64, _meta: object })

function blockFault(block: Json): Fault | undefined {
  if (!isRecord(block)) return { path: '', reason: `a block must be an object; got ${nameOf(block)}` }
  const type = own(block, 'type')
  if (!isBlockType(type)) {
    const kinds = Object.keys(REQUIRED).join(', ')
    return { path: '/type', reason: `must be one of ${kinds}; got ${type === undefined ? 'nothing' : nameOf(type)}` }
  }
  return (
    shapeFault(block, REQUIRED[type], OPTIONAL) ??
    (type === 'resource_link' ? shapeFault(block, [], LINK_OPTIONAL) : undefined) ??
    (type === 'resource' ? resourceFault(own(block, 'resource')) : undefined)
  )
}

function resourceFault(resource: Json | undefined): Fault | undefined {
  const fault = shapeFault(resource, RESOURCE_REQUIRED, RESOURCE_OPTIONAL)
  if (fault !== undefined) return { path: `/resource${fault.path}`, reason: fault.reason }
  if (own(resource, 'text') !== undefined || own(resource, 'blob') !== undefined) return undefined
  return { path: '/resource', reason: 'must hold text or blob' }
}

function shapeFault(value: unknown, required: Shape, optional: Shape): Fault | undefined {
  for (const [key, check] of required) {
    const found = own(value, key)
    const reason = found === undefined ? 'is missing' : check(found)
    if (reason !== undefined) return { path: `/${key}`, reason }
  }
  for (const [key, check] of optional) {
    const found = own(value, key)
    const reason = found === undefined ? undefined : check(found)
    if (reason !== undefined) return { path: `/${key}`, reason }
  }
  return undefined
}

function own(value: unknown, key: string): Json | undefined {
  return isRecord(value) && Object.hasOwn(value, key) ? (value[key] as Json) : undefined // Part of a snapshot.
}
function isBlockType(type: Json | undefined): type is ContentBlock['type'] {
  return typeof type === 'string' && Object.hasOwn(REQUIRED, type)
}
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function string(value: Json): string | undefined {
  return typeof value === 'string' ? undefined : `must be a string; got ${nameOf(value)}`
}
function nonEmpty(value: Json): string | undefined {
  return string(value) ?? (value === '' ? 'must not be empty' : undefined)
}
function object(value: Json): string | undefined {
  return isRecord(value) ? undefined : `must be an object; got ${nameOf(value)}`
}
function count(value: Json): string | undefined {
  return typeof value === 'number' && value >= 0
    ? undefined
    : `must be a number that is not negative; got ${nameOf(value)}`
}
/** Either alphabet, padded or not, with or without line breaks: what peers send. One pass, no backtracking. */
function base64(value: Json): string | undefined {
  if (typeof value !== 'string') return string(value)
  return /[^A-Za-z0-9+/\-_=\s]/.test(value) ? 'must be base64' : undefined
}

function nameOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string')
    return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}…` : JSON.stringify(value)
  return typeof value === 'object' ? 'an object' : String(value)
}
