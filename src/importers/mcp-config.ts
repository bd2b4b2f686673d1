import { resolve } from 'node:path'
import { CodedError } from '../data/failure.ts'
import { isRecord } from '../data/json.ts'
import { readConfigFile } from './config-file.ts'
import { maskedFrame, parseJsonc } from './parse-jsonc.ts'
import { printableLine } from './printable.ts'
import { readServerEntry } from './read-server-entry.ts'
import type { ServerEntry, ServerProblem } from './server-entry.ts'

export type { ServerEntry, ServerProblem } from './server-entry.ts'

export interface McpConfig {
  /** Enabled servers that are well described, in the order of the file. */
  readonly servers: readonly ServerEntry[]
  /** What is wrong with single servers; they are not in `servers` unless the message is a mere warning. */
  readonly problems: readonly ServerProblem[]
}

export interface McpConfigOptions {
  /** Where `${NAME}` is looked up. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What `${workspaceFolder}` stands for, and what a relative `cwd` is relative to. */
  readonly workspaceFolder?: string
}

/** Keys under which clients keep their servers: most of them, VS Code's `mcp.json`, VS Code's settings. */
const SERVER_KEYS = ['mcpServers', 'servers'] as const
const MAX_SERVERS = 200

/**
 * Reads the MCP server configuration that people already have (Claude Desktop, Claude Code, Cursor, Windsurf,
 * VS Code). `source` is a path, or the JSON text itself when it begins with `{`. Reads only, never writes.
 *
 * Throws `CodedError('CONFIG_INVALID')` when there is no such file, or it is no such configuration at all; what is
 * wrong with one server is a problem in the result and the others go on. No message contains a value of the file.
 */
export function readMcpConfig(source: string, options: McpConfigOptions): McpConfig {
  const inline = source.trimStart().startsWith('{')
  const place = inline ? 'the MCP configuration' : printableLine(source)
  return readMcpServers(parseConfigText(inline ? source : readConfigFile(source), place), options)
}

/** A configuration that is JSON; what it says is still to be read. */
export interface ConfigDocument {
  /** How messages name it. */
  readonly place: string
  readonly value: unknown
  /** `place:line: …`, one a key that occurs twice in one object. */
  readonly duplicateKeys: readonly string[]
}

/** Throws `CONFIG_INVALID`, showing the place but no value, when the text is no JSON. */
export function parseConfigText(text: string, place: string): ConfigDocument {
  const parsed = parseJsonc(text)
  if (!parsed.ok) {
    const { line, column, message } = parsed.problem
    throw new CodedError(
      'CONFIG_INVALID',
      `${place}:${line}:${column}: this is not JSON: ${message}\n${maskedFrame(text, parsed.problem)}`,
    )
  }
  const duplicateKeys = parsed.duplicateKeys.map(({ line, message }) => `${place}:${line}: ${printableLine(message)}`)
  return { place, value: parsed.value, duplicateKeys }
}

/** As `readMcpConfig`, for what has been parsed already. */
export function readMcpServers(
  { place, value: root, duplicateKeys }: ConfigDocument,
  options: McpConfigOptions,
): McpConfig {
  const problems: ServerProblem[] = duplicateKeys.map((message) => ({ message }))
  const described = findServers(root, place, problems)
  const servers: ServerEntry[] = []
  for (const [name, value] of described) {
    const read = readServerEntry(name, value, {
      env: options.env,
      workspaceFolder: options.workspaceFolder === undefined ? undefined : resolve(options.workspaceFolder),
    })
    const leftOut = read.entry === undefined ? { isLeftOut: true } : {}
    problems.push(...read.problems.map((message) => ({ server: name, message, ...leftOut })))
    if (read.entry !== undefined) servers.push(read.entry)
  }
  return { servers, problems }
}

/** What a document says of its servers, unread, by name. Throws `CONFIG_INVALID` when it is no such configuration. */
export function describedServers({ place, value }: ConfigDocument): ReadonlyMap<string, unknown> {
  return findServers(value, place, [])
}

function findServers(root: unknown, place: string, problems: ServerProblem[]): ReadonlyMap<string, unknown> {
  if (!isRecord(root)) {
    throw new CodedError(
      'CONFIG_INVALID',
      `${place} must hold a JSON object with "mcpServers"; it holds ${kindOf(root)}`,
    )
  }
  const holders: [where: string, value: unknown][] = SERVER_KEYS.filter((key) => Object.hasOwn(root, key)).map(
    (key) => [key, root[key]],
  )
  if (isRecord(root.mcp) && Object.hasOwn(root.mcp, 'servers')) holders.push(['mcp.servers', root.mcp.servers])
  if (holders.length === 0) {
    throw new CodedError(
      'CONFIG_INVALID',
      `${place} has no "mcpServers" (nor VS Code's "servers"); expected { "mcpServers": { "name": { "command": "…" } } }`,
    )
  }
  const serversByName = new Map<string, unknown>()
  for (const [where, holder] of holders) {
    if (!isRecord(holder)) {
      throw new CodedError(
        'CONFIG_INVALID',
        `${place}: "${where}" must be an object that maps server names to servers; it is ${kindOf(holder)}`,
      )
    }
    for (const [name, value] of Object.entries(holder)) {
      if (serversByName.has(name))
        problems.push({ server: name, message: `is described twice; the one in "${where}" is not used` })
      else serversByName.set(name, value)
    }
  }
  if (serversByName.size > MAX_SERVERS) {
    throw new CodedError(
      'CONFIG_INVALID',
      `${place} describes ${serversByName.size} servers; at most ${MAX_SERVERS} are allowed`,
    )
  }
  return serversByName
}

/** `an array`, `a string`, …: says what was found without saying what is in it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}
