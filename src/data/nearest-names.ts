/** Names are compared up to this length: a name from outside can be as long as a program. */
const MAX_LENGTH = 128
/** Candidates that are looked at more closely than for exact variants. */
const MAX_CANDIDATES = 20_000
/** Candidates that are compared letter by letter: whoever asks may ask often, with names made to be compared long. */
const MAX_COMPARED = 50

/** The nearest of a fixed set of names, best first. */
export type FindNearest = (wanted: string, max?: number) => string[]

interface Ranked {
  readonly name: string
  readonly score: number
}

/**
 * The candidates that someone who wrote `wanted` most likely meant, best first; none when nothing is near. Names that
 * differ only in case or separators come first, then small typing errors, then names made of the same words.
 */
export function nearestNames(wanted: string, candidates: Iterable<string>, max = 3): string[] {
  return createNearestNames(candidates)(wanted, max)
}

/** As `nearestNames`, for a set that is asked about more than once: most of the work is done here. */
export function createNearestNames(candidates: Iterable<string>): FindNearest {
  const prepared = Array.from(candidates, prepare)
  return (wanted, max = 3) => {
    const target = prepare(wanted)
    if (target.letters === '') return []
    const compared = likeliest(target, prepared)
    const best: Ranked[] = []
    for (const [place, candidate] of prepared.entries()) {
      const { name } = candidate
      if (name === wanted) continue
      const score =
        candidate.letters === target.letters
          ? 1_000
          : place < MAX_CANDIDATES
            ? rank(target, candidate, compared.has(candidate))
            : 0
      if (score > 0) insert(best, { name, score }, max)
    }
    return best.map(({ name }) => name)
  }
}

/** Those of the nearest number of letters of each kind: no edit of one letter changes that by more than one. */
function likeliest(target: Prepared, candidates: readonly Prepared[]): ReadonlySet<Prepared> {
  const near: { readonly candidate: Prepared; readonly apart: number }[] = []
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    const allowed = allowedEdits(target, candidate)
    if (Math.abs(target.letters.length - candidate.letters.length) > allowed) continue
    const apart = lettersApart(target.counts, candidate.counts)
    if (apart <= allowed) near.push({ candidate, apart })
  }
  if (near.length > MAX_COMPARED) near.sort((a, b) => a.apart - b.apart)
  return new Set(near.slice(0, MAX_COMPARED).map(({ candidate }) => candidate))
}

/** ` Did you mean "a" or "b"?`, or nothing when nothing is near. Begins with a space, to be put after a sentence. */
export function didYouMean(wanted: string, candidates: Iterable<string>): string {
  const names = nearestNames(wanted, candidates).map((name) => JSON.stringify(name))
  if (names.length === 0) return ''
  const last = names.pop()
  return ` Did you mean ${names.length === 0 ? '' : `${names.join(', ')} or `}${last}?`
}

interface Prepared {
  readonly name: string
  /** Lower case, separators removed. */
  readonly letters: string
  readonly words: ReadonlySet<string>
  /** How often each kind of letter occurs in `letters`. */
  readonly counts: Uint8Array
}

function prepare(name: string): Prepared {
  const spaced = name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  const words = spaced.split(/[\s_\-./:]+/).filter((word) => word !== '')
  const letters = words.join('')
  const counts = new Uint8Array(KINDS)
  // Letters that share a kind only make names seem nearer than they are.
  for (let at = 0; at < letters.length; at++) counts[letters.charCodeAt(at) % KINDS]! += 1
  return { name, letters, words: new Set(words), counts }
}
const KINDS = 64

/** Edits that turn one into the other are never fewer. */
function lettersApart(from: Uint8Array, to: Uint8Array): number {
  let [missing, added] = [0, 0]
  for (let kind = 0; kind < KINDS; kind++) {
    const more = from[kind]! - to[kind]!
    if (more > 0) missing += more
    else added -= more
  }
  return Math.max(missing, added)
}

function allowedEdits(target: Prepared, candidate: Prepared): number {
  return Math.floor(Math.max(target.letters.length, candidate.letters.length) / 3)
}

/** Zero: not near. Typing errors score 500 to 999, shared words below 500. */
function rank(target: Prepared, candidate: Prepared, isCompared: boolean): number {
  const longer = Math.max(target.letters.length, candidate.letters.length)
  const allowed = allowedEdits(target, candidate)
  const distance = isCompared ? editDistance(target.letters, candidate.letters, allowed) : allowed + 1
  if (distance <= allowed) return 999 - Math.round((400 * distance) / longer)
  let shared = 0
  for (const word of target.words) if (word.length > 1 && candidate.words.has(word)) shared += word.length
  if (shared > 0) return Math.round((400 * shared) / longer) + 10
  const { letters } = target
  if (letters.length >= 3 && candidate.letters.includes(letters)) return 9
  return 0
}

/**
 * Edits (a swap of neighbours is one) that turn one text into the other, or more than `limit`. Two rows and the one
 * before them are kept, and only the band of the table that can stay within the limit is filled.
 */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1
  const width = to.length + 1
  let beforeLast = new Uint16Array(width)
  let last = Uint16Array.from({ length: width }, (_, column) => column)
  let row = new Uint16Array(width)
  for (let i = 1; i <= from.length; i++) {
    const start = Math.max(1, i - limit)
    const end = Math.min(to.length, i + limit)
    row.fill(limit + 1)
    if (start === 1) row[0] = i
    let least = limit + 1
    for (let j = start; j <= end; j++) {
      const same = from.charCodeAt(i - 1) === to.charCodeAt(j - 1)
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      const swapped =
        i > 1 &&
        j > 1 &&
        from.charCodeAt(i - 1) === to.charCodeAt(j - 2) &&
        from.charCodeAt(i - 2) === to.charCodeAt(j - 1)
      if (swapped) edits = Math.min(edits, at(beforeLast, j - 2) + 1)
      row[j] = edits
      if (edits < least) least = edits
    }
    if (least > limit) return limit + 1
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return at(last, to.length)
}

function at(row: Uint16Array, index: number): number {
  return row[index] ?? 0
}

/** Keeps `best` sorted, the first of equals first, and no longer than `max`. */
function insert(best: Ranked[], candidate: Ranked, max: number): void {
  let place = best.length
  while (place > 0 && best[place - 1]!.score < candidate.score) place--
  if (place >= max) return
  best.splice(place, 0, candidate)
  if (best.length > max) best.pop()
}
