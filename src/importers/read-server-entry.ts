import { isAbsolute, resolve } from 'node:path'
import { isRecord } from '../data/json.ts'
import { expandVariables, type VariableSource } from './expand-variables.ts'
import type { HttpServerEntry, ServerEntry, StdioServerEntry } from './server-entry.ts'

const MAX_NAME = 128
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export interface ReadServer {
  /** Absent: disabled, or not usable. */
  readonly entry?: ServerEntry
  readonly problems: readonly string[]
}

/** One server of a configuration file. Messages name the field and what it must be; they never hold a value. */
export function readServerEntry(name: string, value: unknown, source: VariableSource): ReadServer {
  const reader = createFieldReader(value, source)
  if (!isRecord(value)) return { problems: ['must be an object with "command" or "url"'] }
  if (value.disabled === true || value.enabled === false) return { problems: [] }
  if (name === '' || name.length > MAX_NAME) return { problems: [`a server's name has 1 to ${MAX_NAME} characters`] }
  const kind = transportOf(value)
  if ('problem' in kind) return { problems: [kind.problem] }
  const common = {
    name,
    ...given('textResults', reader.choice('textResults', ['auto', 'text'] as const)),
    ...given('exclusive', reader.flag('exclusive')),
    ...given('connectTimeoutMs', reader.duration('connectTimeoutMs')),
    ...given('requestTimeoutMs', reader.duration('requestTimeoutMs')),
    ...given('disabledTools', reader.texts('disabledTools')),
  }
  const entry: StdioServerEntry | HttpServerEntry =
    kind.transport === 'stdio'
      ? {
          ...common,
          transport: 'stdio',
          command: reader.text('command') ?? '',
          ...given('args', reader.texts('args')),
          ...given('env', reader.textMap('env')),
          ...given('cwd', reader.directory('cwd')),
        }
      : {
          ...common,
          transport: kind.transport,
          url: reader.url(kind.urlField),
          ...given('headers', reader.textMap('headers')),
        }
  const notes =
    kind.transport === 'stdio' && value.envFile !== undefined
      ? ['"envFile" is not read; put its variables into "env" or into the environment']
      : []
  if (reader.problems.length > 0) return { problems: [reader.problems.join('; ')] }
  return { entry: reader.secrets.length > 0 ? { ...entry, secrets: reader.secrets } : entry, problems: notes }
}

type Transport =
  | { readonly transport: 'stdio' }
  | { readonly transport: 'streamable-http' | 'sse'; readonly urlField: 'url' | 'serverUrl' }
  | { readonly problem: string }

function transportOf(value: Record<string, unknown>): Transport {
  const urlField = value.url === undefined && value.serverUrl !== undefined ? 'serverUrl' : 'url'
  const type = value.type ?? value.transport
  switch (type) {
    case undefined:
      if (value.command !== undefined && value[urlField] !== undefined) {
        return { problem: `has both "command" and "${urlField}"; keep one, or say "type"` }
      }
      if (value.command !== undefined) return { transport: 'stdio' }
      if (value[urlField] !== undefined) return { transport: 'streamable-http', urlField }
      return { problem: 'has neither "command" (a program to start) nor "url" (a server to reach)' }
    case 'stdio':
      return { transport: 'stdio' }
    case 'http':
    case 'streamable-http':
    case 'streamableHttp':
    case 'streamable_http':
      return { transport: 'streamable-http', urlField }
    case 'sse':
      return { transport: 'sse', urlField }
    default:
      return { problem: '"type" must be "stdio", "http", "streamable-http" or "sse"' }
  }
}

/** Reads fields one by one, expands variables, and collects what is wrong instead of stopping at the first fault. */
function createFieldReader(holder: unknown, source: VariableSource) {
  const record = isRecord(holder) ? holder : {}
  const problems: string[] = []
  const secrets: string[] = []

  const own = (field: string): unknown => (Object.hasOwn(record, field) ? record[field] : undefined)
  function expand(field: string, template: string): string {
    const expansion = expandVariables(template, source)
    for (const what of expansion.unresolved) problems.push(`"${field}": ${what}`)
    secrets.push(...expansion.secrets)
    return expansion.text
  }
  function text(field: string): string | undefined {
    const value = own(field)
    if (typeof value !== 'string' || value.trim() === '') problems.push(`"${field}" must be a text that is not empty`)
    else return expand(field, value)
    return undefined
  }

  return {
    problems: problems as readonly string[],
    secrets: secrets as readonly string[],
    text,
    texts(field: string): readonly string[] | undefined {
      const value = own(field)
      if (value === undefined || value === null) return undefined
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string' || typeof item === 'number')) {
        problems.push(`"${field}" must be an array of texts`)
        return undefined
      }
      return value.map((item: string | number, i) => expand(`${field}[${i}]`, String(item)))
    },
    textMap(field: string): Readonly<Record<string, string>> | undefined {
      const value = own(field)
      if (value === undefined || value === null) return undefined
      if (!isRecord(value)) {
        problems.push(`"${field}" must be an object of texts`)
        return undefined
      }
      const map = Object.create(null) as Record<string, string>
      for (const [key, item] of Object.entries(value)) {
        if (item === null) continue
        if (typeof item === 'string' || typeof item === 'number') map[key] = expand(`${field}.${key}`, String(item))
        else problems.push(`"${field}.${key}" must be a text`)
      }
      return map
    },
    directory(field: string): string | undefined {
      if (own(field) === undefined || own(field) === null) return undefined
      const path = text(field)
      if (path === undefined || isAbsolute(path)) return path
      return resolve(source.workspaceFolder ?? '.', path)
    },
    url(field: string): string {
      const problemsBefore = problems.length
      const url = text(field)
      if (url === undefined || problems.length > problemsBefore) return ''
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
        problems.push(`"${field}" must be an http: or https: URL`)
      } else if (new URL(url).username !== '' || new URL(url).password !== '') {
        problems.push(`"${field}" must not hold a user name or password; use "headers": { "Authorization": "…" }`)
      }
      return url
    },
    choice<C extends string>(field: string, choices: readonly C[]): C | undefined {
      const value = own(field)
      const chosen = choices.find((choice) => choice === value)
      if (value !== undefined && chosen === undefined) {
        problems.push(`"${field}" must be ${choices.map((choice) => `"${choice}"`).join(' or ')}`)
      }
      return chosen
    },
    flag(field: string): boolean | undefined {
      const value = own(field)
      if (value === undefined || typeof value === 'boolean') return value
      problems.push(`"${field}" must be true or false`)
      return undefined
    },
    duration(field: string): number | undefined {
      const value = own(field)
      if (value === undefined) return undefined
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS) return value
      problems.push(`"${field}" must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`)
      return undefined
    },
  }
}

/** `{ key: value }`, or nothing for a field that was not given. */
function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V } // A computed key widens to `string`.
}
