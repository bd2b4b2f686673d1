import { existsSync } from 'node:fs'
import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { hasCode, thrownMessage } from '../data/failure.ts'
import type { ServerEntry } from './server-entry.ts'

/** Why a server did not start, and what to do, in one line. May hold secrets: the caller redacts. */
export function explainConnectError(entry: ServerEntry, thrown: unknown, timeoutMs: number): string {
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
    return `no answer to "initialize" within ${timeoutMs} ms (a first start may have to download; "connectTimeoutMs" raises the limit)`
  }
  return entry.transport === 'stdio' ? explainStdio(entry, thrown) : explainHttp(entry, thrown)
}

function explainStdio(entry: Extract<ServerEntry, { transport: 'stdio' }>, thrown: unknown): string {
  if (hasCode(thrown, 'ENOENT')) {
    if (entry.cwd !== undefined && !existsSync(entry.cwd)) return `its "cwd" does not exist: ${entry.cwd}`
    const hint = /\s/.test(entry.command) ? '; "command" is the program alone, arguments belong into "args"' : ''
    return `the program "${entry.command}" was not found; install it or give its full path${hint}`
  }
  if (hasCode(thrown, 'EACCES')) return `the program "${entry.command}" may not be run by this user`
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed)
    return 'it ended before it answered "initialize"'
  return thrownMessage(thrown)
}

function explainHttp(entry: Extract<ServerEntry, { transport: 'streamable-http' | 'sse' }>, thrown: unknown): string {
  const origin = URL.canParse(entry.url) ? new URL(entry.url).origin : 'the URL'
  if (thrown instanceof UnauthorizedError)
    return `${origin} wants authorization (HTTP 401); set "headers": { "Authorization": "…" }`
  if (thrown instanceof SdkHttpError) {
    if (thrown.status === 401 || thrown.status === 403) {
      return `${origin} refuses access (HTTP ${thrown.status}); set or check "headers": { "Authorization": "…" }`
    }
    if ((thrown.status === 404 || thrown.status === 405) && entry.transport !== 'sse') {
      return `there is no Streamable HTTP endpoint at this URL (HTTP ${thrown.status}); check the path, or set "type": "sse" for an old server`
    }
    return `${origin} answered HTTP ${thrown.status}`
  }
  const cause = thrown instanceof Error ? thrown.cause : undefined
  if (hasCode(cause)) return `${origin} cannot be reached (${cause.code})`
  return `${origin}: ${thrownMessage(thrown)}`
}
