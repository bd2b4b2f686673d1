import { SECRET_KEYS } from '../../policy/redact.ts'

/** What stood where a reference stands now. */
export interface Hidden {
  readonly server: string
  /** `env.GITHUB_TOKEN`, `args[2]`, … */
  readonly field: string
  /** The environment variable that must hold it from now on. */
  readonly variable: string
}

const NAMES = new Set(SECRET_KEYS.map(plain))
const SECRET_WORDS =
  /(?:token|secret|passw(?:or)?d|passphrase|credential|api_?key|access_?key|private_?key|auth|cookie|session|dsn|connection_?string|_key$|^key$|_pat$|^pat$)/i
/** Beginnings that issuers give to what they issue. */
const ISSUED =
  /^(?:sk-|sk_live_|rk_live_|pk_live_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|npm_|pypi-|hf_|dop_v1_|shpat_|lin_api_|ntn_|secret_|SG\.|-----BEGIN)/
/** A flag whose next argument, or whose own text after `=`, is a secret. */
const SECRET_FLAG = /^--?[\w-]*(?:token|secret|password|passwd|api-?key|access-?key|auth|credential)[\w-]*(?:=|$)/i
/** A user name and a password within a URL. */
const URL_LOGIN = /^([a-z][\w+.-]*:\/\/)([^/\s@]+)@/i

/**
 * A server's description in which every value that looks like a secret is `${NAME}` instead. Better one too many: a
 * reference that hid nothing secret costs one line in the environment.
 */
export class SecretHider {
  readonly hidden: Hidden[] = []
  readonly #variableByValue = new Map<string, string>()
  readonly #taken = new Set<string>()

  hide(server: string, described: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(described).map(([field, value]) => {
        if (field === 'env' || field === 'headers') return [field, this.#hideMap(server, field, value)]
        if (field === 'args' && Array.isArray(value)) return [field, this.#hideArgs(server, value)]
        if ((field === 'url' || field === 'serverUrl') && typeof value === 'string')
          return [field, this.#hideUrl(server, field, value)]
        if (field === 'command' && typeof value === 'string') return [field, this.#toVariables(value)]
        return [field, value]
      }),
    )
  }

  #hideMap(server: string, field: 'env' | 'headers', map: unknown): unknown {
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return map
    return Object.fromEntries(
      Object.entries(map).map(([key, value]: [string, unknown]) => {
        if (typeof value !== 'string') return [key, value]
        const place = `${field}.${key}`
        const isSecret =
          field === 'headers' ? isSecretHeader(key, value) : isSecretName(key) || isIssued(value) || isRandom(value)
        if (!isSecret || isReference(value)) return [key, this.#toVariables(value)]
        const scheme = field === 'headers' ? (/^(?:Bearer|Basic|Token|Bot)\s+/i.exec(value)?.[0] ?? '') : ''
        const wanted = field === 'env' ? key : `${server}_${key}`
        return [key, `${scheme}${this.#refer(server, place, wanted, value.slice(scheme.length))}`]
      }),
    )
  }

  #hideArgs(server: string, args: readonly unknown[]): unknown[] {
    return args.map((arg, index) => {
      if (typeof arg !== 'string' || isReference(arg)) return typeof arg === 'string' ? this.#toVariables(arg) : arg
      const place = `args[${index}]`
      const before: unknown = args[index - 1]
      const flag = SECRET_FLAG.exec(arg)?.[0]
      if (flag?.endsWith('=') === true && arg.length > flag.length)
        return `${flag}${this.#refer(server, place, `${server}_${flag}`, arg.slice(flag.length))}`
      // What begins with a dash is the next flag, and the one before it a switch.
      const follows = typeof before === 'string' && SECRET_FLAG.exec(before)?.[0] === before && !arg.startsWith('-')
      if (follows) return this.#refer(server, place, `${server}_${before}`, arg)
      if (isIssued(arg)) return this.#refer(server, place, `${server}_secret`, arg)
      const header = /^([\w-]+:\s*(?:(?:Bearer|Basic|Token)\s+)?)(\S.*)$/i.exec(arg)
      if (header !== null && /authorization|api-?key|token|secret|cookie/i.test(header[1] ?? ''))
        return `${header[1]}${this.#refer(server, place, `${server}_${header[1]}`, header[2] ?? '')}`
      return URL_LOGIN.test(arg) || /^https?:/.test(arg) ? this.#hideUrl(server, place, arg) : arg
    })
  }

  #hideUrl(server: string, place: string, url: string): string {
    const [, scheme = '', login] = URL_LOGIN.exec(url) ?? []
    const rest =
      login === undefined
        ? url
        : `${scheme}${this.#refer(server, place, `${server}_login`, login)}@${url.slice(scheme.length + login.length + 1)}`
    return this.#toVariables(
      rest.replaceAll(/([?&])([^=&#\s]+)=([^&#\s]+)/g, (whole: string, mark: string, name: string, value: string) => {
        if (isReference(value) || !(isSecretName(name) || isIssued(decoded(value)))) return whole
        return `${mark}${name}=${this.#refer(server, place, `${server}_${name}`, value)}`
      }),
    )
  }

  /** One variable for one value, under a name that is nobody else's. */
  #refer(server: string, field: string, wanted: string, value: string): string {
    const variable = this.#variableByValue.get(value) ?? this.#newName(wanted)
    this.#variableByValue.set(value, variable)
    this.hidden.push({ server, field, variable })
    return `\${${variable}}`
  }

  #newName(wanted: string): string {
    const base =
      wanted
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]+/g, '_')
        .replaceAll(/^_+|_+$/g, '') || 'SECRET'
    const safe = /^\d/.test(base) ? `_${base}` : base
    let name = safe
    for (let n = 2; this.#taken.has(name); n++) name = `${safe}_${n}`
    this.#taken.add(name)
    return name
  }

  /** VS Code asks its user for `${input:name}`; here the environment answers. */
  #toVariables(text: string): string {
    return text.replaceAll(/\$\{input:([^{}]+)\}/g, (_whole, name: string) => {
      const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
      this.#taken.add(variable)
      this.inputs.add(variable)
      return `\${${variable}}`
    })
  }

  /** Variables that stand for what another client asked its user. */
  readonly inputs = new Set<string>()
}

/** The whole of it comes from elsewhere already. */
function isReference(text: string): boolean {
  return /^(?:Bearer\s+|Basic\s+)?\$\{[^{}]*\}$/i.test(text)
}

function isSecretName(name: string): boolean {
  return NAMES.has(plain(name)) || SECRET_WORDS.test(name.replaceAll('-', '_'))
}

function isSecretHeader(name: string, value: string): boolean {
  const given = value.replace(/^\w+\s+/, '')
  return isSecretName(name) || isIssued(given) || isRandom(given)
}

function isIssued(value: string): boolean {
  return value.length >= 12 && ISSUED.test(value)
}

/** Long, of letters and digits, and of too many different ones to be a word: most keys without a name of their own. */
function isRandom(value: string): boolean {
  if (!/^[A-Za-z0-9+_=-]{24,}$/.test(value) || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false
  return new Set(value).size >= 12
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
