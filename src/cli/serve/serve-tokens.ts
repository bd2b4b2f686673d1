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
 * thinks of any more opens nothing. At the first start, with neither, one is made.
 */
export function findTokens({ tokens, database }: ServeSources, io: Io): ServeTokens {
  if (tokens.length > 0) return { tokens }
  const file = tokenFileOf(database ?? resolve(io.cwd, 'codeferry'))
  const kept = readTokenFile(file)
  if (kept !== undefined) return { tokens: kept, file }
  // Not for approvals: who runs programs must not be who answers for them.
  const { secret, entry } = mintToken({ name: 'first', scope: 'global', may: ['run', 'call', 'read'] })
  writeTokenFile(file, [entry])
  return { tokens: [entry], file, secret }
}
