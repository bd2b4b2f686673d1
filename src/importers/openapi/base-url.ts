import { isRecord, type Json, type JsonObject } from '../../data/json.ts'

export type BaseUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly reason: string }

/**
 * Where calls go: the first of `servers` with its variables at their defaults. A relative one is relative to where the
 * document was fetched. The result is absolute http(s), without user name, query, fragment and final slash.
 */
export function serverUrl(servers: Json | undefined, documentUrl: string | undefined): BaseUrl {
  const first: Json = Array.isArray(servers) && servers.length > 0 ? (servers[0] as Json) : { url: '/' } // What the standard says.
  if (!isRecord(first) || typeof first['url'] !== 'string') return bad('its first server has no "url"')
  const variables = isRecord(first['variables']) ? (first['variables'] as JsonObject) : {}
  const unknown: string[] = []
  const url = first['url'].replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    const value = isRecord(variable) ? variable['default'] : undefined
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    unknown.push(name.slice(0, 60))
    return whole
  })
  if (unknown.length > 0) return bad(`its server's variable ${JSON.stringify(unknown[0])} has no default`)
  return checkBaseUrl(url, documentUrl)
}

/** A base as a configuration or a document gives it. */
export function checkBaseUrl(given: string, documentUrl?: string): BaseUrl {
  if (!URL.canParse(given, documentUrl)) {
    const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(given)
    return bad(isRelative ? 'its server is a relative URL, and the document came from no URL' : 'its server is no URL')
  }
  const url = new URL(given, documentUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return bad('its server is neither http: nor https:')
  if (url.username !== '' || url.password !== '') return bad('its server holds a user name or password; use "auth"')
  if (url.search !== '' || url.hash !== '') return bad('its server holds a query or a fragment')
  if (/[{}]/.test(url.pathname)) return bad('its server holds braces')
  return { ok: true, url: `${url.origin}${withoutFinalSlashes(url.pathname)}` }
}

/** A regular expression would look at every run of slashes in a long path again for each of them. */
function withoutFinalSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

function bad(reason: string): BaseUrl {
  return { ok: false, reason }
}
