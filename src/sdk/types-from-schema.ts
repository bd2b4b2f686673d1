import { isRecord } from '../data/json.ts'
import { choiceText } from './choice-text.ts'
import { intersectionOf, looseNode, unionOf } from './combine-types.ts'
import { indexBeside } from './index-signature.ts'
import { createTypeInterner } from './intern-types.ts'
import { literalsOf } from './literal-types.ts'
import { ARRAY_KEYWORDS, COMBINING, isLegacyDraft, OBJECT_KEYWORDS, unevaluated } from './schema-keywords.ts'
import { annotationTerms, descriptionOf, excludesAll, termsOf } from './schema-notes.ts'
import {
  costOfLiterals,
  keysToShow,
  MAX_BRANCHES,
  MAX_DEPTH,
  MAX_MEMBERS,
  MAX_SUBSCHEMAS,
  MAX_TUPLE,
  MAX_WARNINGS,
} from './schema-limits.ts'
import { below, beside, itemHint, pointerTo } from './schema-place.ts'
import type { Place } from './schema-place.ts'
import { docOf, eitherOf } from './schema-reading.ts'
import type { Reading } from './schema-reading.ts'
import { createRefResolver } from './schema-refs.ts'
import type { ResolvedRef } from './schema-refs.ts'
import { tupleOf } from './tuple-types.ts'
import { leadsBack, refusedKeys } from './type-questions.ts'
import { readType, wordNode } from './type-words.ts'
import type { Doc, Member, NamedType, ObjectNode, TypeNode, WordNode } from './type-tree.ts'
import { ANY, isNever, NEVER, NULL, UNKNOWN } from './type-tree.ts'

export interface SchemaWarning {
  /** JSON Pointer into the schema. */
  readonly pointer: string
  readonly reason: string
}
export interface SchemaType {
  readonly node: TypeNode
  /** The root's own description and what its type cannot say. */
  readonly doc: Doc
  readonly warnings: readonly SchemaWarning[]
}
export interface SchemaTypeOptions {
  /** Arguments are `unknown` where nothing is known, results `any`: no correct program is refused. */
  readonly direction: 'input' | 'output'
  /** Whether these are the arguments of a tool: an object by protocol, whatever the root says. */
  readonly isArguments?: boolean
  /** What the whole is called, should it need a name. */
  readonly hint: string
}

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype).filter((key) => !key.startsWith('__')))

interface Target {
  readonly type: NamedType
  readonly guard: number
  isRecursive: boolean
  reading?: Reading
}

/**
 * The type of everything a schema accepts. Total: whatever a spot holds, it becomes at worst `unknown` (`any` in
 * results) with a warning. The type is never narrower than the schema, but for two habits on purpose: arguments are
 * printed closed, and a result's member with a default counts as present.
 */
