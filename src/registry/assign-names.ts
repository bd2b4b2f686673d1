import { createHash } from 'node:crypto'
import { compareNames } from './tool-name.ts'

/** Something that needs a name of its own among others. */
export interface Claim {
  readonly key: string
  /** The registered name, from which a suffix is made. */
  readonly origin: string
  readonly wanted: string
  /** `exact`: the origin is the wanted name. It goes before `group`, and that before what had to be changed. */
  readonly right: 'exact' | 'group' | 'changed'
}

export interface Assignment {
  readonly nameByKey: ReadonlyMap<string, string>
  /** Keys that did not get what they wanted because something else has it, in byte order. */
  readonly displaced: readonly string[]
}

const SUFFIX_LENGTHS = [8, 16, 24, 32, 40, 48, 56]

/**
 * Gives each claim a name that no other has. Depends on the set of claims alone, never on their order. Where several
 * want one name, the one with the better right keeps it; without such a one all of them get a suffix, so that nobody's
 * name depends on who is sorted first.
 *
 * `reserved` names go to `exact` claims only. Names longer than `maxLength` are cut and get a suffix.
 */
export function assignNames(claims: readonly Claim[], maxLength: number, reserved: ReadonlySet<string>): Assignment {
  const nameByKey = new Map<string, string>()
  const taken = new Set(reserved)
  const suffixed: Claim[] = []
  const displaced: string[] = []
  for (const [wanted, rivals] of groupByWanted(claims)) {
    const winner = wanted.length > maxLength ? undefined : winnerOf(rivals, reserved.has(wanted))
    if (winner !== undefined) {
      nameByKey.set(winner.key, wanted)
      taken.add(wanted)
    }
    const rest = rivals.filter((claim) => claim !== winner)
    suffixed.push(...rest)
    if (wanted.length <= maxLength || rivals.length > 1) displaced.push(...rest.map(({ key }) => key))
  }
  suffixed.sort((a, b) => compareNames(a.key, b.key))
  for (const { key, origin, wanted } of suffixed) {
    const name = firstFree(wanted, origin, maxLength, taken)
    nameByKey.set(key, name)
    taken.add(name)
  }
  return { nameByKey, displaced: displaced.sort(compareNames) }
}

function groupByWanted(claims: readonly Claim[]): ReadonlyMap<string, readonly Claim[]> {
  const groups = new Map<string, Claim[]>()
  for (const claim of claims) {
    const group = groups.get(claim.wanted)
    if (group === undefined) groups.set(claim.wanted, [claim])
    else group.push(claim)
  }
  return groups
}

function winnerOf(rivals: readonly Claim[], isReserved: boolean): Claim | undefined {
  const exact = rivals.find(({ right }) => right === 'exact')
  if (exact !== undefined || isReserved) return exact
  return rivals.find(({ right }) => right === 'group') ?? (rivals.length === 1 ? rivals[0] : undefined)
}

/** An owner may choose a name that looks like somebody's suffixed one: then the suffix grows until it is free. */
function firstFree(wanted: string, origin: string, maxLength: number, taken: ReadonlySet<string>): string {
  const hash = createHash('sha256').update(origin, 'utf8').digest('hex')
  for (const length of SUFFIX_LENGTHS) {
    const name = `${wanted.slice(0, maxLength - length - 1)}_${hash.slice(0, length)}`
    if (!taken.has(name)) return name
  }
  throw new Error(`no free name for ${JSON.stringify(origin)}: SHA-256 prefixes of 224 bits fall together`)
}
