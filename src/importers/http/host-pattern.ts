import { isIP } from 'node:net'

/** What `allowHosts` takes, in words. */
export const HOST_RULE =
  'a host is exactly "name" or "name:port", without a scheme, a path or a wildcard (allowPrivate lifts the rule for all hosts)'

/** What a JSON Schema can say of it. */
export const HOST_PATTERN = /^[^\s/\\@?#*]+$/

/**
 * A host of `allowHosts` as connections have it: lower case, the form of a domain name or an address that URLs have,
 * brackets only in what was written. Undefined for what no connection could ever match.
 */
export function canonicalHost(written: string): string | undefined {
  if (!HOST_PATTERN.test(written)) return undefined
  if (isIP(written) === 6) return hostnameOf(`[${written}]`)
  const [, name = '', port] = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(written) ?? []
  const hostname = hostnameOf(name)
  if (hostname === undefined || port === undefined) return hostname
  return Number(port) >= 1 && Number(port) <= 65_535 ? `${hostname}:${Number(port)}` : undefined
}

/** One sentence for each host that is none. */
export function hostProblems(hosts: readonly string[] | undefined): readonly string[] {
  return (hosts ?? [])
    .filter((host) => canonicalHost(host) === undefined)
    .map((host) => `"allowHosts": ${JSON.stringify(host.slice(0, 100))} matches nothing: ${HOST_RULE}`)
}

function hostnameOf(name: string): string | undefined {
  const url = URL.parse(`http://${name}/`)
  return url === null || url.hostname === '' ? undefined : url.hostname.replace(/^\[|\]$/g, '')
}
