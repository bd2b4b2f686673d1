import type { ParameterPlan } from './build-request.ts'

export type UrlTemplate =
  | {
      readonly ok: true
      /** Origin and path, with its placeholders. */
      readonly base: string
      /** Encoded pairs without placeholders. */
      readonly fixedQuery: string
      readonly parameters: readonly ParameterPlan[]
      /** Every placeholder once. */
      readonly names: readonly string[]
    }
  | { readonly ok: false; readonly reason: string }

/**
 * Reads `https://host/users/{id}?limit={limit}&v=2`. A placeholder is a whole value of the query, or stands anywhere in the
 * path; in the host it would let an argument choose whom the credentials go to.
 */
export function readUrlTemplate(url: string): UrlTemplate {
  const [, origin = '', path = '', query = ''] = /^([^/?#]*\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s.exec(url) ?? []
  if (origin === '' || /[{}]/.test(origin))
    return bad('it must begin with http:// or https:// and a host without placeholders')
  const plain = `${origin}${path.replaceAll(/[{}]/g, '')}`
  if (!URL.canParse(plain) || !/^https?:$/.test(new URL(plain).protocol))
    return bad('it must be an http: or https: URL')
  const { username, password } = new URL(plain)
  if (username !== '' || password !== '') return bad('it holds a user name or password; use "auth"')
  const names = new Set<string>()
  const parameters: ParameterPlan[] = []
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (!names.has(name)) parameters.push({ argument: name, name, in: 'path', style: 'simple', explode: false })
    names.add(name)
  }
  const fixed: string[] = []
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [, key = '', name] = /^([^={}]*)=\{([^{}]*)\}$/.exec(pair) ?? []
    if (name === undefined && /[{}]/.test(pair))
      return bad('a placeholder in the query must be a whole value: name={name}')
    if (name === undefined) fixed.push(pair)
    else {
      parameters.push({ argument: name, name: decoded(key), in: 'query', style: 'form', explode: true })
      names.add(name)
    }
  }
  if ([...names].some((name) => name === '' || name.length > 200)) return bad('a placeholder needs a name')
  return { ok: true, base: `${origin}${path}`, fixedQuery: fixed.join('&'), parameters, names: [...names] }
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function bad(reason: string): UrlTemplate {
  return { ok: false, reason }
}