export function typeFromSchema(schema: unknown, options: SchemaTypeOptions): SchemaType {
  const isInput = options.direction === 'input'
  const top: WordNode = isInput ? UNKNOWN : ANY
  const interner = createTypeInterner()
  const isLegacy = isLegacyDraft(schema)
  const refs = createRefResolver(schema, isLegacy)
  const warnings: SchemaWarning[] = []
  const targetByPlace = new Map<unknown, Target>()
  const seenForeignWords = new Set<string>()
  let subschemas = 0
  let isSpent = false

  const warn = (place: Place, reason: string): void => {
    if (warnings.length < MAX_WARNINGS) warnings.push({ pointer: pointerTo(place), reason })
  }
  const widened = (place: Place, reason: string): Reading => {
    warn(place, reason)
    return { node: top, terms: [], height: 0 }
  }
  function read(schema: unknown, place: Place): Reading {
    if (schema === true) return { node: top, terms: [], height: 0 }
    if (schema === false) return { node: NEVER, terms: [], height: 0 }
    if (!isRecord(schema)) return widened(place, 'a schema must be an object or a boolean')
    if (place.depth > MAX_DEPTH) return widened(place, `nested deeper than ${MAX_DEPTH} levels`)
    subschemas += 1
    if (subschemas > MAX_SUBSCHEMAS) {
      if (!isSpent) warn(place, `more than ${MAX_SUBSCHEMAS} subschemas: the rest is not typed`)
      isSpent = true
      return { node: top, terms: [], height: 0 }
    }
    const resource = refs.resourceOf(schema, place.resource)
    return readKeywords(schema, resource === place.resource ? place : { ...place, resource })
  }

  function readKeywords(schema: Record<string, unknown>, place: Place): Reading {
    if (!Object.keys(schema).some((keyword) => COMBINING.has(keyword))) {
      const own = readOwn(schema, place)
      const text = descriptionOf(schema, place.hint) ?? own.text
      return text === own.text
        ? own
        : { node: own.node, ...(text !== undefined && { text }), terms: own.terms, height: own.height }
    }
    const hasRef = typeof schema['$ref'] === 'string'
    // Up to draft 7 a reference hides every constraint beside it; only the annotations still speak.
    const own = hasRef && isLegacy ? undefined : readOwn(schema, place)
    const parts: Reading[] = own === undefined ? [] : [own]
    const terms = new Set(own?.terms)
    const texts: (string | undefined)[] = []

    if (typeof schema['$ref'] === 'string') {
      const target = readRef(schema['$ref'], beside(place, '$ref'))
      parts.push(target)
      texts.push(target.text)
    }
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (schema[keyword] === undefined || isLegacy) continue
      const target = readDynamicRef(schema[keyword], beside(place, keyword))
      parts.push(target)
      texts.push(target.text)
    }
    if (own !== undefined) {
      const all = branchesOf(schema, 'allOf', place)
      if (all.length > MAX_BRANCHES) warn(place, `more than ${MAX_BRANCHES} in "allOf": the rest is not typed`)
      for (const [at, branch] of all.slice(0, MAX_BRANCHES).entries()) {
        const part = read(branch, beside(place, `allOf/${at}`))
        noteClosedParts(parts, part, place, terms)
        parts.push(part)
        texts.push(part.text)
      }
      for (const keyword of ['anyOf', 'oneOf'] as const) {
        const choice = readChoice(schema, keyword, place)
        if (choice === undefined) continue
        parts.push(choice)
        texts.push(choice.text)
      }
    }

    let node: TypeNode = top
    let height = 0
    for (const part of parts) {
      const both = intersectionOf(node, part.node, interner)
      if (isNever(both) && !isNever(node) && !isNever(part.node)) {
        warn(place, 'the parts of the schema contradict each other: no value fits')
        terms.add('no value fits')
      }
      node = both
      height = Math.max(height, part.height)
      for (const term of part.terms) terms.add(term)
    }
    if (hasRef && isLegacy) for (const term of annotationTerms(schema)) terms.add(term)
    const text = descriptionOf(schema, place.hint) ?? texts.find((found) => found !== undefined)
    return { node, ...(text !== undefined && { text }), terms: [...terms], height }
  }

  /** `type`, `enum`, `const` and the keywords of objects and arrays, without references and combinations. */
  function readOwn(schema: Record<string, unknown>, place: Place): Reading {
    if (excludesAll(schema['not'])) return { node: NEVER, terms: [], height: 0 }
    const { words, foreign } = readType(schema['type'])
    for (const word of foreign) {
      if (seenForeignWords.has(word)) continue
      seenForeignWords.add(word)
      warn(place, `"${word}" is no type of JSON Schema`)
    }
    const isInteger = words?.includes('integer') === true && !words.includes('number') && !Object.hasOwn(schema, 'enum')
    const terms = termsOf(schema, { isInteger })

    const [first] = words ?? []
    const isScalar = words?.length === 1 && first !== 'object' && first !== 'array' && schema['nullable'] !== true
    if (isScalar && first !== undefined && schema['enum'] === undefined && schema['const'] === undefined) {
      return { node: wordNode(first, top), terms, height: 0 }
    }
    const literals = literalsOf(schema, words, top, interner)
    if (literals !== undefined) {
      if (literals.warning !== undefined) warn(place, literals.warning)
      if (literals.term !== undefined) terms.push(literals.term)
      subschemas += costOfLiterals(literals.chars)
      const nullable = schema['nullable'] === true ? [NULL] : []
      return { node: unionOf([literals.node, ...nullable], interner), terms, height: 1 }
    }

    let height = 0
    const reach = (reading: Reading): TypeNode => {
      height = Math.max(height, reading.height)
      for (const term of reading.terms) if (!terms.includes(term)) terms.push(term)
      return reading.node
    }
    if (words === undefined) {
      const has = (keywords: readonly string[]): boolean => keywords.some((keyword) => schema[keyword] !== undefined)
      const object = has(OBJECT_KEYWORDS) ? reach(readObject(schema, place)) : undefined
      const array = has(ARRAY_KEYWORDS) ? reach(readArray(schema, place)) : undefined
      return { node: looseNode(object, array, top), terms, height }
    }
    let text: string | undefined
    const nodes = words.map((word) => {
      if (word === 'object') return reach(readObject(schema, place))
      if (word === 'array') {
        const reading = readArray(schema, place)
        text = reading.text
        return reach(reading)
      }
      return wordNode(word, top)
    })
    if (schema['nullable'] === true) nodes.push(NULL)
    return { node: unionOf(nodes, interner), ...(text !== undefined && { text }), terms, height }
  }

  function readObject(schema: Record<string, unknown>, place: Place): Reading {
    const declared = isRecord(schema['properties']) ? schema['properties'] : {}
    if (schema['properties'] !== undefined && declared !== schema['properties']) {
      warn(below(place, 'properties', place.hint), '"properties" must be an object')
    }
    const required = new Set<string>()
    if (Array.isArray(schema['required'])) {
      for (const key of schema['required']) if (typeof key === 'string') required.add(key)
    }
    const members: Member[] = []
    const terms: string[] = []
    let height = 0
    const keys = Object.keys(declared)
    const shown = keysToShow(keys, required)
    for (const key of shown) {
      const subschema = declared[key]
      const reading = read(subschema, below(place, 'properties', key, key))
      height = Math.max(height, reading.height)
      const hasDefault = isRecord(subschema) && Object.hasOwn(subschema, 'default')
      const isOptional = hasDefault ? isInput : !required.has(key)
      // TypeScript finds these on every object, so leaving one out would count as giving it the wrong type.
      const isInherited = isOptional && INHERITED.has(key)
      if (isInherited) warn(place, `"${key}" is on every object in TypeScript: not typed`)
      members.push({ key, node: isInherited ? top : reading.node, isOptional, ...docOf(reading) })
    }
    const undeclared = [...required].filter((key) => !Object.hasOwn(declared, key))
    const added = keysToShow(undeclared, required).slice(0, Math.max(0, MAX_MEMBERS - members.length))
    for (const key of added) members.push({ key, node: top, isOptional: false })
    subschemas += added.length
    const hidden = keys.length - shown.length + undeclared.length - added.length
    if (hidden > 0) {
      warn(place, `more than ${MAX_MEMBERS} keys, or too long ones: ${hidden} are not typed`)
      terms.push(`${hidden} more keys`)
    }
    const index = hidden > 0 ? { node: top, terms: [], height: 0 } : readIndex(schema, place)
    if (index !== undefined) height = Math.max(height, index.height)
    const node: ObjectNode = {
      kind: 'object',
      members,
      ...(schema['additionalProperties'] !== false && index === undefined && { open: top }),
      ...(index !== undefined && { index: indexBeside(index.node, members, { terms, top, interner }) }),
      hint: place.hint,
    }
    if (index !== undefined) for (const term of index.terms) terms.push(`values ${term}`)
    return { node, terms, height: height + 1 }
  }

  /** What keys other than the declared ones may hold; `undefined` when the schema does not speak of them or forbids them. */
  function readIndex(schema: Record<string, unknown>, place: Place): Reading | undefined {
    const additional = schema['additionalProperties'] ?? unevaluated(schema, 'unevaluatedProperties', isLegacy)
    const patterns = isRecord(schema['patternProperties']) ? schema['patternProperties'] : {}
    const keys = Object.keys(patterns)
    if (keys.length > MAX_BRANCHES) return widened(place, `more than ${MAX_BRANCHES} patterns of keys: not typed`)
    if (additional === undefined && keys.length === 0) return undefined
    const readings = keys.map((key) => read(patterns[key], below(place, 'patternProperties', place.hint, key)))
    if (additional !== false) {
      // A pattern beside silence: every other key is free.
      readings.push(read(additional ?? true, below(place, 'additionalProperties', `${place.hint} value`)))
    }
    if (readings.length === 0) return undefined
    return eitherOf(readings, interner)
  }

  function readArray(schema: Record<string, unknown>, place: Place): Reading {
    const { prefixItems, items, additionalItems, minItems, maxItems } = schema
    const prefix = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
    const others = prefix !== undefined && prefix === items ? additionalItems : Array.isArray(items) ? undefined : items
    const rest = read(
      others ?? unevaluated(schema, 'unevaluatedItems', isLegacy) ?? true,
      below(place, 'items', itemHint(place.hint)),
    )
    const terms = rest.terms.map((term) => `each ${term}`)
    const text = rest.text === undefined ? {} : { text: rest.text }
    if (prefix === undefined) {
      const node: TypeNode = isNever(rest.node)
        ? { kind: 'tuple', items: [], required: 0 }
        : { kind: 'array', items: rest.node }
      return { node, ...text, terms, height: rest.height + 1 }
    }
    const first = prefix
      .slice(0, MAX_TUPLE)
      .map((item, at) => read(item, below(place, `prefixItems/${at}`, itemHint(place.hint))))
    const height = 1 + Math.max(rest.height, ...first.map((reading) => reading.height))
    const nodes = first.map((reading) => reading.node)
    if (prefix.length > MAX_TUPLE) {
      warn(place, `more than ${MAX_TUPLE} tuple items: not typed one by one`)
      return { node: { kind: 'array', items: top }, terms, height }
    }
    return { node: tupleOf(nodes, rest.node, minItems, maxItems), terms, height }
  }

  function readChoice(schema: Record<string, unknown>, keyword: 'anyOf' | 'oneOf', place: Place): Reading | undefined {
    const branches = branchesOf(schema, keyword, place)
    if (branches.length === 0) return undefined
    if (branches.length > MAX_BRANCHES) return widened(place, `more than ${MAX_BRANCHES} in "${keyword}": not typed`)
    const readings = branches.map((branch, at) => read(branch, beside(place, `${keyword}/${at}`)))
    const text = choiceText(readings)
    return { ...eitherOf(readings, interner), ...(text !== undefined && { text }) }
  }

  function branchesOf(schema: Record<string, unknown>, keyword: string, place: Place): readonly unknown[] {
    const branches = schema[keyword]
    if (branches === undefined) return []
    if (Array.isArray(branches) && branches.length > 0) return branches
    warn(place, `"${keyword}" must be a list of schemas`)
    return []
  }

  function readRef(ref: string, place: Place): Reading {
    const found = refs.resolve(ref, place.resource)
    if (found === undefined) return widened(place, `"${ref.slice(0, 100)}" names nothing in this schema`)
    return readFound(found, place)
  }

  function readDynamicRef(ref: unknown, place: Place): Reading {
    const found = typeof ref === 'string' ? refs.resolveDynamic(ref, place.resource) : undefined
    if (found === undefined) return widened(place, 'what a dynamic reference names depends on the way to it')
    return readFound(found, place)
  }

  function readFound(found: ResolvedRef, place: Place): Reading {
    const hint = found.hint === 'self' || /^\d+$/.test(found.hint) ? place.hint : found.hint
    return readTarget(found.schema, found.place, { ...place, resource: found.resource, hint })
  }

  /** Each definition is read once; meeting it again while it is being read makes it a named type. */
  function readTarget(schema: unknown, key: unknown, place: Place): Reading {
    const known = targetByPlace.get(key)
    if (known?.reading !== undefined) {
      if (known.reading.height + place.depth <= MAX_DEPTH) return known.reading
      return widened(place, `nested deeper than ${MAX_DEPTH} levels`)
    }
    if (known !== undefined) {
      if (known.guard === place.guard) return widened(place, 'the reference leads back to itself')
      known.isRecursive = true
      return { node: { kind: 'named', type: known.type }, terms: [], height: 0 }
    }
    const target: Target = { type: { hint: place.hint }, guard: place.guard, isRecursive: false }
    targetByPlace.set(key, target)
    const whole = read(schema, place)
    // Two definitions may each be nothing but the other: no compiler takes such an alias, and no value decides it.
    const reading =
      target.isRecursive && leadsBack(whole.node, target.type)
        ? widened(place, 'the reference leads back to itself')
        : whole
    target.type.node = reading.node
    target.reading = target.isRecursive ? { ...reading, node: { kind: 'named', type: target.type } } : reading
    return target.reading
  }

  function noteClosedParts(earlier: readonly Reading[], part: Reading, place: Place, terms: Set<string>): void {
    for (const { node } of earlier) {
      const refused = [...refusedKeys(node, part.node), ...refusedKeys(part.node, node)]
      if (refused.length === 0) continue
      terms.add(`a closed part refuses ${refused.slice(0, 6).join(', ')}`)
      warn(place, `a closed part of "allOf" refuses keys of another: ${refused.slice(0, 6).join(', ')}`)
    }
  }

  const place: Place = {
    resource: refs.root,
    outer: undefined,
    step: '',
    key: undefined,
    hint: options.hint,
    depth: 0,
    guard: 0,
  }
  const root = readTarget(schema, schema, place)
  const node = options.isArguments === true ? asArguments(root.node) : root.node
  return { node, doc: { ...(root.text !== undefined && { text: root.text }), terms: root.terms }, warnings }

  function asArguments(node: TypeNode): TypeNode {
    const anyObject: TypeNode = { kind: 'object', members: [], open: top }
    const asObject = intersectionOf(node, anyObject, interner)
    if (!isNever(asObject)) return asObject
    warn(place, 'no object fits the schema, but arguments are always an object')
    return anyObject
  }
}
