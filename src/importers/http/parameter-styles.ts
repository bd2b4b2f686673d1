import { isRecord, type Json } from '../../data/json.ts'

export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

export interface QueryPair {
  /** Both are encoded already. */
  readonly name: string
  readonly value: string
}

type Encode = (text: string) => string

/** A scalar as text; what is inside an array or object of a style that knows one level only becomes JSON. */
export function scalarText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** One value in a path: everything but unreserved characters is percent-encoded, `/` above all. */
export function pathText(name: string, value: Json, style: ParameterStyle, explode: boolean): string {
  const encode = encodeComponent
  const key = encode(name)
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => encode(scalarText(item)))
    if (style === 'label') return `.${items.join(explode ? '.' : ',')}`
    if (style === 'matrix')
      return explode ? items.map((item) => `;${key}=${item}`).join('') : `;${key}=${items.join(',')}`
    return items.join(',')
  }
  if (isRecord(value)) {
    const pairs = pairsOf(value as { readonly [key: string]: Json }, encode) // A JSON object.
    const joined = (between: string, around: string) => pairs.map(([k, v]) => `${k}${between}${v}`).join(around)
    if (style === 'label') return explode ? `.${joined('=', '.')}` : `.${joined(',', ',')}`
    if (style === 'matrix') return explode ? `;${joined('=', ';')}` : `;${key}=${joined(',', ',')}`
    return joined(explode ? '=' : ',', ',')
  }
  const text = encode(scalarText(value))
  return style === 'label' ? `.${text}` : style === 'matrix' ? `;${key}=${text}` : text
}

/** One value of a header: `simple` is its only style. Header values are not percent-encoded. */
export function headerText(value: Json, explode: boolean): string {
  if (Array.isArray(value)) return value.map((item: Json) => scalarText(item)).join(',')
  if (!isRecord(value)) return scalarText(value)
  return Object.entries(value as { readonly [key: string]: Json })
    .map(([key, item]) => `${key}${explode ? '=' : ','}${scalarText(item)}`)
    .join(',')
}

const DELIMITERS: Partial<Record<ParameterStyle, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** One parameter of a query (or field of a form), as the pairs it makes. Null and undefined make none. */
export function queryPairs(
  name: string,
  value: Json | undefined,
  style: ParameterStyle,
  explode: boolean,
  allowReserved = false,
): readonly QueryPair[] {
  if (value === undefined || value === null) return []
  const encode = allowReserved ? encodeReserved : encodeComponent
  const key = encodeComponent(name)
  if (style === 'deepObject' && typeof value === 'object') return deepPairs(key, value, encode)
  const delimiter = DELIMITERS[style] ?? ','
  if (Array.isArray(value)) {
    const items = value.filter((item: Json) => item !== null).map((item: Json) => encode(scalarText(item)))
    if (explode) return items.map((item) => ({ name: key, value: item }))
    return items.length === 0 ? [] : [{ name: key, value: items.join(delimiter) }]
  }
  if (isRecord(value)) {
    const pairs = pairsOf(value as { readonly [key: string]: Json }, encode) // A JSON object.
    if (explode && style === 'form') return pairs.map(([k, v]) => ({ name: k, value: v }))
    return pairs.length === 0 ? [] : [{ name: key, value: pairs.flat().join(delimiter) }]
  }
  return [{ name: key, value: encode(scalarText(value)) }]
}

/** `key[a][b]=…`, as deep as the value goes; items of an array repeat their key. */
function deepPairs(key: string, value: Json, encode: Encode): readonly QueryPair[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item: Json) => deepPairs(key, item, encode))
  if (!isRecord(value)) return [{ name: key, value: encode(scalarText(value as Json)) }]
  return Object.entries(value as { readonly [key: string]: Json }).flatMap(([member, item]) =>
    deepPairs(`${key}%5B${encodeComponent(member)}%5D`, item, encode),
  )
}

function pairsOf(value: { readonly [key: string]: Json }, encode: Encode): (readonly [string, string])[] {
  return Object.entries(value)
    .filter(([, item]) => item !== null)
    .map(([key, item]) => [encodeComponent(key), encode(scalarText(item))] as const)
}

/** `encodeURIComponent` without its throw for half of a surrogate pair, and strict about `!'()*`. */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** With `allowReserved`, characters stay that have no meaning inside a query; `&`, `=`, `#` and `+` would end the value. */
function encodeReserved(text: string): string {
  return encodeComponent(text).replaceAll(/%(2F|3A|3F|40|21|24|27|28|29|2A|2C|3B)/g, (encoded) =>
    decodeURIComponent(encoded),
  )
}
