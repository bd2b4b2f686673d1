import { resolve } from 'node:path'
import { CodedError } from '../../data/failure.ts'
import { mintToken } from '../../service/auth/mint-token.ts'
import { readTokenFile, tokenFileOf, writeTokenFile } from '../../service/auth/token-file.ts'
import type { Grant } from '../../settings/settings.ts'
import { EXIT } from '../exit-codes.ts'
import { writeJson, type Io } from '../io.ts'

export interface TokenNewOptions {
  readonly db: string
  readonly scope: string
  readonly may: readonly Grant[]
  readonly print?: boolean
  readonly json?: boolean
}

/** Makes a token and shows it, this once. A service that runs takes it up when it reads its configuration anew. */
export async function tokenNewCommand(name: string, options: TokenNewOptions, io: Io): Promise<number> {
  const { scope, may } = options
  const { secret, entry } = mintToken({ name, scope, may: [...new Set(may)] })
  const { sha256, ...facts } = entry
  const configured = { ...facts, secret: { sha256 } }
  const file = options.print === true ? undefined : tokenFileOf(resolve(io.cwd, options.db))
  if (file !== undefined) {
    const known = readTokenFile(file) ?? []
    if (known.some((token) => token.name === name)) {
      throw new CodedError(
        'CONFIG_INVALID',
        `token ${name}: ${file} has one of that name; choose another, or take that one out of the file first`,
      )
    }
    writeTokenFile(file, [...known, entry])
  }
  if (options.json === true) writeJson(io, { token: secret, entry: configured, ...(file !== undefined && { file }) })
  else if (file === undefined)
    io.stdout.write(
      `${secret}\n\nShown once. For "tokens" in codeferry.json:\n${JSON.stringify(configured, undefined, 2)}\n`,
    )
  else io.stdout.write(`${secret}\n\nShown once; its hash is in ${file}. A running service takes it up on SIGHUP.\n`)
  return EXIT.ok
}
