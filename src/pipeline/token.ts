import type { CallToken } from '../registry/tool.ts'
import type { LiveCall } from './live-call.ts'

/**
 * The only mint of call tokens. A token is an empty frozen object: it says nothing, and only the runtime that minted
 * it can find the call behind it, for as long as that call may have children. A copy, a token of another runtime and
 * a token of a finished call all find nothing.
 */
export class TokenMint {
  readonly #callByToken = new WeakMap<object, LiveCall>()

  mint(): CallToken {
    return Object.freeze(Object.create(null)) as CallToken // The brand exists in types only.
  }

  /** From here on the token may be a parent. */
  enliven(token: CallToken, call: LiveCall): void {
    this.#callByToken.set(token, call)
  }

  retire(token: CallToken): void {
    this.#callByToken.delete(token)
  }

  /** `token` is anything a caller may have handed in. */
  find(token: unknown): LiveCall | undefined {
    return typeof token === 'object' && token !== null ? this.#callByToken.get(token) : undefined
  }
}
