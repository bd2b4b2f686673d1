/**
 * The stem of an English word, after Porter's algorithm (1980): `creating`, `creates` and `creation` meet in one stem. Words
 * with other letters than a–z stay as they are. Linear in the word: no pattern of it can be made slow.
 */
export function stemOf(word: string): string {
  if (word.length < 3 || word.length > MAX_STEMMED || !isPlainWord(word)) return word
  let stem = withoutPlural(word)
  stem = withoutPast(stem)
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  stem = replaceSuffix(stem, LONG_SUFFIXES, 0)
  stem = replaceSuffix(stem, MIDDLE_SUFFIXES, 0)
  stem = replaceSuffix(stem, LAST_SUFFIXES, 1)
  return withoutLastE(withoutAction(stem))
}

const MAX_STEMMED = 40

type Suffixes = readonly (readonly [suffix: string, instead: string])[]
// In each list a suffix stands before the shorter ones it ends with: the first that fits decides.
const LONG_SUFFIXES: Suffixes = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['logi', 'log'],
  ['eli', 'e'],
]
const MIDDLE_SUFFIXES: Suffixes = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const LAST_SUFFIXES: Suffixes = [
  ['ement', ''],
  ['ance', ''],
  ['ence', ''],
  ['able', ''],
  ['ible', ''],
  ['ment', ''],
  ['sion', 's'],
  ['ant', ''],
  ['ent', ''],
  ['ism', ''],
  ['ate', ''],
  ['iti', ''],
  ['ous', ''],
  ['ive', ''],
  ['ize', ''],
  ['al', ''],
  ['er', ''],
  ['ic', ''],
  ['ou', ''],
]

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2)
  if (word.endsWith('xes') || word.endsWith('ches') || word.endsWith('shes')) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') && !word.endsWith('us') ? word.slice(0, -1) : word
}

function withoutPast(word: string): string {
  if (word.endsWith('eed')) return measureOf(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const cut = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0
  const stem = word.slice(0, word.length - cut)
  if (cut === 0 || !hasVowel(stem)) return word
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`
  if (endsDoubled(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1)
  return measureOf(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

function replaceSuffix(word: string, suffixes: Suffixes, moreThan: number): string {
  for (const [suffix, instead] of suffixes) {
    if (!word.endsWith(suffix)) continue
    const stem = word.slice(0, -suffix.length)
    return measureOf(stem) > moreThan ? stem + instead : word
  }
  return word
}

/** Beyond Porter's rules, which leave short ones: `creation` is the act of those who `create`. */
function withoutAction(word: string): string {
  return word.endsWith('tion') && word.length >= 8 ? word.slice(0, -3) : word
}

function withoutLastE(word: string): string {
  let stem = word
  if (word.endsWith('e')) {
    const before = word.slice(0, -1)
    const measure = measureOf(before)
    if (measure > 1 || (measure === 1 && !endsShort(before))) stem = before
  }
  return stem.endsWith('ll') && measureOf(stem) > 1 ? stem.slice(0, -1) : stem
}

/** How many times a vowel is followed by a consonant. */
function measureOf(word: string): number {
  let measure = 0
  let wasVowel = false
  for (let at = 0; at < word.length; at += 1) {
    const isVowel = isVowelAt(word, at, wasVowel)
    if (wasVowel && !isVowel) measure += 1
    wasVowel = isVowel
  }
  return measure
}

function hasVowel(word: string): boolean {
  let wasVowel = false
  for (let at = 0; at < word.length; at += 1) {
    wasVowel = isVowelAt(word, at, wasVowel)
    if (wasVowel) return true
  }
  return false
}

/** `y` counts as a vowel after a consonant. */
function isVowelAt(word: string, at: number, wasVowel: boolean): boolean {
  const letter = word.charAt(at)
  return letter === 'y' ? at > 0 && !wasVowel : 'aeiou'.includes(letter)
}

function endsDoubled(word: string): boolean {
  const last = word.at(-1) ?? ''
  return last === word.at(-2) && !'aeiou'.includes(last)
}

/** Consonant, vowel, consonant: such a stem had an `e` (`hop-ing` from `hope` is told from `hopp-ing` by this). */
function endsShort(word: string): boolean {
  const [a, b, c] = [word.at(-3), word.at(-2), word.at(-1)]
  if (a === undefined || b === undefined || c === undefined) return false
  return !'aeiou'.includes(a) && 'aeiouy'.includes(b) && !'aeiouwxy'.includes(c)
}

function isPlainWord(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at)
    if (code < 97 || code > 122) return false
  }
  return true
}
