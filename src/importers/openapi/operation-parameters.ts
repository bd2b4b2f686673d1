import { isRecord, type Json, type JsonObject } from '../../data/json.ts'
import type { ParameterPlace, ParameterPlan } from '../http/build-request.ts'
import { isReservedHeader } from '../http/http-message.ts'
import type { ParameterStyle } from '../http/parameter-styles.ts'
import type { Operation } from './document.ts'
import type { SchemaPool } from './schema-pool.ts'

export interface ReadParameter {
  readonly plan: ParameterPlan
  readonly schema: JsonObject
  readonly isRequired: boolean
}

export interface ReadParameters {
  readonly parameters: readonly ReadParameter[]
  /** Bodies that stand among the parameters, as references of Swagger 2 do. */
  readonly bodies: readonly JsonObject[]
}

/** Headers that are part of every message; a document's word on them is to be ignored. */
const MESSAGE_HEADERS = new Set(['accept', 'authorization', 'content-type'])
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/**
 * What goes into the path, the query, headers and cookies. An argument has the parameter's own name; where two places use
 * the same one, the later gets its place behind it (`id`, `id_query`). `body` belongs to the body when there is one.
 * Parameters that the configuration fills in (`isGiven`) are not arguments.
 */
export function readParameters(
  operation: Operation,
  pool: SchemaPool,
  uses: Set<string>,
  hasBody: boolean,
  isGiven: (place: ParameterPlace, name: string) => boolean,
  problems: string[],
): ReadParameters {
  const bodies: JsonObject[] = []
  const listed = new Map<string, { place: ParameterPlace; name: string; parameter: JsonObject }>()
  // The operation's own come later and replace those of its path.
  for (const list of [operation.pathItem['parameters'], operation.operation['parameters']]) {
    for (const raw of Array.isArray(list) ? (list as readonly Json[]) : []) {
      const parameter = pool.follow(raw)
      if (parameter === undefined) {
        problems.push('a parameter is no object, or refers to one that is not in the document; it is left out')
        continue
      }
      if (isRecord(parameter['content']) && parameter['in'] === undefined) {
        bodies.push(parameter)
        continue
      }
      const place = placeOf(parameter['in'])
      const name = parameter['name']
      if (place === undefined || typeof name !== 'string' || name === '') {
        problems.push('a parameter has no "name" or no known "in"; it is left out')
        continue
      }
      if (place === 'header' && (MESSAGE_HEADERS.has(name.toLowerCase()) || isReservedHeader(name))) continue
      if (isGiven(place, name)) continue
      listed.set(`${place} ${name}`, { place, name, parameter })
    }
  }
  addUndeclared(operation.path, listed, problems)

  const taken = new Set(hasBody || bodies.length > 0 ? ['body'] : [])
  const parameters = [...listed.values()].map(({ place, name, parameter }) => {
    let argument = name
    for (let n = 1; taken.has(argument); n++) argument = `${name}_${place}${n === 1 ? '' : n}`
    taken.add(argument)
    return readParameter(argument, place, name, parameter, pool, uses)
  })
  return { parameters, bodies }
}

/** A path that names a parameter which nobody describes still needs it. */
function addUndeclared(
  path: string,
  listed: Map<string, { place: ParameterPlace; name: string; parameter: JsonObject }>,
  problems: string[],
): void {
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (listed.has(`path ${name}`)) continue
    problems.push(`the path parameter ${JSON.stringify(name.slice(0, 100))} is not described; any text is accepted`)
    listed.set(`path ${name}`, { place: 'path', name, parameter: { schema: { type: 'string' } } })
  }
}

function readParameter(
  argument: string,
  place: ParameterPlace,
  name: string,
  parameter: JsonObject,
  pool: SchemaPool,
  uses: Set<string>,
): ReadParameter {
  const content = isRecord(parameter['content']) ? Object.values(parameter['content'] as JsonObject)[0] : undefined
  const asJson = isRecord(content)
  const described = asJson ? (content as JsonObject)['schema'] : parameter['schema']
  const schema = pool.convert(described, 'input', uses)
  const style = styleOf(place, parameter['style'])
  const explode = typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form'
  const description = [
    parameter['deprecated'] === true ? 'Deprecated.' : '',
    typeof parameter['description'] === 'string' ? parameter['description'] : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
  return {
    plan: {
      argument,
      name,
      in: place,
      style,
      explode,
      ...(parameter['allowReserved'] === true && { allowReserved: true }),
      ...(asJson && { asJson }),
    },
    schema: description === '' ? schema : { ...schema, description },
    isRequired: place === 'path' || parameter['required'] === true,
  }
}

function placeOf(value: Json | undefined): ParameterPlace | undefined {
  return value === 'path' || value === 'query' || value === 'header' || value === 'cookie' ? value : undefined
}

function styleOf(place: ParameterPlace, value: Json | undefined): ParameterStyle {
  const styles = STYLES[place]
  return styles.find((style) => style === value) ?? styles[0] ?? 'form'
}
