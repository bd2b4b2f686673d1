import { expandVariables, type VariableSource } from '../expand-variables.ts'
import { credentialsOf, type Auth, type Credentials } from './auth.ts'
import { headerFault } from './http-message.ts'
import { isCredentialHeader } from './secrets.ts'

export interface Access {
  readonly credentials: Credentials
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  readonly secrets: readonly string[]
}

/** Expands the variables in what an entry says about access, and collects what must never be shown. */
export function expandAccess(
  entry: { readonly auth?: Auth | undefined; readonly headers?: Readonly<Record<string, string>> | undefined },
  source: VariableSource,
  problems: string[],
): Access {
  const secrets: string[] = []
  const expand = (field: string, template: string): string => expandField(field, template, source, problems, secrets)
  const { auth } = entry
  const expanded: Auth | undefined =
    auth === undefined
      ? undefined
      : auth.type === 'bearer'
        ? { ...auth, token: expand('auth.token', auth.token) }
        : auth.type === 'basic'
          ? {
              ...auth,
              username: expand('auth.username', auth.username),
              password: expand('auth.password', auth.password),
            }
          : { ...auth, value: expand('auth.value', auth.value) }
  const credentials = credentialsOf(expanded, problems)
  const headers = new Map<string, string>()
  for (const [name, template] of Object.entries(entry.headers ?? {})) {
    const value = expand(`headers.${name}`, template)
    const fault = headerFault(name, value)
    if (fault !== undefined) problems.push(`"headers": ${fault}`)
    headers.set(name.toLowerCase(), value)
    if (isCredentialHeader(name)) secrets.push(value, value.replace(/^\w+\s+/, ''))
  }
  return { credentials, headers, secrets: [...secrets, ...credentials.secrets] }
}

export function expandField(
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
