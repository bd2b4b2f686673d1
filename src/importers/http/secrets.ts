/** Shorter values (`1`, `true`, `en`) are settings, and hiding them would make every text unreadable. */
const MIN_SECRET_LENGTH = 5

export type HideSecrets = (text: string) => string

/**
 * Takes secrets out of a text, in the forms in which they come back from a peer: as they are, inside JSON, in a URL or a
 * form, in base64. An API that echoes a request must not hand its token to a program through us.
 */
export function createSecretHider(values: Iterable<string>): HideSecrets {
  const forms = new Set<string>()
  for (const value of values) {
    if (value.length < MIN_SECRET_LENGTH) continue
    const json = JSON.stringify(value).slice(1, -1)
    const url = encodeURIComponent(value.toWellFormed())
    for (const form of [value, json, json.replaceAll('/', '\\/'), url, url.replaceAll('%20', '+')]) forms.add(form)
    forms.add(Buffer.from(value).toString('base64'))
  }
  // Longest first: a value inside another one must not break the longer one's match.
  const secrets = [...forms].sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text)
}

const CREDENTIAL =
  /(?:^|[-_])(?:auth|authorization|authentication|cookie|pass\w*|session|sid)(?:$|[-_])|key|secret|token|credential/i

/** Whether a header carries what must not be shown, judged by its name. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL.test(name)
}
