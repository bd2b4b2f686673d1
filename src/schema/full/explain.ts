import type { OutputUnit } from '@cfworker/json-schema'
import { isRecord } from '../../data/json.ts'
import type { Json } from '../../data/json.ts'
import { nearestNames } from '../../data/nearest-names.ts'
import { pointerKeys, pointerOf } from '../../data/pointer.ts'
import type { Violation } from '../violations.ts'
import { clip, describeValue, isList, listOf, quote, subjectOf, withArticle } from '../wording.ts'
import { HAS_DUPLICATES, isPrepared, NEVER } from './prepared.ts'
import type { PreparedNode, PreparedSchema } from './prepared.ts'
import { uriOf } from './references.ts'

const MAX_VIOLATIONS = 1_000
const REASONS_PER_BRANCH = 3
const MAX_SUGGESTIONS = 50

/**
 * Turns what the validator reports into violations. It reports a chain from the root down to each fault, and all faults
 * of all branches of an `anyOf` in one flat list; here the links of the chain are dropped and the branches told apart.
 */
export function explain(errors: readonly OutputUnit[], schema: PreparedSchema, value: Json): readonly Violation[] {
  const explainer = new Explainer(schema, value)
  const violations = explainer.explain(errors)
  if (violations.length > 0) return violations.slice(0, MAX_VIOLATIONS)
  return [
    {
      path: '',
      expected: 'a value the schema accepts',
      received: describeValue(value),
      message: 'the value does not match the schema',
    },
  ]
}

/** A fault, with what is needed to talk about it. */
interface Fault {
  readonly keyword: string
  readonly node: PreparedNode
  readonly keys: readonly (string | number)[]
  readonly found: Json | undefined
  readonly location: readonly string[]
}

class Explainer {
  readonly #schema: PreparedSchema
  readonly #value: Json
  readonly #nodes = new Map<string, PreparedNode | undefined>()
  #suggestionsLeft = MAX_SUGGESTIONS

  constructor(schema: PreparedSchema, value: Json) {
    this.#schema = schema
    this.#value = value
  }

  explain(errors: readonly OutputUnit[]): Violation[] {
    const violations: Violation[] = []
    let index = 0
    while (index < errors.length && violations.length <= MAX_VIOLATIONS) {
      const error = errors[index]! // Below the length.
      let end = index + 1
      if (SPEAKS_FOR_ALL_BELOW.has(error.keyword)) {
        while (end < errors.length && errors[end]!.keywordLocation.startsWith(`${error.keywordLocation}/`)) end++
      } else if (error.keyword === 'required' || error.keyword === 'dependentRequired') {
        // One error a missing name, all alike: the names are looked up once.
        while (end < errors.length && isSamePlace(errors[end]!, error)) end++
      }
      violations.push(...this.#one(error, errors.slice(index + 1, end)))
      index = end
    }
    return violations
  }

  #one(error: OutputUnit, below: readonly OutputUnit[]): Violation[] {
    if (LINKS.has(error.keyword)) return []
    const fault = this.#fault(error)
    if (fault === undefined) return [this.#vague(error)]
    switch (error.keyword) {
      case 'anyOf':
      case 'oneOf':
        return this.#choice(error, fault, below)
      case 'required':
        return this.#missing(fault, names(fault.node['required']), '')
      case 'dependentRequired':
        return this.#dependent(fault)
      case 'propertyNames':
        return this.#propertyNames(fault, below)
      case 'not':
        return [
          fault.node[NEVER] === true
            ? this.#forbidden(fault)
            : violation(fault, 'something else', 'must not match its "not" schema'),
        ]
      default: {
        const expected = expectation(fault)
        return [violation(fault, expected, `must ${mustBe(error.keyword, expected)}`)]
      }
    }
  }

  #choice(error: OutputUnit, fault: Fault, below: readonly OutputUnit[]): Violation[] {
    const total = (fault.node[error.keyword] as unknown[]).length // A prepared anyOf or oneOf.
    const branches = new Map<string, OutputUnit[]>()
    for (const unit of below) {
      const branch = unit.keywordLocation.slice(error.keywordLocation.length + 1).split('/', 1)[0] ?? ''
      const group = branches.get(branch)
      if (group === undefined) branches.set(branch, [unit])
      else group.push(unit)
    }
    if (branches.size < total) {
      const matching = total - branches.size
      return [
        violation(
          fault,
          `exactly one of ${total} forms`,
          `must match exactly one of ${total} forms; it matches ${matching}`,
        ),
      ]
    }
    return this.#explainBranches(fault, [...branches.values()])
  }

