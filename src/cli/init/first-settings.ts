/** What goes into the file. */
export interface FirstSettings {
  /** The file the servers are from; absent: there are none yet. */
  readonly from?: string
  readonly servers: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Variables that the servers need, for the comment. */
  readonly variables: readonly string[]
  /** Path of the JSON Schema, when the package is installed beside the file. */
  readonly schema?: string
}

/** The text of a first `codeferry.json`: the servers, and what else could be said, in comments. */
export function firstSettings({ from, servers, variables, schema }: FirstSettings): string {
  const lines = [
    '{',
    ...(schema === undefined ? [] : [`  "$schema": ${JSON.stringify(schema)},`, '']),
    ...(from === undefined
      ? ['  // Your MCP servers: "name": { "command": "…", "args": ["…"] } or { "url": "https://…" }.']
      : [`  // MCP servers, from ${oneLine(from)}.`]),
    ...(variables.length === 0 ? [] : [`  // They need these environment variables: ${variables.join(', ')}.`]),
    ...indented(`"mcpServers": ${JSON.stringify(Object.fromEntries(servers), undefined, 2)},`),
    '',
    REST,
    '}',
  ]
  return `${lines.join('\n')}\n`
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${line}`)
}

/** A path may hold any character; a comment ends with its line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

const REST = `  // What is asked about, denied and hidden. Tools that say nothing of themselves count as destructive.
  // "policies": {
  //   "approval": [{ "when": "destructive", "reason": "it may delete data" }],
  //   "guards": [{ "tools": "files.*", "arguments": { "pointer": "/path", "matches": "^/etc" }, "reason": "not there" }],
  //   "rate": [{ "tools": "*", "maxConcurrent": 8 }],
  //   "timeouts": [{ "tools": "*", "timeoutMs": 30000 }],
  //   "redact": [{ "target": "both" }],
  // },

  // Who sees which tools: codeferry run program.ts --scope reader
  // "scopes": {
  //   "reader": { "restrictions": { "deny": ["files.write_file"] } },
  // },

  // What one program may use; these are the defaults.
  // "limits": { "wallMs": 120000, "cpuMs": 10000, "memoryMb": 128, "maxCalls": 1000 },

  // Where sessions are kept; without it they end with the process.
  // "store": { "sqlite": "sessions.sqlite" },

  // The HTTP service, and who may use it. Secrets are not written here: they are read from where these point.
  // "server": { "host": "127.0.0.1", "port": 8765 },
  // "tokens": [{ "name": "agent", "may": ["run", "read"], "secret": { "env": "AGENT_TOKEN" } }],`
