import {
  append,
  arraySort,
  charCodeAt,
  createList,
  max,
  min,
  stringSlice,
  toLowerCase,
  type List,
} from './primordials.ts'

/** `getWeather`, `get_weather`, `get-weather` and `get.weather` are one name to a model. */
export function normalizeName(name: string): string {
  let text = ''
  let start = 0
  for (let index = 0; index < name.length; index++) {
    if (!isSeparator(charCodeAt(name, index))) continue
    text += stringSlice(name, start, index)
    start = index + 1
  }
  return toLowerCase(start === 0 ? name : text + stringSlice(name, start))
}

/** What is neither a letter, a digit, nor beyond ASCII. */
function isSeparator(code: number): boolean {
  if (code >= 0x80) return false
  const isDigit = code >= 0x30 && code <= 0x39
  const letter = code | 0x20
  return !isDigit && (letter < 0x61 || letter > 0x7a)
}

/** Up to three names near to `wanted`, nearest first. Bounded: long names and large catalogs are cut, not waited for. */
export function nearestNames(wanted: string, names: List<string>): List<string> {
  const target = normalizeName(wanted)
  const scored: { name: string; score: number }[] = []
  if (target.length > 100) return createList()
  for (let index = 0; index < names.length && index < 2000; index++) {
    const name = names[index] as string
    if (name.length > 100) continue
    const candidate = normalizeName(name)
    const score = distance(target, candidate)
    const isPart = target.length >= 3 && (contains(candidate, target) || contains(target, candidate))
    if (score <= max(2, target.length / 3) || isPart) {
      append(scored as unknown as List<{ name: string; score: number }>, { name, score: isPart ? score / 2 : score })
    }
  }
  arraySort(scored, (left, right) => left.score - right.score)
  const best: List<string> = createList()
  for (let index = 0; index < scored.length && index < 3; index++)
    append(best, (scored[index] as { name: string }).name)
  return best
}

function contains(text: string, part: string): boolean {
  if (part.length < 3) return false
  for (let start = 0; start + part.length <= text.length; start++) {
    let at = 0
    while (at < part.length && charCodeAt(text, start + at) === charCodeAt(part, at)) at++
    if (at === part.length) return true
  }
  return false
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let previous: List<number> = createList()
  for (let column = 0; column <= right.length; column++) append(previous, column)
  for (let row = 1; row <= left.length; row++) {
    const current: List<number> = createList()
    append(current, row)
    for (let column = 1; column <= right.length; column++) {
      const change = charCodeAt(left, row - 1) === charCodeAt(right, column - 1) ? 0 : 1
      const replaced = (previous[column - 1] as number) + change
      append(current, min(replaced, (previous[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    previous = current
  }
  return previous[right.length] as number
}
