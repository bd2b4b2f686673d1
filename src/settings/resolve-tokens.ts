import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { didYouMean } from '../data/nearest-names.ts'
import { thrownMessage } from '../data/failure.ts'
import { isConfigFileThere, readConfigFile } from '../importers/config-file.ts'
import { GLOBAL_SCOPE } from '../registry/scope.ts'
import { DEFAULT_GRANTS } from './defaults.ts'
import type { SecretSource, TokenEntry } from './schema/tokens.ts'
import type { TokenSettings } from './settings.ts'

/** What can be guessed is no secret. */
const MIN_SECRET = 16
const MAX_SECRET_BYTES = 4_096

export interface TokenSources {
  /** False: only what the file itself says is checked. */
  readonly withSecrets: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** What paths are relative to. */
  readonly folder: string
  readonly scopes: ReadonlySet<string>
}

/** Digests of the secrets, and every fault. A secret is read, digested and forgotten; no message holds one. */
export function resolveTokens(
  entries: ReadonlyMap<number, TokenEntry>,
  sources: TokenSources,
): { readonly tokens: readonly TokenSettings[]; readonly faults: readonly string[] } {
  const faults: string[] = []
  const tokens: TokenSettings[] = []
  const placeByName = new Map<string, string>()
  const placeByDigest = new Map<string, string>()
  for (const [index, entry] of entries) {
    const place = `tokens[${index}]`
    const twin = placeByName.get(entry.name)
    if (twin !== undefined) faults.push(`${place}.name: must be its own; ${twin} has the same; rename one`)
    placeByName.set(entry.name, twin ?? place)
    const scope = entry.scope ?? GLOBAL_SCOPE
    if (scope !== GLOBAL_SCOPE && !sources.scopes.has(scope)) {
      const near = didYouMean(scope, [GLOBAL_SCOPE, ...sources.scopes])
      faults.push(
        `${place}.scope: must be "global" or a scope of "scopes"; found ${JSON.stringify(scope)}; declare it there.${near}`,
      )
    }
    if (!sources.withSecrets) continue
    const digest = digestOf(entry.secret, sources)
    if ('fault' in digest) {
      faults.push(`${place}.secret${digest.fault}`)
      continue
    }
    const other = placeByDigest.get(digest.sha256)
    if (other !== undefined)
      faults.push(`${place}.secret: must be its own; ${other} has the same secret; give each token a new one`)
    placeByDigest.set(digest.sha256, other ?? place)
    tokens.push({ name: entry.name, scope, may: [...new Set(entry.may ?? DEFAULT_GRANTS)], sha256: digest.sha256 })
  }
  return { tokens, faults }
}

function digestOf(
  source: SecretSource,
  { env, folder }: TokenSources,
): { readonly sha256: string } | { readonly fault: string } {
  if (source.sha256 !== undefined) return { sha256: source.sha256.toLowerCase() }
  if (source.env !== undefined) {
    const secret = env[source.env]
    if (secret === undefined || secret === '') {
      const subject = isName(source.env) ? source.env : 'the one it names'
      return { fault: `.env: must name a variable that is set; ${subject} is not; set it where the service starts` }
    }
    return digestOfText(secret, `.env: ${source.env}`)
  }
  const path = resolve(folder, source.file ?? '')
  // What names no file may be the secret itself, in the wrong place.
  if (!isConfigFileThere(path)) {
    return {
      fault:
        '.file: must be a file that can be read, seen from the folder of the configuration; found none of that name (not shown: it may be the secret itself); correct it',
    }
  }
  try {
    // A line end at the end is an editor's, not the secret's.
    const secret = readConfigFile(path, MAX_SECRET_BYTES).replace(/\r?\n$/, '')
    return digestOfText(secret, '.file: the text of the file')
  } catch (thrown) {
    return { fault: `.file: must be a file that can be read; ${thrownMessage(thrown)}` }
  }
}

/** As variables are usually called, and too short in each word to be a secret that stands there by mistake. */
function isName(variable: string): boolean {
  return /^[A-Z0-9_]+$/.test(variable) && variable.split('_').every((word) => word.length < MIN_SECRET)
}

function digestOfText(secret: string, what: string): { readonly sha256: string } | { readonly fault: string } {
  if (secret.length < MIN_SECRET) {
    return {
      fault: `${what} must have at least ${MIN_SECRET} characters; found ${secret.length}; make one with: openssl rand -base64 32`,
    }
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return {
      fault: `${what} must be printable ASCII without spaces, as it travels in a header; make one with: openssl rand -base64 32`,
    }
  }
  return { sha256: createHash('sha256').update(secret, 'utf8').digest('hex') }
}
