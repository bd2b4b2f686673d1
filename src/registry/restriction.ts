import { RUN_CODE } from './scope.ts'
import { nameFault, quoted } from './tool-name.ts'

export interface RestrictionOptions {
  /** Only these may be seen; absent: all but the denied. Names, or `ns.*` for all that begin with `ns.`. */
  readonly allow?: readonly string[]
  /** These may not be seen, whatever is allowed. */
  readonly deny?: readonly string[]
  /** Names that no pattern of `deny` means. */
  readonly except?: readonly string[]
  /** Also covers what a scope registers itself, here and below: authority, not just composition. */
  readonly sealed?: boolean
}

export interface Restriction {
  readonly isSealed: boolean
  /** Every name and pattern as its owner wrote it, once. */
  readonly entries: readonly string[]
  permits(name: string): boolean
}

export type ParsedRestriction =
  | { readonly ok: true; readonly restriction: Restriction }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Copies what it is given: changing the arrays afterwards changes nothing. */
export function parseRestriction(options: RestrictionOptions): ParsedRestriction {
  const problems: string[] = []
  const allow = parseEntries('allow', options.allow, problems)
  const deny = parseEntries('deny', options.deny, problems)
  const except = new Set(parseEntries('except', options.except, problems))
  const { sealed } = options
  if (allow === undefined && deny === undefined && problems.length === 0) {
    problems.push('a restriction must say allow or deny; to hide everything use allow: []')
  }
  if (sealed !== undefined && typeof sealed !== 'boolean') problems.push('sealed must be true or false')
  if (problems.length > 0) return { ok: false, problems }
  const isAllowed = allow && matcher(allow)
  const isDenied = matcher(deny ?? [], except)
  const restriction: Restriction = {
    isSealed: sealed === true,
    entries: [...new Set([...(allow ?? []), ...(deny ?? [])])],
    permits: (name) => !isDenied(name) && (isAllowed === undefined || isAllowed(name)),
  }
  return { ok: true, restriction }
}

/** Whether an entry of a restriction speaks about this tool. */
export function entryMatches(entry: string, name: string): boolean {
  return entry.endsWith('.*') ? name.startsWith(entry.slice(0, -1)) : name === entry
}

function parseEntries(field: string, entries: unknown, problems: string[]): readonly string[] | undefined {
  if (entries === undefined) return undefined
  if (!Array.isArray(entries)) {
    problems.push(`${field} must be an array of tool names`)
    return undefined
  }
  const parsed: string[] = []
  for (const entry of entries as readonly unknown[]) {
    const fault = entryFault(entry)
    if (fault !== undefined) problems.push(`${field}: ${quoted(entry)} ${fault}`)
    else if (typeof entry === 'string') parsed.push(entry)
  }
  return parsed
}

/** What is wrong with a name or `ns.*`; undefined when nothing is. */
export function entryFault(entry: unknown): string | undefined {
  if (entry === RUN_CODE) return 'cannot be restricted: run_code is the transport, the mode of a scope decides about it'
  if (entry === '*') return 'is no pattern: say allow: [] to hide everything, or name a namespace as "ns.*"'
  const name = typeof entry === 'string' && entry.endsWith('.*') ? entry.slice(0, -2) : entry
  return nameFault(name)
}

function matcher(entries: readonly string[], except?: ReadonlySet<string>): (name: string) => boolean {
  const names = new Set(entries)
  const patterns = entries.filter((entry) => entry.endsWith('.*'))
  return (name) =>
    names.has(name) || (except?.has(name) !== true && patterns.some((pattern) => entryMatches(pattern, name)))
}
