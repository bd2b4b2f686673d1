import { dirname, resolve } from 'node:path'
import { CodedError } from '../data/failure.ts'
import { isRecord } from '../data/json.ts'
import { readConfigFile } from '../importers/config-file.ts'
import { kindOf, parseConfigText, readMcpServers, type ConfigDocument } from '../importers/mcp-config.ts'
import { printableLine } from '../importers/printable.ts'
import { SERVER_DEFAULTS } from './defaults.ts'
import { explainIssues, placeOf } from './explain-issues.ts'
import { resolveScopes } from './resolve-scopes.ts'
import { resolveTokens } from './resolve-tokens.ts'
import { rootSchema, type SettingsDocument } from './schema/root.ts'
import type { ServerSettings, Settings } from './settings.ts'
import { soundParts } from './sound-parts.ts'
import { sourceNamespaces } from './source-namespaces.ts'

export interface ReadSettingsOptions {
  /** Where `${NAME}` and the secrets of tokens are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What `path`, `${workspaceFolder}` and a server's relative `cwd` are relative to. */
  readonly cwd: string
  /** False: tokens are checked but their secrets not looked for, and `tokens` is empty: for whoever serves nobody. Default true. */
  readonly withSecrets?: boolean
}

/** Of a `codeferry.json`; paths in it are relative to its folder. */
const OWN_NAME = /(?:^|[./\\])codeferry\.jsonc?$/
/** Faults that are told at once; a file with more is better read again after these. */
const MAX_FAULTS = 100

/**
 * Reads a configuration file: a `codeferry.json`, or any client's file of MCP servers, which then says nothing else.
 * Throws `CodedError('CONFIG_INVALID')` with every fault of the file at once, each with its place, the rule, what was
 * found and what to do. No message holds a secret. What is wrong with a single MCP server is a problem in the result.
 */
export function readSettings(path: string, options: ReadSettingsOptions): Settings {
  // As `readMcpConfig` takes it: the text itself in place of a path.
  if (path.trimStart().startsWith('{')) return parseSettings(path, 'the configuration', options)
  return parseSettings(readConfigFile(resolve(options.cwd, path)), path, options)
}

/** The same for a text that is there already; `path` names it and need not exist. */
export function parseSettings(text: string, path: string, options: ReadSettingsOptions): Settings {
  const document = parseConfigText(text, printableLine(path))
  return isOwnFile(path, document.value) ? readOwn(document, path, options) : readPlain(document, path, options)
}

/** Every file that says something only we understand is ours, and held to our rules: a rule in it must not be passed over. */
function isOwnFile(path: string, root: unknown): boolean {
  if (OWN_NAME.test(path)) return true
  if (!isRecord(root)) return false
  if (typeof root.$schema === 'string' && root.$schema.includes('codeferry')) return true
  return Object.keys(rootSchema.shape).some(
    (key) => key !== '$schema' && key !== 'mcpServers' && Object.hasOwn(root, key),
  )
}

function readPlain(document: ConfigDocument, path: string, { env, cwd }: ReadSettingsOptions): Settings {
  const { servers, problems } = readMcpServers(document, { env, workspaceFolder: cwd })
  return {
    path,
    folder: dirname(resolve(cwd, path)),
    kind: 'mcp-servers',
    servers,
    openapi: [],
    http: [],
    scopes: new Map(),
    policies: {},
    tokens: [],
    server: SERVER_DEFAULTS,
    problems,
  }
}

