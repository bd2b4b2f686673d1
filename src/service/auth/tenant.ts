import type { Grant } from '../../settings/settings.ts'

/**
 * Who a request comes from. The scope is the border: what two tokens of one scope make is theirs together, and nothing
 * of it is visible in any other scope, the scopes above and below included.
 */
export interface Tenant {
  /** Of the token, for logs and for `by` of an approval; never secret. */
  readonly name: string
  /** Digest of its secret: the same token under another name is the same token. Not for logs. */
  readonly tokenId: string
  readonly scope: string
  readonly may: ReadonlySet<Grant>
}
