import { isRecord, type Json, type JsonObject } from '../../data/json.ts'
import { bodyKind, essence, type BodyPlan, type FieldEncoding } from '../http/encode-body.ts'
import type { ParameterStyle } from '../http/parameter-styles.ts'
import type { SchemaPool } from './schema-pool.ts'

export interface ReadBodyPlan {
  readonly plan: BodyPlan
  readonly schema: JsonObject
  readonly isRequired: boolean
}

/** What can be written best comes first. */
const PREFERENCE: readonly BodyPlan['as'][] = ['json', 'form', 'multipart', 'text', 'binary']

/** A file, as `encode-body.ts` reads one. */
const FILE: JsonObject = {
  description: 'A file: its text, or its bytes in base64.',
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: {
        base64: { type: 'string' },
        filename: { type: 'string' },
        contentType: { type: 'string' },
      },
      required: ['base64'],
      additionalProperties: false,
    },
  ],
}

/** The body of an operation, in the one of its media types that programs can write best; undefined: it has none. */
export function readBodyPlan(
  requestBody: Json | undefined,
  amongParameters: readonly JsonObject[],
  pool: SchemaPool,
  uses: Set<string>,
  isSwagger2: boolean,
  problems: string[],
): ReadBodyPlan | undefined {
  if (requestBody === undefined && amongParameters.length === 0) return undefined
  const bodies = [...(requestBody === undefined ? [] : [pool.follow(requestBody)]), ...amongParameters]
  const [first, ...others] = bodies.filter((body) => body !== undefined)
  if (first === undefined) {
    problems.push('its body refers to something that is not in the document; it is left out')
    return undefined
  }
  const chosen = chooseContent(first['content'])
  if (chosen === undefined) {
    problems.push('its body has no "content"; any JSON is accepted')
    return { plan: { as: 'json', mediaType: 'application/json' }, schema: {}, isRequired: first['required'] === true }
  }
  const { mediaType, media, as } = chosen
  const description = typeof first['description'] === 'string' ? { description: first['description'] } : {}
  const fields = as === 'form' || as === 'multipart' ? fieldsOf(media['encoding']) : undefined
  const schemas = [media['schema'], ...others.map((body) => chooseContent(body['content'])?.media['schema'])]
  const converted = schemas.map((schema) =>
    as === 'binary' ? FILE : as === 'multipart' ? withFiles(schema, pool, uses) : pool.convert(schema, 'input', uses),
  )
  const schema = converted.length === 1 ? (converted[0] ?? {}) : { allOf: converted }
  return {
    plan: { as, mediaType, ...(fields !== undefined && { fields }) },
    schema: { ...schema, ...description },
    // Swagger 2 says which fields of a form are required, and nothing of the form: one that needs a field is needed.
    isRequired:
      bodies.some((body) => body?.['required'] === true) ||
      (isSwagger2 && as !== 'json' && converted.some(needsMembers)),
  }
}

function needsMembers(schema: JsonObject): boolean {
  return Array.isArray(schema['required']) && schema['required'].length > 0
}

interface Chosen {
  readonly mediaType: string
  readonly media: JsonObject
  readonly as: BodyPlan['as']
}

function chooseContent(content: Json | undefined): Chosen | undefined {
  if (!isRecord(content)) return undefined
  const offered = Object.entries(content as JsonObject).map(([mediaType, media]) => ({
    mediaType,
    media: isRecord(media) ? (media as JsonObject) : {},
    as: bodyKind(mediaType),
  }))
  for (const wanted of PREFERENCE) {
    const found = offered.find(({ as, mediaType }) => as === wanted && /^[\w!#$&^.+*/-]+(?:;.*)?$/.test(mediaType))
    if (found !== undefined)
      return { ...found, mediaType: found.mediaType.includes(';') ? essence(found.mediaType) : found.mediaType }
  }
  return undefined
}

/** The fields of a form that are files take one as programs write it. */
function withFiles(schema: Json | undefined, pool: SchemaPool, uses: Set<string>): JsonObject {
  const converted = pool.convert(schema, 'input', uses)
  const resolved =
    isRecord(schema) && schema['$ref'] !== undefined ? pool.convert(pool.follow(schema), 'input', uses) : converted
  const properties = resolved['properties']
  if (!isRecord(properties)) return converted
  let hasFiles = false
  const replaced = Object.entries(properties as JsonObject).map(([name, property]) => {
    const items = isRecord(property) ? (property as JsonObject)['items'] : undefined
    if (isFile(property)) {
      hasFiles = true
      return [name, { ...FILE, ...descriptionOf(property) }] as const
    }
    if (!isFile(items)) return [name, property] as const
    hasFiles = true
    return [name, { ...(property as JsonObject), items: FILE }] as const // `items` was read from it.
  })
  return hasFiles ? { ...resolved, properties: Object.fromEntries(replaced) } : converted
}

function isFile(schema: Json | undefined): boolean {
  if (!isRecord(schema)) return false
  return (
    schema['format'] === 'binary' ||
    (schema['contentMediaType'] !== undefined && schema['contentEncoding'] === undefined)
  )
}

function descriptionOf(schema: Json): JsonObject {
  const description = isRecord(schema) ? (schema as JsonObject)['description'] : undefined
  return typeof description === 'string'
    ? { description: `${description} (a text, or { base64, filename, contentType })` }
    : {}
}

function fieldsOf(encoding: Json | undefined): ReadonlyMap<string, FieldEncoding> | undefined {
  if (!isRecord(encoding)) return undefined
  const fields = new Map<string, FieldEncoding>()
  for (const [name, raw] of Object.entries(encoding as JsonObject)) {
    if (!isRecord(raw)) continue
    const style = FIELD_STYLES.find((known) => known === raw['style'])
    const { explode, contentType } = raw as JsonObject
    fields.set(name, {
      ...(style !== undefined && { style }),
      ...(typeof explode === 'boolean' && { explode }),
      ...(typeof contentType === 'string' && /^[\w!#$&^.+*/, -]+$/.test(contentType) && { contentType }),
    })
  }
  return fields
}

const FIELD_STYLES: readonly ParameterStyle[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']
