import { isRecord } from '../data/json.ts'

export const OBJECT_KEYWORDS = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
]
export const ARRAY_KEYWORDS = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems']
/** Keywords by which other schemas speak of the same value. */
export const COMBINING = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf'])
/** Keywords by which a schema looks at the parts of a value through another schema. */
const LOOKING_ELSEWHERE = new Set([
  ...COMBINING,
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
  'contains',
])
const LEGACY_DRAFT = /json-schema\.org\/draft-0[3-7]\//

/** Up to draft 7 a reference hides its neighbours, and newer keywords mean nothing. */
export function isLegacyDraft(schema: unknown): boolean {
  return isRecord(schema) && typeof schema['$schema'] === 'string' && LEGACY_DRAFT.test(schema['$schema'])
}

/** What no other keyword has looked at. Where none but its neighbours look, it is `additionalProperties` or `items`. */
export function unevaluated(schema: Record<string, unknown>, keyword: string, isLegacy: boolean): unknown {
  return isLegacy || Object.keys(schema).some((one) => LOOKING_ELSEWHERE.has(one)) ? undefined : schema[keyword]
}
