import type { z } from 'zod'
import { didYouMean } from '../data/nearest-names.ts'
import { isRecord } from '../data/json.ts'
import { kindOf } from '../importers/mcp-config.ts'
import { printableLine } from '../importers/printable.ts'
import { isOptionalAt, knownKeysAt } from './known-keys.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Parts of the file in which a value may be a secret that stands in the wrong place: none of them is ever shown. */
const SECRET_SECTIONS: readonly PropertyKey[] = ['tokens', 'mcpServers', 'openapi', 'http']
const MAX_SHOWN_VALUE = 60

/** One sentence for each fault: where it is, the rule, what was found, what to do next. */
export function explainIssues(issues: readonly Issue[], schema: z.ZodType, root: unknown): readonly string[] {
  return issues
    .filter((issue) => !issues.some((other) => other !== issue && saysMore(other, issue)))
    .flatMap((issue) => explain(issue, [], schema, root))
}

/** A number beyond all numbers is beyond its own limit, too: one fault, told with the limit that counts. */
function saysMore(other: Issue, issue: Issue): boolean {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return false
  if (other.code !== issue.code || placeOf(other.path) !== placeOf(issue.path)) return false
  if (other.code === 'too_big' && issue.code === 'too_big') return other.maximum < issue.maximum
  return other.code === 'too_small' && issue.code === 'too_small' && other.minimum > issue.minimum
}

function explain(issue: Issue, base: Path, schema: z.ZodType, root: unknown): readonly string[] {
  const path = [...base, ...issue.path]
  const where = placeOf(path)
  const value = at(root, path)
  if (issue.code === 'unrecognized_keys') {
    // `__proto__` is told of for the whole file, also where the schema does not look.
    return issue.keys.filter((key) => key !== '__proto__').map((key) => unknownKey(key, path, schema))
  }
  if (issue.code === 'invalid_union') return explainUnion(issue, path, schema, root)
  if (issue.code === 'invalid_key')
    return issue.issues.map((inner) => `${where}: the key ${messageOf(inner)}; rename it`)
  if (issue.code === 'custom') {
    const told = typeof issue.params?.found === 'string' ? issue.params.found : undefined
    const what = told ?? (isRecord(value) ? keysOf(value) : found(value, path))
    return [`${where}: ${issue.message}; found ${what}; ${advice(path, schema)}`]
  }
  if (value === undefined) return [`${where}: is missing; it ${messageOf(issue)}; add it`]
  return [`${where}: ${messageOf(issue)}; found ${found(value, path)}; ${advice(path, schema)}`]
}

/** The alternative that the value was meant to be says what is wrong with it; else all that could stand there. */
function explainUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
  schema: z.ZodType,
  root: unknown,
): readonly string[] {
  const value = at(root, path)
  if ('options' in issue && Array.isArray(issue.options)) {
    const words = issue.options.map((option) => JSON.stringify(option)).join(', ')
    return [`${placeOf(path)}: must be one of ${words}; found ${found(value, path)}; ${advice(path, schema)}`]
  }
  const meant = issue.errors.filter((errors) => !errors.some((one) => isWrongKind(one)))
  const nearest = meant.toSorted((a, b) => a.length - b.length)[0]
  if (nearest !== undefined) return nearest.flatMap((inner) => explain(inner, path, schema, root))
  const own = issue.message.startsWith('must ') ? issue.message : undefined
  const rule = own ?? `must be ${[...new Set(issue.errors.flat().map(wanted))].join(', or ')}`
  return [`${placeOf(path)}: ${rule}; found ${found(value, path)}; ${advice(path, schema)}`]
}

/** Whether an alternative cannot have been meant: the value itself, not something in it, is of another kind. */
function isWrongKind(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
}

function wanted(issue: Issue): string {
  return messageOf(issue).replace(/^must be /, '')
}

function unknownKey(key: string, path: Path, schema: z.ZodType): string {
  const known = knownKeysAt(schema, path)
  const near = didYouMean(key, known).trim()
  const next = known.length === 0 ? 'remove it' : `remove it; known here: ${known.join(', ')}`
  return `${placeOf([...path, key])}: there is no such key; ${near === '' ? next : lowerFirst(near)}`
}

/** As the end of a sentence. */
function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function messageOf(issue: Issue): string {
  if (/^(?:must|is) /.test(issue.message)) return issue.message
  if (issue.code === 'invalid_type') return `must be ${EXPECTED.get(issue.expected) ?? `a ${issue.expected}`}`
  if (issue.code === 'too_small') return `must ${sized(issue.origin, 'least', issue.minimum)}`
  if (issue.code === 'too_big') return `must ${sized(issue.origin, 'most', issue.maximum)}`
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  return `is not valid: ${issue.message}`
}

/** Kinds of values, as people call them. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['record', 'an object'],
  ['object', 'an object'],
  ['array', 'an array'],
])

function sized(origin: string, bound: 'least' | 'most', limit: number | bigint): string {
  switch (origin) {
    case 'string':
      return limit === 1 && bound === 'least' ? 'not be empty' : `have at ${bound} ${limit} characters`
    case 'array':
      return limit === 1 && bound === 'least' ? 'not be empty' : `have at ${bound} ${limit} elements`
    default:
      return `be at ${bound} ${limit}`
  }
}

/** What was found, without saying more than is safe: short texts and numbers outside the sections that may hold secrets. */
function found(value: unknown, path: Path): string {
  if (value === undefined) return 'nothing'
  const isOpen = path[0] === undefined || !SECRET_SECTIONS.includes(path[0])
  if (isOpen && (typeof value === 'number' || typeof value === 'boolean')) return JSON.stringify(value)
  if (isOpen && typeof value === 'string' && value.length <= MAX_SHOWN_VALUE)
    return JSON.stringify(printableLine(value))
  if (Array.isArray(value) && value.length === 0) return 'an empty array'
  return kindOf(value)
}

function keysOf(value: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(value).slice(0, 10)
  return keys.length === 0
    ? 'an empty object'
    : `an object with ${keys.map((key) => JSON.stringify(printableLine(key, 60))).join(', ')}`
}

function advice(path: Path, schema: z.ZodType): string {
  if (typeof path.at(-1) === 'number') return 'correct it, or take it out'
  return isOptionalAt(schema, path) ? 'correct it, or leave it out' : 'correct it'
}

function at(root: unknown, path: Path): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key]
  }
  return value
}

/** `policies.approval[0].tools`, as one would write it in a program. */
export function placeOf(path: Path): string {
  if (path.length === 0) return 'the file'
  let place = ''
  for (const key of path) {
    const name = String(key)
    if (typeof key === 'number') place += `[${key}]`
    else if (/^[A-Za-z_$][\w$]*$/.test(name)) place += place === '' ? name : `.${name}`
    else place += `[${JSON.stringify(printableLine(name, 80))}]`
  }
  return place
}
