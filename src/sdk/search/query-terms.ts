import { splitWords } from './split-words.ts'
import { stemOf } from './stem.ts'
import { STOP_WORDS, WEAK_WORDS } from './stop-words.ts'
import { MAX_PHRASE, synonymsByPhrase } from './synonyms.ts'

/** One thing that was asked for: the word itself, and what else may be said for it. */
export interface QueryTerm {
  /** How much it counts beside the other terms. */
  readonly weight: number
  readonly variants: readonly Variant[]
}
export interface Variant {
  /** All of them must be in a document. */
  readonly stems: readonly string[]
  /** How much of a hit by the word itself this is worth. */
  readonly share: number
  /** Whether words that begin with it count, too. */
  readonly isPrefix?: true
}

const MAX_QUERY_CHARS = 400
const MAX_QUERY_WORDS = 40
const WEAK = 0.3
const SYNONYM = 0.45
const PREFIX = 0.5
const MIN_PREFIX = 3
const JOINED = 0.9

export function queryTerms(query: string): readonly QueryTerm[] {
  const words = splitWords(query.slice(0, MAX_QUERY_CHARS)).slice(0, MAX_QUERY_WORDS)
  const stems = words.map(stemOf)
  const isAllStop = words.every((word) => STOP_WORDS.has(word))
  const terms = new Map<string, QueryTerm>()

  const phrases = phrasesIn(stems)
  for (const { stems: phrase, synonyms } of phrases) {
    // The words of the phrase stand for themselves as well, each for its part.
    terms.set(phrase.join(' '), { weight: 1, variants: synonyms })
  }
  for (const [at, word] of words.entries()) {
    const stem = stems[at] ?? word
    if (terms.has(stem) || (!isAllStop && STOP_WORDS.has(word))) continue
    const variants: Variant[] = [{ stems: [stem], share: 1 }]
    if (word.length >= MIN_PREFIX) variants.push({ stems: [stem], share: PREFIX, isPrefix: true })
    const next = stems[at + 1]
    if (next !== undefined) variants.push({ stems: [`${stem}${next}`], share: JOINED })
    const previous = stems[at - 1]
    if (previous !== undefined) variants.push({ stems: [`${previous}${stem}`], share: JOINED })
    variants.push(...synonymsOf(stem))
    terms.set(stem, { weight: WEAK_WORDS.has(word) ? WEAK : 1, variants })
  }
  return [...terms.values()]
}

function phrasesIn(stems: readonly string[]) {
  const found: { readonly stems: readonly string[]; readonly synonyms: readonly Variant[] }[] = []
  for (let length = 2; length <= MAX_PHRASE; length += 1) {
    for (let at = 0; at + length <= stems.length; at += 1) {
      const phrase = stems.slice(at, at + length)
      const synonyms = synonymsOf(phrase.join(' '))
      if (synonyms.length > 0) found.push({ stems: phrase, synonyms })
    }
  }
  return found
}

function synonymsOf(phrase: string): readonly Variant[] {
  const synonyms = synonymsByPhrase().get(phrase) ?? []
  return synonyms.map((synonym) => ({
    stems: synonym.split(' ').filter((stem) => !STOP_WORDS.has(stem)),
    share: SYNONYM,
  }))
}
