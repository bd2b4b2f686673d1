import { canonicalJson } from '../../data/canonical.ts'
import { isRecord, type Json, type JsonObject } from '../../data/json.ts'
import { isJsonType, isTextType } from '../http/encode-body.ts'
import type { Operation } from './document.ts'
import type { SchemaPool } from './schema-pool.ts'

const MAX_ALTERNATIVES = 10
/** No Content, Reset Content: HTTP itself lets them have no body. */
const BODILESS: ReadonlySet<string> = new Set(['204', '205'])
const NOTHING: JsonObject = { type: 'null' }

/**
 * The value of a success: the JSON of the 2xx answers. Where they have several shapes (a 202 beside a 200, a 204), it is any
 * of them, as a type that leaves one out would refuse a good answer, after the call took effect. Undefined: not described,
 * which one answer whose body is not described makes of all.
 */
export function readOutput(operation: Operation, pool: SchemaPool, uses: Set<string>): JsonObject | undefined {
  if (operation.method === 'head') return undefined
  const responses = operation.operation['responses']
  if (!isRecord(responses)) return undefined
  const statuses = Object.keys(responses).filter((status) => /^2(?:\d\d|XX)$/i.test(status))
  // `200` before `2XX`: digits sort before letters.
  const described = statuses
    .toSorted()
    .map((status) => responseSchema(status, pool.follow(responses[status] as Json), pool, uses)) // JSON.
  if (described.length === 0 || described.includes(undefined)) return undefined
  const distinct = [...new Map(described.map((schema) => [canonicalJson(schema ?? {}), schema ?? {}])).values()]
  const [only] = distinct
  if (distinct.length === 1) return only
  return distinct.length <= MAX_ALTERNATIVES ? { anyOf: distinct } : undefined
}

/** Whether all that is described is an answer without a body. One with a body is no reason to call the call a failure. */
export function isNothing(output: JsonObject): boolean {
  return output['type'] === 'null'
}

/** JSON in the API's own media type first; undefined: the usual. */
export function acceptedTypes(operation: Operation, pool: SchemaPool): string | undefined {
  const responses = operation.operation['responses']
  if (!isRecord(responses)) return undefined
  const own = Object.entries(responses as JsonObject)
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .flatMap(([, response]) => Object.keys(pool.follow(response)?.['content'] ?? {}))
    .find((mediaType) => isJsonType(mediaType) && /^[\w.+/-]+$/.test(mediaType) && mediaType !== 'application/json')
  return own === undefined ? undefined : `${own}, application/json;q=0.9, */*;q=0.5`
}

/** Undefined: anything. A description without `content` says nothing of a body, unless the status says that there is none. */
function responseSchema(
  status: string,
  response: JsonObject | undefined,
  pool: SchemaPool,
  uses: Set<string>,
): JsonObject | undefined {
  if (response === undefined) return undefined
  const content = response['content']
  if (!isRecord(content) || Object.keys(content).length === 0) return BODILESS.has(status) ? NOTHING : undefined
  const entries = Object.entries(content as JsonObject)
  const json =
    entries.find(([mediaType]) => isJsonType(mediaType)) ?? entries.find(([mediaType]) => mediaType === '*/*')
  if (json !== undefined) {
    const media = json[1]
    const schema = isRecord(media) ? (media as JsonObject)['schema'] : undefined
    return schema === undefined ? undefined : pool.convert(schema, 'output', uses)
  }
  return entries.every(([mediaType]) => isTextType(mediaType)) ? { type: 'string' } : undefined
}