function readOwn(document: ConfigDocument, path: string, options: ReadSettingsOptions): Settings {
  const { place, value: root } = document
  if (!isRecord(root)) {
    throw invalid(place, [`the file: must be an object; found ${kindOf(root)}; begin it with { "mcpServers": { … } }`])
  }
  const { env, cwd, withSecrets = true } = options
  const folder = dirname(resolve(cwd, path))
  const faults = [
    ...document.duplicateKeys.map((message) => `${message}; take one of them out, or a rule may be lost`),
    ...specialKeys(root),
  ]
  const checked = rootSchema.safeParse(root)
  if (!checked.success) faults.push(...explainIssues(checked.error.issues, rootSchema, root))
  const { said, scopes: entries, tokens: described } = soundParts(root)
  const servers = readMcpServers(
    { ...document, value: { mcpServers: isRecord(root.mcpServers) ? root.mcpServers : {} }, duplicateKeys: [] },
    { env, workspaceFolder: cwd },
  )
  const openapi = (said.openapi ?? []).map(({ name }) => name)
  const namespaces = sourceNamespaces({ servers: servers.servers.map(({ name }) => name), openapi })
  const { scopes, faults: scopeFaults } = resolveScopes(
    entries,
    namespaces,
    Object.keys(isRecord(root.mcpServers) ? root.mcpServers : {}),
    (said.http ?? []).map(({ name }) => name),
  )
  const scopeNames = new Set(entries.keys())
  faults.push(...twinSources(openapi, root.mcpServers), ...scopeFaults, ...unknownScopes(said, scopeNames))
  const { tokens, faults: tokenFaults } = resolveTokens(described, {
    withSecrets,
    env,
    folder,
    scopes: scopeNames,
  })
  faults.push(...tokenFaults)
  if (faults.length > 0) throw invalid(place, faults)

  return {
    path,
    folder,
    kind: 'codeferry',
    servers: servers.servers,
    openapi: said.openapi ?? [],
    http: said.http ?? [],
    scopes,
    policies: said.policies ?? {},
    ...(said.limits !== undefined && { limits: definedOf(said.limits) }),
    ...(said.typecheck !== undefined && { typecheck: said.typecheck }),
    ...(said.requireConfinement !== undefined && { requireConfinement: said.requireConfinement }),
    ...(said.pool !== undefined && { pool: definedOf(said.pool) }),
    tokens,
    ...(said.store === 'memory' && { isMemoryStore: true }),
    ...(typeof said.store === 'object' && { store: { sqlite: resolve(folder, said.store.sqlite) } }),
    server: serverOf(said.server ?? {}),
    problems: servers.problems,
  }
}

function serverOf({ telemetry, ...given }: NonNullable<SettingsDocument['server']>): ServerSettings {
  return {
    ...SERVER_DEFAULTS,
    ...definedOf(given),
    telemetry: { ...SERVER_DEFAULTS.telemetry, ...definedOf(telemetry ?? {}) },
  }
}

/** A scope names its sources, so a name must mean one. */
function twinSources(openapi: readonly string[], mcpServers: unknown): readonly string[] {
  return openapi.flatMap((name, index) => {
    const isServer = isRecord(mcpServers) && Object.hasOwn(mcpServers, name)
    if (!isServer && openapi.indexOf(name) === index) return []
    const other = isServer ? 'an MCP server' : `openapi[${openapi.indexOf(name)}]`
    return [`openapi[${index}].name: must be its own; ${other} has the same; rename one`]
  })
}

/** A rule for a scope that does not exist would be no rule. */
function unknownScopes({ policies }: SettingsDocument, known: ReadonlySet<string>): readonly string[] {
  return (['approval', 'guards'] as const).flatMap((kind) =>
    (policies?.[kind] ?? []).flatMap((rule, index) =>
      (rule.scopes ?? [])
        .filter((scope) => scope !== 'global' && !known.has(scope))
        .map(
          (scope) =>
            `policies.${kind}[${index}].scopes: must name "global" or scopes of "scopes"; found ${JSON.stringify(printableLine(scope))}; declare it there, or correct it`,
        ),
    ),
  )
}

/** JSON may hold a key `__proto__`; no setting has that name, and the schema would pass it over where names are free. */
function specialKeys(root: unknown): readonly string[] {
  const faults: string[] = []
  const pending: { readonly value: unknown; readonly path: readonly (string | number)[] }[] = [
    { value: root, path: [] },
  ]
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, path } = item
    if (typeof value !== 'object' || value === null) continue
    // Values that a rule compares with, and servers, which their own reader reads, may hold any key.
    if (path.at(-1) === 'equals' || path.at(-1) === 'in' || path[0] === 'mcpServers') continue
    if (!Array.isArray(value) && Object.hasOwn(value, '__proto__'))
      faults.push(`${placeOf([...path, '__proto__'])}: there is no such key, and nothing can be named so; remove it`)
    for (const [key, inner] of Object.entries(value))
      if (key !== '__proto__') pending.push({ value: inner, path: [...path, Array.isArray(value) ? Number(key) : key] })
  }
  return faults
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }
/** Keys that were left out stay absent. */
function definedOf<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>
}

function invalid(place: string, faults: readonly string[]): CodedError {
  const shown = [...new Set(faults)].slice(0, MAX_FAULTS)
  const rest =
    faults.length > shown.length && shown.length === MAX_FAULTS ? [`… and ${faults.length - MAX_FAULTS} more`] : []
  const lines = [...shown, ...rest]
  const message =
    lines.length === 1
      ? `${place}: ${lines[0]}`
      : `${place} has ${lines.length} faults:\n${lines.map((line) => `  ${line}`).join('\n')}`
  return new CodedError('CONFIG_INVALID', message, { details: { problems: shown } })
}
