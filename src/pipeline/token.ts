import type { CallToken } from '../registry/tool.ts'
import type { LiveCall } from './live-call.ts'

/**
 * The only mint of call tokens. A token is an empty frozen object: it says nothing, and only the runtime that minted
 * it can find the call behind it, for as long as that call may have children. A copy, a token of another runtime and
 * a token of a finished call all find nothing.
 */
export class TokenMint {
  mint(): CallToken {
    return Object.freeze(new Face(this)) as object as CallToken // The brand exists in types only.
  }

  /** From here on the token may be a parent. */
  enliven(token: CallToken, call: LiveCall): void {
    Face.turn(token, this, call)
  }

  retire(token: CallToken): void {
    Face.turn(token, this, undefined)
  }

  /** `token` is anything a caller may have handed in. */
  find(token: unknown): LiveCall | undefined {
    return typeof token === 'object' && token !== null ? Face.callOf(token, this) : undefined
  }
}

/**
 * The side of a token that only this file sees: private fields, which nobody can copy or forge and a proxy does not
 * inherit, like an entry in a WeakMap, which costs a call ten times as much.
 */
class Face {
  readonly #mint: TokenMint
  #call: LiveCall | undefined
  constructor(mint: TokenMint) {
    this.#mint = mint
  }
  static turn(token: object, mint: TokenMint, call: LiveCall | undefined): void {
    if (#mint in token && token.#mint === mint) token.#call = call
  }
  static callOf(token: object, mint: TokenMint): LiveCall | undefined {
    return #mint in token && token.#mint === mint ? token.#call : undefined
  }
}
// A token says nothing, not even what made it.
Object.setPrototypeOf(Face.prototype, null)
Reflect.deleteProperty(Face.prototype, 'constructor')
Object.freeze(Face.prototype)
