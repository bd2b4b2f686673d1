import { RESERVED_TYPE_NAMES } from '../reserved-type-names.ts'

/** Names of the declarations of one text. Every name is given out once, so that no two tools clash. */
export interface InterfaceNames {
  /** A stem under which `Args`, `Result` and `Types` of one tool are free, and now taken. */
  claimTool(path: readonly string[]): string
  /** A name for a definition of that tool. */
  claimPart(stem: string, key: string): string
}

const MAX_STEM = 120
const MAX_KEY = 60

export function createInterfaceNames(taken: Iterable<string>): InterfaceNames {
  const used = new Set([...RESERVED_TYPE_NAMES, ...taken])
  const claim = (base: string, endings: readonly string[]): string => {
    let stem = base
    for (let n = 2; endings.some((ending) => used.has(stem + ending)); n += 1) stem = `${base}${n}`
    for (const ending of endings) used.add(stem + ending)
    return stem
  }
  return {
    claimTool: (path) => claim(pascal(path.join(' ')).slice(0, MAX_STEM) || 'Tool', ['Args', 'Result', 'Types']),
    claimPart: (stem, key) => claim(stem + (pascal(key).slice(0, MAX_KEY) || 'Part'), ['']),
  }
}

/** `issue read_2b` → `IssueRead2B`: a letter behind a digit is a capital, as the printer of interfaces would make it one. */
function pascal(text: string): string {
  const words = text.slice(0, 400).match(/[A-Za-z0-9]+/g) ?? []
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const named = /^[0-9]/.test(joined) ? `T${joined}` : joined
  return named.replace(/[0-9][a-z]/g, (pair) => pair.toUpperCase())
}
