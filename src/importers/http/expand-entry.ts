import { expandVariables, type VariableSource } from '../expand-variables.ts'
import { credentialsOf, type Auth, type Credentials } from './auth.ts'
import { headerFault } from './http-message.ts'
import { isCredentialName } from './secrets.ts'

export interface Access {
  readonly credentials: Credentials
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  readonly secrets: readonly string[]
}

/**
 * Expands the variables in what an entry says about access, and collects what must never be shown: the credential of
 * `auth`, headers that are named like one, and what variables put into these. A user name is none, unless what stands
 * beside it as a password is the same for everybody (empty, or written out). Other headers are settings.
 */
export function expandAccess(
  entry: { readonly auth?: Auth | undefined; readonly headers?: Readonly<Record<string, string>> | undefined },
  source: VariableSource,
  problems: string[],
): Access {
  const secrets: string[] = []
  const expand = (field: string, template: string, found = secrets): string =>
    expandField(field, template, source, problems, found)
  const { auth } = entry
  const expanded: Auth | undefined =
    auth === undefined
      ? undefined
      : auth.type === 'bearer'
        ? { ...auth, token: expand('auth.token', auth.token) }
        : auth.type === 'basic'
          ? {
              ...auth,
              username: expand('auth.username', auth.username, auth.password.includes('${') ? [] : secrets),
              password: expand('auth.password', auth.password),
            }
          : { ...auth, value: expand('auth.value', auth.value) }
  const credentials = credentialsOf(expanded, problems)
  const headers = new Map<string, string>()
  for (const [name, template] of Object.entries(entry.headers ?? {})) {
    const isCredential = isCredentialName(name)
    const value = expand(`headers.${name}`, template, isCredential ? secrets : [])
    const fault = headerFault(name, value)
    if (fault !== undefined) problems.push(`"headers": ${fault}`)
    headers.set(name.toLowerCase(), value)
    if (isCredential) secrets.push(value, value.replace(/^\w+\s+/, ''))
  }
  return { credentials, headers, secrets: [...secrets, ...credentials.secrets] }
}

/**
 * Expands the variables of a URL. What they put into parameters of its query that are named like credentials are secrets;
 * the rest (`unprinted`) is words and numbers that answers are full of.
 */
export function expandUrl(
  field: string,
  template: string,
  source: VariableSource,
  problems: string[],
  secrets: string[],
  unprinted: string[],
): string {
  for (const [, name = '', value = ''] of template.matchAll(/[?&]([^=&#?]*)=([^&#]*)/g)) {
    if (isCredentialName(name)) secrets.push(...expandVariables(value, source).secrets)
  }
  return expandField(field, template, source, problems, unprinted)
}

function expandField(
  field: string,
  template: string,
  source: VariableSource,
  problems: string[],
  secrets: string[],
): string {
  const expansion = expandVariables(template, source)
  for (const what of expansion.unresolved) problems.push(`"${field}": ${what}`)
  secrets.push(...expansion.secrets)
  return expansion.text
}
