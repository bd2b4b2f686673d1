import { SCHEMA_TYPES } from '../spec.ts'
import type { SchemaType } from '../spec.ts'
import type { Json } from '../../data/json.ts'
import { describeValue, listOf, quote, withArticle } from '../wording.ts'
import type { Keyword } from './keyword.ts'

export const type: Keyword = {
  name: 'type',
  compile(value, site, node) {
    if (!isSchemaType(value)) {
      const many = Array.isArray(value) ? '; for several types write oneOf' : ''
      site.problem(`type must be one of ${listOf(SCHEMA_TYPES.map(quote))}; got ${describeValue(value)}${many}`, 'type')
      return undefined
    }
    if (site.isRoot && site.role === 'parameters' && value !== 'object') {
      site.problem(`the parameters of a tool are one object; got type ${quote(value)}`, 'type')
    }
    node.summary = value
    const wanted = withArticle(value)
    return (found, visit) => {
      if (!isOfType(found, value)) visit.fail(value, `${visit.subject} must be ${wanted}; got ${describeValue(found)}`)
    }
  },
}

export function isSchemaType(value: Json | undefined): value is SchemaType {
  return SCHEMA_TYPES.some((word) => word === value)
}

/** An integer is any number without a fraction, as everywhere in JSON Schema. */
export function isOfType(value: Json, type: SchemaType): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
  }
}
