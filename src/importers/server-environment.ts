/** npm reads its settings from these in any case of letters. Those that hold credentials are not among them. */
const NPM_SETTINGS = [
  'registry',
  'cafile',
  'strict_ssl',
  'proxy',
  'http_proxy',
  'https_proxy',
  'noproxy',
  'cache',
  'userconfig',
  'globalconfig',
  'offline',
  'prefer_offline',
  'fetch_retries',
  'fetch_timeout',
].map((setting) => `npm_config_${setting}`)
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']

/**
 * What a server on this machine gets of our environment beside the basics (PATH, HOME, …), so that it reaches the
 * network as we do: without these, one that is fetched at its start fails behind a proxy or a private certificate
 * authority. Everything else stays with us.
 */
export const INHERITED_VARIABLES: readonly string[] = [...CERTIFICATES, ...PROXIES, ...NPM_SETTINGS]

const inherited: ReadonlySet<string> = new Set([
  ...CERTIFICATES,
  ...PROXIES,
  ...PROXIES.map((name) => name.toLowerCase()),
])
const inheritedByNpm: ReadonlySet<string> = new Set(NPM_SETTINGS)

export type Environment = Readonly<Record<string, string | undefined>>

export function inheritedVariables(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        (inherited.has(entry[0]) || inheritedByNpm.has(entry[0].toLowerCase())) &&
        // A shell function of old, which a shell would run.
        !entry[1].startsWith('()'),
    ),
  )
}

/** A proxy or registry may be given with a password in its URL: that is for the server, not for a message. */
export function inheritedCredentials(env: Environment): readonly string[] {
  return Object.values(inheritedVariables(env)).flatMap((value) => {
    if (!URL.canParse(value)) return []
    const { password } = new URL(value)
    return password === '' ? [] : [value, value.replace(/\/$/, ''), password, safelyDecoded(password)]
  })
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
