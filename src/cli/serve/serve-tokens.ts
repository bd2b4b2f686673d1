import { resolve } from 'node:path'
import { mintToken } from '../../service/auth/mint-token.ts'
import { readTokenFile, tokenFileOf, writeTokenFile } from '../../service/auth/token-file.ts'
import type { TokenSettings } from '../../settings/settings.ts'
import type { Io } from '../io.ts'
import type { ServeSources } from './serve-sources.ts'

export interface ServeTokens {
  readonly tokens: readonly TokenSettings[]
  /** Where their hashes are, when they are not in the configuration. */
  readonly file?: string
  /** Of the token that was made just now; shown once. */
  readonly secret?: string
}

/**
 * The tokens of the configuration, or those in the file beside the sessions: never both, so that a token which nobody
 * thinks of any more opens nothing. Undefined when there are neither.
 */
export function findTokens({ tokens, database }: ServeSources, io: Io): ServeTokens | undefined {
  if (tokens.length > 0) return { tokens }
  const file = fileOf(database, io)
  const kept = readTokenFile(file)
  return kept && { tokens: kept, file }
}

/**
 * The one of a first start. Only for a service that listens: its secret is shown once, and a start that fails would
 * leave a file of which nobody knows the secret.
 */
export function makeFirstToken({ database }: ServeSources, io: Io): ServeTokens {
  const file = fileOf(database, io)
  // Not for approvals: who runs programs must not be who answers for them.
  const { secret, entry } = mintToken({ name: 'first', scope: 'global', may: ['run', 'call', 'read'] })
  writeTokenFile(file, [entry])
  return { tokens: [entry], file, secret }
}

export interface ReloadedTokens extends ServeTokens {
  /** Why they are those that there were. */
  readonly problem?: string
}

/**
 * Those after a reload. None is made: nobody would see its secret, and whoever works with the old one would stand
 * outside. The file is the one beside the sessions that are in use, `database`, whatever the configuration says of the
 * next start.
 */
export function reloadTokens(
  next: ServeSources,
  { current, database }: { readonly current: ServeTokens; readonly database: string | undefined },
  io: Io,
): ReloadedTokens {
  const { database: _next, ...rest } = next
  const found = findTokens({ ...rest, ...(database !== undefined && { database }) }, io)
  if (found !== undefined) return found
  return {
    ...current,
    problem: `there are no tokens in the configuration, and there is no token file ${fileOf(database, io)}: those that there were still count, until the next start makes a new one; put the file back, or make one with codeferry token new`,
  }
}

function fileOf(database: string | undefined, io: Io): string {
  return tokenFileOf(database ?? resolve(io.cwd, 'codeferry'))
}
