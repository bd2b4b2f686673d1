import { z } from 'zod'
import { headerFault } from './http-message.ts'

const text = z.string().min(1).max(10_000)

/** How an API knows us. Texts may hold `${NAME}`. */
export const authSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('bearer'), token: text }),
  z.strictObject({ type: z.literal('basic'), username: text, password: z.string().max(10_000) }),
  z.strictObject({ type: z.literal('apiKey'), in: z.enum(['header', 'query', 'cookie']), name: text, value: text }),
])
export type Auth = z.infer<typeof authSchema>

/** What the configuration adds to a request; never shown to a model. */
export interface Credentials {
  readonly headers: ReadonlyMap<string, string>
  readonly query: ReadonlyMap<string, string>
  readonly cookies: ReadonlyMap<string, string>
  readonly secrets: readonly string[]
}

export const NO_CREDENTIALS: Credentials = { headers: new Map(), query: new Map(), cookies: new Map(), secrets: [] }

/** `auth` has its variables expanded. Problems name the field and hold no value. */
export function credentialsOf(auth: Auth | undefined, problems: string[]): Credentials {
  if (auth === undefined) return NO_CREDENTIALS
  switch (auth.type) {
    case 'bearer':
      return inHeader('authorization', `Bearer ${auth.token}`, [auth.token], problems)
    case 'basic': {
      if (auth.username.includes(':')) problems.push('"auth.username" must not hold a colon')
      const pair = `${auth.username}:${auth.password}`
      const encoded = Buffer.from(pair).toString('base64')
      // Some APIs take their key as a user name that has no password.
      const secret = auth.password === '' ? auth.username : auth.password
      return inHeader('authorization', `Basic ${encoded}`, [secret, pair, encoded], problems)
    }
    case 'apiKey':
      switch (auth.in) {
        case 'header':
          return inHeader(auth.name, auth.value, [auth.value, auth.value.replace(/^\w+\s+/, '')], problems)
        case 'query':
          return { ...NO_CREDENTIALS, query: new Map([[auth.name, auth.value]]), secrets: [auth.value] }
        case 'cookie':
          return { ...NO_CREDENTIALS, cookies: new Map([[auth.name, auth.value]]), secrets: [auth.value] }
      }
  }
}

function inHeader(name: string, value: string, secrets: readonly string[], problems: string[]): Credentials {
  const fault = headerFault(name, value)
  if (fault !== undefined) problems.push(`"auth": ${fault}`)
  return { ...NO_CREDENTIALS, headers: new Map([[name.toLowerCase(), value]]), secrets }
}
