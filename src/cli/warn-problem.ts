import type { ServerProblem } from '../importers/server-entry.ts'
import { warn, type Io } from './io.ts'

/** What is wrong with one server or with the whole, on stderr. */
export function warnProblem(io: Io, { server, kind = 'mcp', message, isLeftOut }: ServerProblem): void {
  if (server === undefined) return warn(io, message)
  warn(io, `${KINDS[kind]} "${server}"${isLeftOut === true ? ' is left out, the others go on' : ''}: ${message}`)
}

const KINDS = { mcp: 'MCP server', openapi: 'API', http: 'HTTP tool' } as const
