import { printable } from './printable.ts'
import { inheritedCredentials, type Environment } from './server-environment.ts'
import type { ServerEntry } from './server-entry.ts'

/** Shorter values (`1`, `true`, `en`) are settings, not secrets, and would make every message unreadable. */
const MIN_SECRET_LENGTH = 5

export type Redactor = (text: string, maxLength?: number) => string

/**
 * Takes a server's secrets out of text about it (its stderr, an error of the transport) and makes the rest printable.
 * A server that prints its own token must not get it into a log or a model's context through us.
 */
export function createRedactor(entry: ServerEntry, environment: Environment = process.env): Redactor {
  const values = [...(entry.secrets ?? [])]
  if (entry.transport === 'stdio') values.push(...Object.values(entry.env ?? {}), ...inheritedCredentials(environment))
  else {
    // Hosted servers are often reached by a secret path or query.
    const origin = URL.canParse(entry.url) ? new URL(entry.url).origin : ''
    values.push(entry.url, entry.url.slice(origin.length + 1))
    for (const header of Object.values(entry.headers ?? {})) values.push(header, header.replace(/^\w+\s+/, ''))
    if (URL.canParse(entry.url)) values.push(...new URL(entry.url).searchParams.values())
  }
  // As text shows them: a value with escape sequences or other line ends would come out clean and unmatched.
  const shown = values.map((value) => printable(value, Number.POSITIVE_INFINITY))
  // Longest first: a value inside another one must not break the longer one's match.
  const secrets = [...new Set([...shown, ...shown.map((value) => encodeURIComponent(value))])]
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
  return (text, maxLength) => {
    // Cleaned first: colours in the middle of a token would hide it from the search and be taken out afterwards.
    let clean = printable(text, Number.POSITIVE_INFINITY)
    for (const secret of secrets) clean = clean.replaceAll(secret, '[hidden]')
    return printable(clean, maxLength)
  }
}