  #explainBranches(fault: Fault, branches: readonly (readonly OutputUnit[])[]): Violation[] {
    const told = branches.map((branch) => this.explain(branch))
    const here = pointerOf(fault.keys)
    const isTypeOnly = (branch: readonly Violation[]) => branch.length === 1 && branch[0]?.path === here
    if (told.every(isTypeOnly)) {
      const expected = listOf([...new Set(told.flat().map((each) => each.expected))])
      return [violation(fault, expected, `must ${mustBe(TYPE_WORDS.test(expected) ? 'type' : 'anyOf', expected)}`)]
    }
    // A value of the right kind for one form only was meant for that form.
    const meant = told.filter((branch) => !branch.some((each) => each.path === here && isTypeFault(each)))
    if (meant.length === 1) return [...meant[0]!]
    const forms = told.map(
      (branch, index) =>
        `form ${index + 1}: ${clip(
          branch
            .slice(0, REASONS_PER_BRANCH)
            .map(({ message }) => message)
            .join(', '),
          300,
        )}`,
    )
    const subject = subjectOf(fault.keys)
    return [
      {
        path: here,
        expected: `one of ${told.length} forms`,
        received: describeValue(fault.found),
        message: clip(`${subject} matches none of its ${told.length} forms: ${forms.join('; ')}`),
      },
    ]
  }

  #missing(fault: Fault, wanted: readonly string[], because: string): Violation[] {
    const { found, node, keys } = fault
    if (!isRecord(found)) return []
    const declared = isRecord(node['properties']) ? node['properties'] : {}
    const strangers = Object.keys(found).filter((key) => !Object.hasOwn(declared, key))
    return wanted
      .filter((name) => !Object.hasOwn(found, name))
      .map((name) => {
        const at = [...keys, name]
        const near = strangers.length === 0 ? undefined : this.#nearest(name, strangers)
        const hint = near === undefined ? '' : `; got ${quote(near)} instead`
        const message = `missing required property ${subjectOf(at)}${because}${hint}`
        return { path: pointerOf(at), expected: 'a value', received: 'missing', message }
      })
  }

  #dependent(fault: Fault): Violation[] {
    const { found, node } = fault
    const dependent = node['dependentRequired']
    if (!isRecord(found) || !isRecord(dependent)) return []
    return Object.keys(dependent)
      .filter((name) => Object.hasOwn(found, name))
      .flatMap((name) => this.#missing(fault, names(dependent[name]), ` (needed with ${quote(name)})`))
  }

  #propertyNames(fault: Fault, below: readonly OutputUnit[]): Violation[] {
    const wrong = new Set(below.map((unit) => unit.instanceLocation))
    return [...wrong].map((location) => {
      const keys = this.#keys(location)
      const received = quote(String(keys.at(-1)))
      const message = `property name ${received} does not match what names must be in ${subjectOf(fault.keys)}`
      return { path: pointerOf(keys), expected: 'a matching property name', received, message }
    })
  }

  /** The schema `false`: nothing may be there. Which keyword led to it says why. */
  #forbidden(fault: Fault): Violation {
    const { location, keys, found } = fault
    const via = location.at(-1)
    if (via === 'additionalProperties' || via === 'unevaluatedProperties') {
      const parent = this.#nodeAt(location.slice(0, -1))
      const declared = isRecord(parent?.['properties']) ? Object.keys(parent['properties']) : []
      const key = String(keys.at(-1))
      const near = this.#nearest(key, declared)
      const expected = declared.length === 0 ? 'no properties' : `only ${listOf(declared.map(quote), 20)}`
      const hint = near === undefined ? `allowed: ${expected}` : `did you mean ${quote(near)}?`
      return {
        path: pointerOf(keys),
        expected,
        received: quote(key),
        message: clip(`unknown property ${subjectOf(keys)}; ${hint}`),
      }
    }
    const message = `${subjectOf(keys)} must not be there; got ${describeValue(found)}`
    return { path: pointerOf(keys), expected: 'nothing', received: describeValue(found), message }
  }

  #vague(error: OutputUnit): Violation {
    const keys = this.#keys(error.instanceLocation)
    const message = `${subjectOf(keys)} does not match the schema (${error.keyword})`
    return {
      path: pointerOf(keys),
      expected: 'a value the schema accepts',
      received: describeValue(this.#at(keys)),
      message,
    }
  }

  #fault(error: OutputUnit): Fault | undefined {
    const location = decode(error.keywordLocation).slice(0, -1)
    const node = this.#nodeAt(location)
    if (node === undefined) return undefined
    const keys = this.#keys(error.instanceLocation)
    return { keyword: error.keyword, node, keys, found: this.#at(keys), location }
  }

  /** The prepared schema at the end of a path of keywords, through references. */
  #nodeAt(location: readonly string[]): PreparedNode | undefined {
    const known = JSON.stringify(location)
    if (this.#nodes.has(known)) return this.#nodes.get(known)
    let at: unknown = this.#schema.root
    for (const token of location) {
      if (isPrepared(at) && token === '$ref') at = this.#schema.lookup[uriOf(at)]
      else if (typeof at === 'object' && at !== null && Object.hasOwn(at, token))
        at = (at as Record<string, unknown>)[token]
      else at = undefined
    }
    const node = isPrepared(at) ? at : undefined
    this.#nodes.set(known, node)
    return node
  }

  /** Keys of a place in the value; those of arrays as numbers. */
  #keys(instanceLocation: string): (string | number)[] {
    let at: Json | undefined = this.#value
    return decode(instanceLocation).map((key) => {
      const isIndex = at !== undefined && isList(at)
      at =
        typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Record<string, Json>)[key] : undefined
      return isIndex ? Number(key) : key
    })
  }
  #at(keys: readonly (string | number)[]): Json | undefined {
    let at: Json | undefined = this.#value
    for (const key of keys) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
      at = (at as Record<string, Json>)[key]
    }
    return at
  }
  #nearest(wanted: string, known: readonly string[]): string | undefined {
    return this.#suggestionsLeft-- > 0 ? nearestNames(wanted, known, 1)[0] : undefined
  }
}

