import { CodedError } from '../../data/failure.ts'
import type { Json, JsonObject } from '../../data/json.ts'
import { encodeBody, type BodyPlan } from './encode-body.ts'
import { setHeader, type HttpRequest } from './http-message.ts'
import { givenNames, type GivenNames } from './given-names.ts'
import {
  encodeComponent,
  headerText,
  pathText,
  queryPairs,
  type ParameterStyle,
  type QueryPair,
} from './parameter-styles.ts'
import { NO_CREDENTIALS, type Credentials } from './auth.ts'

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie'

/** Where one argument goes. */
export interface ParameterPlan {
  /** Its name among the arguments. */
  readonly argument: string
  /** Its name on the wire. */
  readonly name: string
  readonly in: ParameterPlace
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly allowReserved?: boolean
  /** The value is written as JSON (a parameter described by `content`). */
  readonly asJson?: boolean
}

/** Every argument that has no place of its own. */
export interface OtherArguments {
  readonly allBut: ReadonlySet<string>
}

/** All that makes a request of arguments. Made once, at import. */
export interface RequestPlan {
  readonly method: string
  /** Absolute; its path may hold `{name}` for parameters in the path, and it has neither query nor fragment. */
  readonly urlTemplate: string
  readonly parameters: readonly ParameterPlan[]
  /** Pairs (encoded) that stand in every query. */
  readonly fixedQuery?: string
  /** What becomes the body; absent argument, no body. */
  readonly body?: BodyPlan & { readonly argument: string | OtherArguments }
  /** Arguments that go into the query under their own names, for entries that describe no parameters. */
  readonly othersInQuery?: OtherArguments
  readonly headers?: ReadonlyMap<string, string>
  readonly credentials?: Credentials
  readonly idempotencyHeader?: string
  readonly accept?: string
}

/** The request that a call means; throws `INVALID_ARGS` when its arguments would make another one. */
export function buildRequest(plan: RequestPlan, args: JsonObject, idempotencyKey?: string): HttpRequest {
  const credentials = plan.credentials ?? NO_CREDENTIALS
  const headers = new Map<string, string>([['accept', plan.accept ?? 'application/json, */*;q=0.5']])
  const query: string[] = plan.fixedQuery === undefined ? [] : [plan.fixedQuery]
  const cookies: string[] = []
  const pathValues = new Map<string, string>()
  const places: Places = { headers, query, cookies, pathValues, isGiven: givenNames(plan) }
  for (const parameter of plan.parameters) {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined
    if (value === undefined) continue
    place(parameter, parameter.asJson === true ? JSON.stringify(value) : value, places)
  }
  for (const [name, value] of Object.entries(
    plan.othersInQuery === undefined ? {} : others(args, plan.othersInQuery),
  )) {
    query.push(...pairTexts(queryPairs(name, value, 'form', true), places.isGiven.query))
  }
  for (const [name, value] of plan.headers ?? []) headers.set(name, value)
  for (const [name, value] of credentials.headers) headers.set(name, value)
  for (const [name, value] of credentials.query) query.push(`${encodeComponent(name)}=${encodeComponent(value)}`)
  for (const [name, value] of credentials.cookies) cookies.push(`${name}=${encodeComponent(value)}`)
  // A header of cookies may be there already, whole: these go behind it.
  const ready = headers.get('cookie')
  if (cookies.length > 0) headers.set('cookie', [...(ready === undefined ? [] : [ready]), ...cookies].join('; '))
  if (plan.idempotencyHeader !== undefined && idempotencyKey !== undefined) {
    setHeader(headers, plan.idempotencyHeader, idempotencyKey)
  }

  const url = urlFrom(plan.urlTemplate, pathValues, query)
  const content = plan.body === undefined ? undefined : bodyValue(plan.body.argument, args)
  if (plan.body === undefined || content === undefined) return { method: plan.method, url, headers }
  const { bytes, contentType } = encodeBody(content, plan.body)
  headers.set('content-type', contentType)
  return { method: plan.method, url, headers, body: bytes }
}

function bodyValue(source: string | OtherArguments, args: JsonObject): Json | undefined {
  if (typeof source === 'string') return Object.hasOwn(args, source) ? args[source] : undefined
  const rest = others(args, source)
  return Object.keys(rest).length === 0 ? undefined : rest
}

function others(args: JsonObject, { allBut }: OtherArguments): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !allBut.has(name)))
}

interface Places {
  readonly headers: Map<string, string>
  readonly query: string[]
  readonly cookies: string[]
  readonly pathValues: Map<string, string>
  readonly isGiven: GivenNames
}

function place(parameter: ParameterPlan, value: Json, places: Places): void {
  const { name, style, explode } = parameter
  switch (parameter.in) {
    case 'path':
      places.pathValues.set(name, pathText(name, value, style, explode))
      return
    case 'query':
      places.query.push(
        ...pairTexts(queryPairs(name, value, style, explode, parameter.allowReserved), places.isGiven.query),
      )
      return
    case 'header':
      if (value === null) return
      if (places.isGiven.header(name)) throw taken('header', name)
      setHeader(places.headers, name, headerText(value, explode))
      return
    case 'cookie':
      places.cookies.push(...pairTexts(queryPairs(name, value, 'form', explode), places.isGiven.cookie, 'cookie'))
  }
}

/** Members of objects become names of pairs: what an argument may not be called holds for each pair. */
function pairTexts(pairs: readonly QueryPair[], isGiven: (name: string) => boolean, place = 'query'): string[] {
  for (const { name } of pairs) {
    const plain = decodeURIComponent(name) // It was encoded by us.
    if (isGiven(plain)) throw taken(place, plain)
  }
  return pairs.map(({ name, value }) => `${name}=${value}`)
}

function taken(place: string, name: string): CodedError {
  const what = place === 'query' ? 'the query parameter' : `the ${place}`
  return invalid(`${what} ${JSON.stringify(name.slice(0, 100))} is given by the configuration; leave it out`)
}

const PLACEHOLDER = /\{([^{}]*)\}/g

/**
 * Values are encoded, so `/`, `?` and `#` in them stay inside their segment. Two things are left that encoding does not
 * stop, as URL parsers read `%2e%2e` as `..` too: they and empty values would lead to another path, and are refused.
 */
function urlFrom(template: string, values: ReadonlyMap<string, string>, query: readonly string[]): URL {
  const start = template.indexOf('/', template.indexOf('://') + 3)
  const origin = start < 0 ? template : template.slice(0, start)
  const path = (start < 0 ? '/' : template.slice(start)).replaceAll(PLACEHOLDER, (_whole, name: string) => {
    const value = values.get(name)
    if (value === undefined || value === '') {
      throw invalid(`the parameter ${JSON.stringify(name.slice(0, 100))} stands in the path and must not be empty`)
    }
    return value
  })
  for (const segment of path.split('/')) {
    if (/^(?:\.|%2e){1,2}$/i.test(segment))
      throw invalid('a part of the path would be "." or "..", which is another path')
  }
  return new URL(`${origin}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`)
}

function invalid(message: string): CodedError {
  return new CodedError('INVALID_ARGS', `${message}; nothing was sent`)
}
