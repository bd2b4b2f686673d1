import type { Credentials } from './auth.ts'

/** Names that the configuration fills in, by their place in a request. */
export interface GivenNames {
  header(name: string): boolean
  query(name: string): boolean
  cookie(name: string): boolean
}

/**
 * What a call may not fill in. A name that stood twice would leave the choice to the server, and some take the first one, or
 * both: an argument could put another credential in the place of the configured one, or beside it.
 */
export function givenNames(configured: {
  readonly headers?: ReadonlyMap<string, string>
  readonly credentials?: Credentials
}): GivenNames {
  const { headers = new Map<string, string>(), credentials } = configured
  const given = new Set([...headers.keys(), ...(credentials?.headers.keys() ?? [])].map((name) => name.toLowerCase()))
  const written = (headers.get('cookie') ?? '').split(';').map((pair) => pair.split('=', 1)[0] ?? '')
  const cookies = new Set(
    [...written.filter((name) => name.trim() !== ''), ...(credentials?.cookies.keys() ?? [])].map(asServersRead),
  )
  const query = new Set([...(credentials?.query.keys() ?? [])].map(asServersRead))
  return {
    // A whole header of cookies could bring the configured one along.
    header: (name) => given.has(name.toLowerCase()) || (cookies.size > 0 && name.toLowerCase() === 'cookie'),
    query: (name) => query.has(asServersRead(name)),
    cookie: (name) => cookies.has(asServersRead(name)),
  }
}

/** Servers differ in what they take for the same name: case, spaces around it, dots for underscores, `name[]` as a list. */
function asServersRead(name: string): string {
  const bracket = name.indexOf('[', 1)
  return (bracket < 0 ? name : name.slice(0, bracket)).trim().toLowerCase().replaceAll(/[\s.]/g, '_')
}
