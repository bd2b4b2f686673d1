import { createHash, timingSafeEqual } from 'node:crypto'
import type { TokenSettings } from '../../settings/settings.ts'
import type { Tenant } from './tenant.ts'

/** Gives the tenant of an `Authorization` header, or undefined for every header that is not exactly a known token's. */
export type TokenCheck = (authorization: string | null | undefined) => Tenant | undefined

const BEARER = /^Bearer +([\x21-\x7e]+)$/i
/** Longer than any token that is minted; a header of kilobytes need not be hashed. */
const MAX_TOKEN = 4_096

/**
 * Compares digests, all of them whatever the first one says: neither the time nor the number of comparisons tells how
 * near a guess was or where in the list a token stands. The list is read anew each time, since a reload changes it.
 */
export function createTokenCheck(tokens: () => readonly TokenSettings[]): TokenCheck {
  return (authorization) => {
    const secret = BEARER.exec(authorization ?? '')?.[1]
    if (secret === undefined || secret.length > MAX_TOKEN) return undefined
    const given = createHash('sha256').update(secret).digest()
    let found: TokenSettings | undefined
    for (const token of tokens()) {
      const known = Buffer.from(token.sha256, 'hex')
      // A digest of another length is a damaged entry; it matches nothing.
      if (known.length === given.length && timingSafeEqual(known, given)) found ??= token
    }
    return found && { name: found.name, tokenId: found.sha256, scope: found.scope, may: new Set(found.may) }
  }
}
