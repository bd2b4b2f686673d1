import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { z } from 'zod'
import { CodedError, hasCode, thrownMessage } from '../../data/failure.ts'
import type { TokenSettings } from '../../settings/settings.ts'

const TokenFile = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: z.string().min(1).max(64),
      scope: z.string().min(1).max(256),
      may: z.array(z.enum(['run', 'call', 'read', 'approve', 'elicit'])),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})

/**
 * Tokens of a service that was started without a configuration: their hashes, beside the sessions that they open. An
 * absent file holds none; a damaged one is an error, never "no tokens": that would mint a new way in.
 */
export function readTokenFile(path: string): readonly TokenSettings[] | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return undefined
    throw new CodedError('CONFIG_INVALID', `token file ${path}: it cannot be read: ${thrownMessage(thrown)}`)
  }
  try {
    return TokenFile.parse(JSON.parse(text)).tokens
  } catch {
    // The parser's own words may quote the file.
    throw new CodedError(
      'CONFIG_INVALID',
      `token file ${path}: it is not a list of tokens as \`codeferry token new\` writes it; restore it, or delete it and make new tokens`,
    )
  }
}

/** Replaces the file as a whole, readable by its owner alone. */
export function writeTokenFile(path: string, tokens: readonly TokenSettings[]): void {
  const draft = `${path}.${process.pid}.draft`
  try {
    const file = openSync(draft, 'w', 0o600)
    try {
      // The mode above is for a new file only.
      chmodSync(draft, 0o600)
      writeSync(file, `${JSON.stringify({ tokens }, undefined, 2)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (thrown) {
    throw new CodedError('CONFIG_INVALID', `token file ${path}: it cannot be written: ${thrownMessage(thrown)}`)
  }
}

/** Beside the sessions that the tokens open. */
export function tokenFileOf(database: string): string {
  return `${database}.tokens.json`
}
