import { isRecord } from '../data/json.ts'

/** A schema document or a part of one with its own `$id`: what `#…` is relative to. */
export interface SchemaResource {
  readonly root: unknown
  readonly uri: string
}
export interface ResolvedRef {
  readonly schema: unknown
  readonly resource: SchemaResource
  /** Same for every spelling of the same place. */
  readonly place: unknown
  /** Last word of the reference, to name a type by. */
  readonly hint: string
}

/**
 * Finds what `$ref` names inside one document. It never leaves the document: a reference to a file or a server is
 * simply not found. Ids and anchors are collected on the first reference that is more than a local pointer.
 */
export interface RefResolver {
  readonly root: SchemaResource
  resolve(ref: string, from: SchemaResource): ResolvedRef | undefined
  /** What a `$dynamicRef` or `$recursiveRef` names, if that is the same wherever it is evaluated from. */
  resolveDynamic(ref: string, from: SchemaResource): ResolvedRef | undefined
  /** The resource that a subschema lives in, its own `$id` counted. */
  resourceOf(schema: Record<string, unknown>, outer: SchemaResource): SchemaResource
}

const BASE = 'schema://tool/'
const MAX_REF = 1_000
const MAX_INDEXED = 20_000
/** Keywords whose values are data, not schemas: an `$id` in there names nothing. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples', 'example'])

/** `refHidesId`: up to draft 7 an id beside a reference is not read. */
export function createRefResolver(document: unknown, refHidesId: boolean): RefResolver {
  const idOf = (schema: unknown, base: string): string | undefined =>
    refHidesId && isRecord(schema) && typeof schema['$ref'] === 'string' ? undefined : absoluteId(schema, base)

  const root: SchemaResource = { root: document, uri: idOf(document, BASE) ?? BASE }
  let index: SchemaIndex | undefined

  function resolve(ref: string, from: SchemaResource): ResolvedRef | undefined {
    if (ref.length > MAX_REF) return undefined
    if (ref === '#' || ref.startsWith('#/')) return follow(from, ref.slice(1))
    const url = parseUrl(ref, from.uri)
    if (url === undefined) return undefined
    const fragment = url.hash.slice(1)
    url.hash = ''
    index ??= indexSchema(document, root, idOf)
    const target = url.href === root.uri ? root : index.resourceByUri.get(url.href)
    if (target === undefined) return undefined
    if (fragment === '' || fragment.startsWith('/')) return follow(target, fragment)
    const anchored = index.schemaByAnchor.get(`${target.uri}#${fragment}`)
    return anchored && { schema: anchored, resource: target, place: anchored, hint: fragment }
  }

  function resolveDynamic(ref: string, from: SchemaResource): ResolvedRef | undefined {
    const found = resolve(ref, from)
    if (found === undefined || !isRecord(found.schema)) return found
    index ??= indexSchema(document, root, idOf)
    // The outermost schema of that anchor on the way counts, so the way matters as soon as there are two of them.
    const anchor = found.schema['$dynamicAnchor']
    if (typeof anchor === 'string' && ref.endsWith(`#${anchor}`)) {
      return (index.dynamicAnchors.get(anchor) ?? 0) > 1 ? undefined : found
    }
    if (found.schema['$recursiveAnchor'] === true) return index.recursiveAnchors > 1 ? undefined : found
    return found
  }

  function resourceOf(schema: Record<string, unknown>, outer: SchemaResource): SchemaResource {
    if (schema === outer.root) return outer
    const uri = idOf(schema, outer.uri)
    return uri === undefined ? outer : { root: schema, uri }
  }

  function follow(resource: SchemaResource, pointer: string): ResolvedRef | undefined {
    let at: unknown = resource.root
    let within = resource
    const steps = pointer === '' ? [] : pointer.slice(1).split('/').map(decodeStep)
    for (const step of steps) {
      if (Array.isArray(at)) at = /^\d{1,6}$/.test(step) ? at[Number(step)] : undefined
      else if (isRecord(at) && Object.hasOwn(at, step)) at = at[step]
      else return undefined
      // The target itself is treated by whoever reads it; what it passes through changes the base on the way.
      if (isRecord(at)) within = resourceOf(at, within)
    }
    if (typeof at !== 'boolean' && !isRecord(at)) return undefined
    const hint = steps.at(-1) ?? 'self'
    return { schema: at, resource: within, place: typeof at === 'boolean' ? `${within.uri}#${pointer}` : at, hint }
  }

  return { root, resolve, resolveDynamic, resourceOf }
}

