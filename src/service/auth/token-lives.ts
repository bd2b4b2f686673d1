import type { Grant, TokenSettings } from '../../settings/settings.ts'
import type { Tenant } from './tenant.ts'

interface Life {
  readonly tokenId: string
  readonly scope: string
  readonly needs: readonly Grant[]
  readonly end: AbortController
}

/**
 * How long what a token has opened may stay open. A request is checked when it comes; a stream or a session goes on for
 * hours after that, and must not outlive the token in whose name it delivers.
 */
export class TokenLives {
  readonly #tokens: () => readonly TokenSettings[]
  readonly #livesByKey = new Map<string, Life>()

  constructor(tokens: () => readonly TokenSettings[]) {
    this.#tokens = tokens
  }

  /** Aborted when the secret is no longer one of this scope's, or has lost each of the grants that let it in. */
  signalOf({ tokenId, scope }: Tenant, needs: readonly Grant[]): AbortSignal {
    const key = JSON.stringify([tokenId, scope, needs])
    const life = this.#livesByKey.get(key) ?? { tokenId, scope, needs, end: new AbortController() }
    // A reload may have come between the check of the request and this.
    if (this.#isOver(life)) life.end.abort(REMOVED)
    else this.#livesByKey.set(key, life)
    return life.end.signal
  }

  /** The list has changed. Secrets are compared, not names: a name can be given to another secret. */
  tokensChanged(): void {
    for (const [key, life] of this.#livesByKey) {
      if (!this.#isOver(life)) continue
      this.#livesByKey.delete(key)
      life.end.abort(REMOVED)
    }
  }

  #isOver({ tokenId, scope, needs }: Life): boolean {
    return !this.#tokens().some(
      (token) => token.sha256 === tokenId && token.scope === scope && needs.some((grant) => token.may.includes(grant)),
    )
  }
}

const REMOVED = new Error('the token was removed, or may no longer do this')
