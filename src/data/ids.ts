/** Durable ids are plain, unique and safe to show. Random and clock are arguments: nothing here reads the world. */
declare const idBrand: unique symbol
export type CallId = string & { readonly [idBrand]: 'call' }
export type SessionId = string & { readonly [idBrand]: 'session' }

/** Where fresh ids come from; the host gives one backed by `crypto.randomUUID()`. */
export type IdSource = () => string

export function callId(text: string): CallId {
  return text as CallId // The only place a string becomes a call id.
}
/** The n-th dispatch (from 1) of a composite call. */
export function nestedCallId(parent: CallId, n: number): CallId {
  return callId(`${parent}/${n}`)
}
export function sessionId(text: string): SessionId {
  return text as SessionId // The only place a string becomes a session id.
}
