/** Ranks documents by the words they share with a query (BM25, weights per field). Built once, read many times. */
export interface WordIndex {
  /** Places of the best documents, best first, ties in order of place. Empty when no word fits. */
  search(query: string, limit: number): readonly number[]
}
export interface Field {
  readonly text: string
  /** How much one word here counts. */
  readonly weight: number
}

const MAX_FIELD_CHARS = 4_000
const MAX_QUERY_CHARS = 400
const MAX_QUERY_WORDS = 32
/** How soon repeated words stop counting, and how much long documents are held back. */
const SATURATION = 1.2
const LENGTH_PENALTY = 0.75
/** A word that only begins like the one asked for counts this much of it. */
const PREFIX_SHARE = 0.5
const MIN_PREFIX = 3

export function createWordIndex(documents: readonly (readonly Field[])[]): WordIndex {
  const weightsByWord = new Map<string, Map<number, number>>()
  const lengths = documents.map((fields, place) => {
    let length = 0
    for (const { text, weight } of fields) {
      for (const word of wordsOf(text.slice(0, MAX_FIELD_CHARS))) {
        const weights = weightsByWord.get(word) ?? new Map<number, number>()
        weightsByWord.set(word, weights.set(place, (weights.get(place) ?? 0) + weight))
        length += weight
      }
    }
    return length
  })
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1) || 1

  function addScores(word: string, share: number, scores: Map<number, number>): void {
    const weights = weightsByWord.get(word)
    if (weights === undefined) return
    const rarity = Math.log(1 + (documents.length - weights.size + 0.5) / (weights.size + 0.5))
    for (const [place, weight] of weights) {
      const length = lengths[place] ?? meanLength
      const penalty = SATURATION * (1 - LENGTH_PENALTY + (LENGTH_PENALTY * length) / meanLength)
      const score = (rarity * weight * (SATURATION + 1)) / (weight + penalty)
      scores.set(place, (scores.get(place) ?? 0) + share * score)
    }
  }

  return {
    search(query, limit) {
      const scores = new Map<number, number>()
      const wanted = new Set(wordsOf(query.slice(0, MAX_QUERY_CHARS)).slice(0, MAX_QUERY_WORDS))
      for (const word of wanted) {
        addScores(word, 1, scores)
        if (word.length < MIN_PREFIX) continue
        for (const known of weightsByWord.keys()) {
          if (known !== word && known.startsWith(word)) addScores(known, PREFIX_SHARE, scores)
        }
      }
      return [...scores]
        .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
        .slice(0, limit)
        .map(([place]) => place)
    },
  }
}

/** `searchRepos`, `search_repos` and "searching repos" share their words; a plural counts as its singular. */
function wordsOf(text: string): string[] {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return (words ?? []).map(singular)
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return word.length > 3 && word.endsWith('s') && !/[sui]s$/.test(word) ? word.slice(0, -1) : word
}
