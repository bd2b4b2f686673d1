import type { TextResults } from './tool-result.ts'

/** How to reach one MCP server. Made by `readMcpConfig`, or by hand. */
export type ServerEntry = StdioServerEntry | HttpServerEntry

interface ServerEntryBase {
  /** The key in the configuration, as its owner wrote it. The tools' namespace is made from it. */
  readonly name: string
  /** Whether one text block that holds JSON reaches programs parsed (`auto`, the default) or as it came. */
  readonly textResults?: TextResults
  /** Every call of this server runs alone. Default false. */
  readonly exclusive?: boolean
  /** Names (the server's own) of tools to leave out. */
  readonly disabledTools?: readonly string[]
  readonly connectTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** Values that came from the environment, besides `env` and `headers`: they never appear in a message. */
  readonly secrets?: readonly string[]
}

export interface StdioServerEntry extends ServerEntryBase {
  readonly transport: 'stdio'
  readonly command: string
  readonly args?: readonly string[]
  /** Added to a small inherited set (PATH, HOME, …, see `server-environment.ts`); the rest of our environment does not reach the server. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface HttpServerEntry extends ServerEntryBase {
  /** `sse` is the transport of protocol revision 2024-11-05, for servers that have no other. */
  readonly transport: 'streamable-http' | 'sse'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Something wrong with one server (or with the whole, without `server`); the others go on. */
export interface ServerProblem {
  readonly server?: string
  /** What `server` is. Default: an MCP server. */
  readonly kind?: 'mcp' | 'openapi' | 'http'
  /** What is wrong, without the server's name. */
  readonly message: string
  /** True when the server is not used at all because of it. */
  readonly isLeftOut?: boolean
}

const MAX_NAMESPACE = 48

/**
 * Namespaces of servers, by server name: the name with every character that a namespace cannot have turned into `_`
 * (a dot would end the namespace early). Two names that meet get a number, in the order of the configuration.
 */
export function serverNamespaces(names: readonly string[]): ReadonlyMap<string, string> {
  const namespaceByName = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of names) {
    if (namespaceByName.has(name)) continue
    const base = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAMESPACE) || 'server'
    let namespace = base
    for (let n = 2; taken.has(namespace); n++) namespace = `${base}_${n}`
    taken.add(namespace)
    namespaceByName.set(name, namespace)
  }
  return namespaceByName
}