/** Reported besides the faults below them, and saying nothing more. */
const LINKS = new Set(
  [
    '$ref $recursiveRef allOf if dependentSchemas',
    'properties patternProperties additionalProperties unevaluatedProperties',
    'prefixItems items additionalItems unevaluatedItems',
  ].flatMap((words) => words.split(' ')),
)
const NO_DUPLICATES = 'an array without duplicates'
const SPEAKS_FOR_ALL_BELOW = new Set(['anyOf', 'oneOf', 'propertyNames'])

function violation(fault: Fault, expected: string, must: string): Violation {
  const received = describeValue(fault.found)
  return {
    path: pointerOf(fault.keys),
    expected,
    received,
    message: clip(`${subjectOf(fault.keys)} ${must}; got ${received}`),
  }
}

/** What the keyword allows, in words. */
function expectation({ keyword, node, found }: Fault): string {
  if (node[HAS_DUPLICATES] === true) return NO_DUPLICATES
  const operand = node[keyword]
  const bound = String(operand)
  switch (keyword) {
    case 'type':
      return listOf(Array.isArray(operand) ? operand.map(String) : [bound])
    case 'const':
      return describeValue(operand as Json)
    case 'enum':
      return `one of ${listOf((operand as Json[]).map(describeValue), 30)}`
    case 'minimum':
      return `at least ${bound}`
    case 'maximum':
      return `at most ${bound}`
    case 'exclusiveMinimum':
      return `more than ${bound}`
    case 'exclusiveMaximum':
      return `less than ${bound}`
    case 'multipleOf':
      return `a multiple of ${bound}`
    case 'minLength':
      return `at least ${bound} characters long`
    case 'maxLength':
      return `at most ${bound} characters long`
    case 'pattern':
      return `text that matches ${quote(bound)}`
    case 'minItems':
      return `an array of at least ${bound}`
    case 'maxItems':
      return `an array of at most ${bound}`
    case 'uniqueItems':
      return NO_DUPLICATES
    case 'minProperties':
      return `an object with at least ${bound} properties`
    case 'maxProperties':
      return `an object with at most ${bound} properties`
    case 'minContains':
      return `an array with at least ${bound} matching items`
    case 'maxContains':
      return `an array with at most ${bound} matching items`
    case 'contains':
      return 'an array with a matching item'
    default:
      return found === undefined ? 'a value' : `what "${keyword}" allows`
  }
}

function mustBe(keyword: string, expected: string): string {
  return keyword === 'type' ? `be ${expected.split(', ').map(article).join(', ')}` : `be ${expected}`
}
function article(words: string): string {
  return words.split(' or ').map(withArticle).join(' or ')
}

/** Whether the branch failed by the kind of the value, as its message of that kind tells. */
function isTypeFault(each: Violation): boolean {
  return TYPE_WORDS.test(each.expected)
}
const TYPE_WORDS = /^(?:(?:object|array|string|number|integer|boolean|null)(?:, | or )?)+$/

function isSamePlace(one: OutputUnit, other: OutputUnit): boolean {
  return (
    one.keyword === other.keyword &&
    one.keywordLocation === other.keywordLocation &&
    one.instanceLocation === other.instanceLocation
  )
}

/** Tokens of a location: a URI fragment that holds a JSON Pointer. */
function decode(location: string): string[] {
  return pointerKeys(decodeURIComponent(location.slice(1)))
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
