import { createHash, randomBytes } from 'node:crypto'
import type { TokenSettings } from '../../settings/settings.ts'

export interface MintedToken {
  /** Shown once, kept nowhere. */
  readonly secret: string
  /** What is kept. */
  readonly entry: TokenSettings
}

/** A fresh token of 256 random bits. The prefix lets secret scanners and people see what it is. */
export function mintToken(facts: Omit<TokenSettings, 'sha256'>): MintedToken {
  const secret = `cft_${randomBytes(32).toString('base64url')}`
  return { secret, entry: { ...facts, sha256: createHash('sha256').update(secret).digest('hex') } }
}
