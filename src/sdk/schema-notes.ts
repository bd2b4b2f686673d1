import { isRecord } from '../data/json.ts'
import { shortJson } from './short-json.ts'

/**
 * What a schema demands and TypeScript cannot say, as short terms: `1–500 items`, `≥ 0`, `/^x-/`, `=10`. What the
 * printed type already says is not repeated here.
 */
export function termsOf(schema: Record<string, unknown>, says: { readonly isInteger: boolean }): string[] {
  if (!says.isInteger && !Object.keys(schema).some(isTelling)) return []
  const terms: string[] = []
  const add = (term: string | undefined): void => {
    if (term !== undefined && !terms.includes(term)) terms.push(term)
  }
  if (says.isInteger) add('int')
  add(numberBounds(schema))
  add(countBounds(schema['minLength'], schema['maxLength'], 'chars'))
  add(countBounds(schema['minItems'], schema['maxItems'], 'items'))
  add(countBounds(schema['minProperties'], schema['maxProperties'], 'keys'))
  const { format, pattern, multipleOf, uniqueItems, propertyNames, contentEncoding, contains } = schema
  if (typeof format === 'string') add(format.slice(0, 40))
  if (typeof contentEncoding === 'string') add(contentEncoding.slice(0, 40))
  if (typeof pattern === 'string') add(regex(pattern))
  if (typeof multipleOf === 'number') add(`multiple of ${multipleOf}`)
  if (uniqueItems === true) add('unique')
  if (contains !== undefined && schema['minContains'] !== 0) add('must hold certain items')
  if (isRecord(propertyNames)) add(keysNote(propertyNames))
  for (const note of patternNotes(schema['patternProperties'])) add(note)
  for (const note of dependencyNotes(schema)) add(note)
  add(conditionNote(schema))
  add(exclusionNote(schema['not']))
  if (schema['deprecated'] === true) add('deprecated')
  if (Object.hasOwn(schema, 'default') && schema['default'] !== undefined) add(`=${shortJson(schema['default'], 60)}`)
  if (Array.isArray(schema['examples']) && schema['examples'].length > 0)
    add(`e.g. ${shortJson(schema['examples'][0], 60)}`)
  return terms
}

/** Most schemas use nothing but these, which have no term of their own. */
const SILENT = new Set(['type', 'description', 'title', 'properties', 'required', 'items', 'enum', 'const', '$schema'])
function isTelling(keyword: string): boolean {
  return !SILENT.has(keyword) && keyword !== 'additionalProperties'
}

function numberBounds(schema: Record<string, unknown>): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  // Draft 4 says `exclusiveMinimum: true` beside `minimum`; later drafts give the bound itself.
  const above =
    typeof exclusiveMinimum === 'number' ? exclusiveMinimum : exclusiveMinimum === true ? minimum : undefined
  const below =
    typeof exclusiveMaximum === 'number' ? exclusiveMaximum : exclusiveMaximum === true ? maximum : undefined
  const low = boundText(above ?? minimum, above === undefined ? '≥ ' : '> ')
  const high = boundText(below ?? maximum, below === undefined ? '≤ ' : '< ')
  if (low?.startsWith('≥ ') && high?.startsWith('≤ ')) return `${low.slice(2)}–${high.slice(2)}`
  return low === undefined ? high : high === undefined ? low : `${low}, ${high}`
}

/** Bounds that every exact integer keeps anyway are noise of a generator. */
function boundText(bound: unknown, sign: string): string | undefined {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? `${sign}${bound}` : undefined
}

function countBounds(min: unknown, max: unknown, unit: string): string | undefined {
  const low = typeof min === 'number' && min > 0 ? min : undefined
  const high = typeof max === 'number' && Math.abs(max) < Number.MAX_SAFE_INTEGER ? max : undefined
  if (low !== undefined && high !== undefined) return low === high ? `${low} ${unit}` : `${low}–${high} ${unit}`
  if (high !== undefined) return `≤ ${high} ${unit}`
  if (low === undefined) return undefined
  return low === 1 ? 'not empty' : `≥ ${low} ${unit}`
}

function regex(pattern: string): string {
  return pattern.length <= 60 ? `/${pattern}/` : `/${pattern.slice(0, 59)}…/`
}

function keysNote(names: Record<string, unknown>): string | undefined {
  if (Array.isArray(names['enum']))
    return `keys: ${names['enum']
      .slice(0, 12)
      .map((name) => shortJson(name, 30))
      .join(', ')}`
  if (typeof names['pattern'] === 'string') return `keys ${regex(names['pattern'])}`
  return countBounds(names['minLength'], names['maxLength'], 'chars a key')?.replace('not empty', 'keys not empty')
}

