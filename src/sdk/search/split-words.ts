/**
 * Lowercase words of a text or a name: `searchRepos`, `search_repos` and "search repos" give the same. Writing without
 * spaces (Chinese, Japanese, Korean, Thai) gives every pair of neighbours, as nothing here knows its words. Each
 * pattern is one class of characters, so the time is linear in the text.
 */
export function splitWords(text: string): string[] {
  const spaced = (isAscii(text) ? text : text.normalize('NFKC'))
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  const words: string[] = []
  for (const found of spaced.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
    if (found.length > 2 && !isAscii(found) && SPACELESS.test(found)) pushPairs(found, words)
    else words.push(found.length > MAX_WORD ? found.slice(0, MAX_WORD) : found)
  }
  return words
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

const MAX_WORD = 64
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

function pushPairs(run: string, words: string[]): void {
  const letters = Array.from(run)
  for (let at = 1; at < letters.length; at += 1) words.push(`${letters[at - 1]}${letters[at]}`)
}
