import type { QueryTerm, Variant } from './search/query-terms.ts'

/** One field of all documents: how much it counts, and how far long texts in it are held back (0 to 1). */
export interface FieldWeight {
  readonly weight: number
  readonly lengthPenalty: number
}

/** Ranks documents by the words they share with a query (BM25F: words weighted per field). Built once, read many times. */
export interface WordIndex {
  /** Documents that fit, by place, with their scores. */
  score(terms: readonly QueryTerm[]): ReadonlyMap<number, number>
}

/** How soon repeated words stop counting. */
const SATURATION = 1.2
/** Words that begin like the one asked for are as many as the catalog has; so many are looked at. */
const MAX_PREFIXED = 64
/** How much a document loses that answers to only a part of what was asked. */
const COVERAGE = 0.5

/** `documents[place][field]` are stems. */
export function createWordIndex(
  documents: readonly (readonly (readonly string[])[])[],
  fields: readonly FieldWeight[],
): WordIndex {
  const weightsByStem = countStems(documents, fields)
  const sortedStems = [...weightsByStem.keys()].sort()

  /** What one stem is worth in each document that has it, and how rare it is. */
  function hitsOf(stem: string): ReadonlyMap<number, number> {
    const hits = new Map<number, number>()
    const weights = weightsByStem.get(stem)
    if (weights === undefined) return hits
    const rarity = Math.log(1 + (documents.length - weights.size + 0.5) / (weights.size + 0.5))
    for (const [place, weight] of weights) hits.set(place, (rarity * weight) / (SATURATION + weight))
    return hits
  }

  function hitsOfVariant({ stems, share, isPrefix }: Variant): ReadonlyMap<number, number> {
    const [first, ...others] = stems
    if (first === undefined) return new Map()
    const best = new Map<number, number>()
    if (isPrefix === true) {
      for (const stem of stemsFrom(sortedStems, first)) raise(best, hitsOf(stem), share)
      return best
    }
    const rest = others.map(hitsOf)
    for (const [place, hit] of hitsOf(first)) {
      const parts = rest.map((hits) => hits.get(place))
      if (parts.includes(undefined)) continue
      const sum = parts.reduce<number>((total, part) => total + (part ?? 0), hit)
      best.set(place, (share * sum) / stems.length)
    }
    return best
  }

  return {
    score(terms) {
      const scores = new Map<number, number>()
      const covered = new Map<number, number>()
      let wanted = 0
      for (const { weight, variants } of terms) {
        const best = new Map<number, number>()
        for (const variant of variants) raise(best, hitsOfVariant(variant), 1)
        if (best.size === 0) continue
        wanted += weight
        for (const [place, hit] of best) {
          scores.set(place, (scores.get(place) ?? 0) + weight * hit)
          covered.set(place, (covered.get(place) ?? 0) + weight)
        }
      }
      for (const [place, score] of scores) {
        scores.set(place, score * (1 - COVERAGE + (COVERAGE * (covered.get(place) ?? 0)) / wanted))
      }
      return scores
    },
  }
}

function countStems(
  documents: readonly (readonly (readonly string[])[])[],
  fields: readonly FieldWeight[],
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const meanLengths = fields.map((_, field) => {
    const total = documents.reduce((sum, document) => sum + (document[field]?.length ?? 0), 0)
    return total / Math.max(documents.length, 1) || 1
  })
  const weightsByStem = new Map<string, Map<number, number>>()
  for (const [place, document] of documents.entries()) {
    for (const [field, { weight, lengthPenalty }] of fields.entries()) {
      const stems = document[field] ?? []
      const length = 1 - lengthPenalty + (lengthPenalty * stems.length) / (meanLengths[field] ?? 1)
      for (const stem of stems) {
        const weights = weightsByStem.get(stem) ?? new Map<number, number>()
        weightsByStem.set(stem, weights.set(place, (weights.get(place) ?? 0) + weight / length))
      }
    }
  }
  return weightsByStem
}

function raise(best: Map<number, number>, hits: ReadonlyMap<number, number>, share: number): void {
  for (const [place, hit] of hits) {
    if (share * hit > (best.get(place) ?? 0)) best.set(place, share * hit)
  }
}

/** Stems that begin with `prefix` and are longer, in order. */
function stemsFrom(sorted: readonly string[], prefix: string): readonly string[] {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < prefix) low = middle + 1
    else high = middle
  }
  const found: string[] = []
  for (let at = low; at < sorted.length && found.length < MAX_PREFIXED; at += 1) {
    const stem = sorted[at] ?? ''
    if (!stem.startsWith(prefix)) break
    if (stem !== prefix) found.push(stem)
  }
  return found
}
