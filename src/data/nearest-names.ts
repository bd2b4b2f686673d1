/** Names are compared up to this length: a name from outside can be as long as a program. */
const MAX_LENGTH = 128
/** Candidates that are compared letter by letter. Beyond it only exact variants are found. */
const MAX_CANDIDATES = 20_000

interface Ranked {
  readonly name: string
  readonly score: number
}

/**
 * The candidates that someone who wrote `wanted` most likely meant, best first; none when nothing is near. Names that
 * differ only in case or separators come first, then small typing errors, then names made of the same words.
 */
export function nearestNames(wanted: string, candidates: Iterable<string>, max = 3): string[] {
  const target = prepare(wanted)
  if (target.letters === '') return []
  const best: Ranked[] = []
  let compared = 0
  for (const name of candidates) {
    if (name === wanted) continue
    const candidate = prepare(name)
    const score = candidate.letters === target.letters ? 1_000 : compared < MAX_CANDIDATES ? rank(target, candidate) : 0
    compared++
    if (score > 0) insert(best, { name, score }, max)
  }
  return best.map(({ name }) => name)
}

/** ` Did you mean "a" or "b"?`, or nothing when nothing is near. Begins with a space, to be put after a sentence. */
export function didYouMean(wanted: string, candidates: Iterable<string>): string {
  const names = nearestNames(wanted, candidates).map((name) => JSON.stringify(name))
  if (names.length === 0) return ''
  const last = names.pop()
  return ` Did you mean ${names.length === 0 ? '' : `${names.join(', ')} or `}${last}?`
}

interface Prepared {
  /** Lower case, separators removed. */
  readonly letters: string
  readonly words: ReadonlySet<string>
}

function prepare(name: string): Prepared {
  const spaced = name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  const words = spaced.split(/[\s_\-./:]+/).filter((word) => word !== '')
  return { letters: words.join(''), words: new Set(words) }
}

/** Zero: not near. Typing errors score 500 to 999, shared words below 500. */
function rank(target: Prepared, candidate: Prepared): number {
  const longer = Math.max(target.letters.length, candidate.letters.length)
  const allowed = Math.floor(longer / 3)
  const distance = editDistance(target.letters, candidate.letters, allowed)
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