function patternNotes(patterns: unknown): string[] {
  if (!isRecord(patterns)) return []
  return Object.keys(patterns)
    .slice(0, 4)
    .map((pattern) => `keys ${regex(pattern)}${typeNote(patterns[pattern])}`)
}

function typeNote(schema: unknown): string {
  return isRecord(schema) && typeof schema['type'] === 'string' ? `: ${schema['type'].slice(0, 20)}` : ''
}

function dependencyNotes(schema: Record<string, unknown>): string[] {
  const notes: string[] = []
  for (const keyword of ['dependentRequired', 'dependencies', 'dependentSchemas']) {
    const rules = schema[keyword]
    if (!isRecord(rules)) continue
    for (const key of Object.keys(rules).slice(0, 4)) {
      const rule = rules[key]
      const needed = Array.isArray(rule) ? rule : isRecord(rule) ? rule['required'] : undefined
      const names = nameList(needed)
      notes.push(names === undefined ? `more rules when ${key} is given` : `${key} needs ${names}`)
    }
  }
  return notes
}

/** `if`/`then` in its usual form: one key with one value makes others required. */
function conditionNote(schema: Record<string, unknown>): string | undefined {
  const condition = schema['if']
  if (condition === undefined) return undefined
  const then = nameList(isRecord(schema['then']) ? schema['then']['required'] : undefined)
  const otherwise = nameList(isRecord(schema['else']) ? schema['else']['required'] : undefined)
  const when = conditionText(condition)
  if (when === undefined || (then === undefined && otherwise === undefined)) {
    return schema['then'] === undefined && schema['else'] === undefined ? undefined : 'more rules (if/then)'
  }
  const rules: string[] = []
  if (then !== undefined) rules.push(`${then} required when ${when}`)
  if (otherwise !== undefined) rules.push(`${otherwise} required unless ${when}`)
  return rules.join(', ')
}

function conditionText(condition: unknown): string | undefined {
  if (!isRecord(condition)) return undefined
  const { properties, required } = condition
  const tests: string[] = []
  if (isRecord(properties)) {
    for (const key of Object.keys(properties).slice(0, 3)) {
      const test = properties[key]
      if (!isRecord(test)) return undefined
      if (Object.hasOwn(test, 'const')) tests.push(`${key} = ${shortJson(test['const'], 30)}`)
      else if (Array.isArray(test['enum'])) {
        tests.push(
          `${key} is ${test['enum']
            .slice(0, 6)
            .map((value) => shortJson(value, 30))
            .join(' or ')}`,
        )
      } else return undefined
    }
  }
  if (tests.length > 0) return tests.join(' and ')
  const names = nameList(required)
  return names && `${names} is given`
}

function exclusionNote(not: unknown): string | undefined {
  if (!isRecord(not)) return undefined
  if (Object.hasOwn(not, 'const')) return `not ${shortJson(not['const'], 40)}`
  if (Array.isArray(not['enum']))
    return `not ${not['enum']
      .slice(0, 6)
      .map((value) => shortJson(value, 30))
      .join(', ')}`
  const names = nameList(not['required'])
  if (names !== undefined) return `not with ${names}`
  return Object.keys(not).length === 0 ? undefined : 'some values excluded'
}

function nameList(names: unknown): string | undefined {
  if (!Array.isArray(names) || names.length === 0) return undefined
  const words = names.filter((name): name is string => typeof name === 'string').map((name) => name.slice(0, 60))
  return words.length === 0 ? undefined : words.slice(0, 8).join(', ')
}

/** The description, or a title that says more than the key it stands at. */
export function descriptionOf(schema: Record<string, unknown>, key: string): string | undefined {
  const { description, title } = schema
  if (typeof description === 'string' && description.trim() !== '') return description
  if (typeof title !== 'string') return undefined
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return plain(title.slice(0, 200)) === plain(key) || title.trim() === '' ? undefined : title
}

/** `not: {}`, by which generators say "never". */
export function excludesAll(not: unknown): boolean {
  return not === true || (isRecord(not) && Object.keys(not).length === 0)
}

/** What still counts beside a reference that hides the rest. */
export function annotationTerms(schema: Record<string, unknown>): readonly string[] {
  return Object.hasOwn(schema, 'default') ? termsOf({ default: schema['default'] }, { isInteger: false }) : []
}
