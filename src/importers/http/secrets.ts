import { encodedText } from './encoded-text.ts'

/** Shorter values (`1`, `true`, `en`) are settings, and hiding them would make every text unreadable. */
const MIN_SECRET_LENGTH = 5
const HIDDEN = '[hidden]'

export type HideSecrets = (text: string) => string

export const HIDES_NOTHING: HideSecrets = (text) => text

/**
 * Takes secrets out of a text, in the forms in which they come back from a peer: as they are, in base64, and with any of
 * their characters written as an escape of JSON, a URL or HTML. An API that echoes a request must not hand its token to a
 * program through us.
 */
export function createSecretHider(values: Iterable<string>): HideSecrets {
  const secrets = [...new Set(values)].filter((value) => value.length >= MIN_SECRET_LENGTH)
  if (secrets.length === 0) return HIDES_NOTHING
  const base64 = secrets.map((value) => Buffer.from(value).toString('base64'))
  const spaced = secrets.map((value) => encodeURIComponent(value.toWellFormed()).replaceAll('%20', '+'))
  const base64url = secrets.map((value) => Buffer.from(value).toString('base64url'))
  const plain = longestFirst([...secrets, ...base64, ...spaced, ...base64url])
  const asTheyAre = new RegExp(plain.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
  const encoded = longestFirst([...secrets, ...base64]).map(encodedText)
  const shortest = Math.min(...plain.map(({ length }) => length))
  return (text) => {
    if (text.length < shortest) return text
    const clean = text.replaceAll(asTheyAre, HIDDEN)
    // Every escape that is known begins with one of these.
    return /[\\%&]/.test(clean) ? encoded.reduce((rest, secret) => secret.replaceIn(rest, HIDDEN), clean) : clean
  }
}

/** A value inside another one must not break the longer one's match. */
function longestFirst(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length)
}

const CREDENTIAL =
  /(?:^|[-_])(?:auth|authorization|authentication|appid|cookie|jwt|pass\w*|pwd|session|sid|sig|signature)(?:$|[-_])|keys?(?:$|[-_]|id)|secret|token|credential|password/i

/** Whether a header, or a parameter of a URL, carries what must not be shown, judged by its name. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL.test(name)
}