interface SchemaIndex {
  readonly resourceByUri: ReadonlyMap<string, SchemaResource>
  readonly schemaByAnchor: ReadonlyMap<string, Record<string, unknown>>
  /** How many schemas have each of these; one that was not looked at may be a second. */
  readonly dynamicAnchors: ReadonlyMap<string, number>
  readonly recursiveAnchors: number
}

function indexSchema(
  document: unknown,
  root: SchemaResource,
  idOf: (schema: unknown, base: string) => string | undefined,
): SchemaIndex {
  const resourceByUri = new Map<string, SchemaResource>()
  const schemaByAnchor = new Map<string, Record<string, unknown>>()
  const dynamicAnchors = new Map<string, number>()
  let recursiveAnchors = 0
  const waiting: { value: unknown; resource: SchemaResource }[] = [{ value: document, resource: root }]
  // A list instead of recursion, and a bound: the document may be as deep and as large as its owner likes.
  for (let at = 0; at < waiting.length && at < MAX_INDEXED; at += 1) {
    const entry = waiting[at]
    if (entry === undefined) break
    const { value } = entry
    let { resource } = entry
    if (Array.isArray(value)) {
      for (const item of value) waiting.push({ value: item, resource })
      continue
    }
    if (!isRecord(value)) continue
    const uri = idOf(value, resource.uri)
    if (uri !== undefined && value !== document) {
      resource = { root: value, uri }
      if (!resourceByUri.has(uri)) resourceByUri.set(uri, resource)
    }
    for (const anchor of anchorsOf(value)) {
      const name = `${resource.uri}#${anchor}`
      if (!schemaByAnchor.has(name)) schemaByAnchor.set(name, value)
    }
    const dynamic = value['$dynamicAnchor']
    if (typeof dynamic === 'string') dynamicAnchors.set(dynamic, (dynamicAnchors.get(dynamic) ?? 0) + 1)
    if (value['$recursiveAnchor'] === true) recursiveAnchors += 1
    for (const key of Object.keys(value)) {
      if (!DATA_KEYWORDS.has(key)) waiting.push({ value: value[key], resource })
    }
  }
  const isPartial = waiting.length > MAX_INDEXED
  for (const anchor of isPartial ? dynamicAnchors.keys() : []) dynamicAnchors.set(anchor, Infinity)
  return { resourceByUri, schemaByAnchor, dynamicAnchors, recursiveAnchors: isPartial ? Infinity : recursiveAnchors }
}

function anchorsOf(schema: Record<string, unknown>): string[] {
  const anchors: string[] = []
  for (const key of ['$anchor', '$dynamicAnchor']) {
    const anchor = schema[key]
    if (typeof anchor === 'string') anchors.push(anchor)
  }
  for (const key of ['$id', 'id']) {
    const id = schema[key]
    if (typeof id === 'string' && id.startsWith('#') && id.length > 1) anchors.push(id.slice(1))
  }
  return anchors
}

function absoluteId(schema: unknown, base: string): string | undefined {
  if (!isRecord(schema)) return undefined
  const id = schema['$id'] ?? schema['id']
  if (typeof id !== 'string' || id === '' || id.startsWith('#') || id.length > MAX_REF) return undefined
  const url = parseUrl(id, base)
  if (url === undefined) return undefined
  url.hash = ''
  return url.href
}

function parseUrl(ref: string, base: string): URL | undefined {
  return URL.canParse(ref, base) ? new URL(ref, base) : undefined
}

function decodeStep(step: string): string {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
