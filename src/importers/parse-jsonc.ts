/** JSON with comments and trailing commas, as editors write it. Objects have no prototype: keys are data. */
export type JsoncResult =
  | { readonly ok: true; readonly value: unknown; readonly duplicateKeys: readonly JsoncProblem[] }
  | { readonly ok: false; readonly problem: JsoncProblem }
/** `message` never holds text of a value: configuration files carry secrets. */
export interface JsoncProblem {
  readonly message: string
  /** From 1. */
  readonly line: number
  readonly column: number
}

/** A configuration nests five deep, a schema perhaps thirty; a file of a million brackets must not cost a stack. */
const MAX_DEPTH = 256
const MAX_DUPLICATES = 10

export function parseJsonc(text: string): JsoncResult {
  const duplicateKeys: JsoncProblem[] = []
  let at = 0
  try {
    const value = readValue(0)
    skipBlanks()
    if (at < text.length) fail('there is text after the end of the JSON value')
    return { ok: true, value, duplicateKeys }
  } catch (thrown) {
    if (thrown instanceof SyntaxStop) return { ok: false, problem: thrown.problem }
    throw thrown
  }

  function readValue(depth: number): unknown {
    if (depth > MAX_DEPTH) fail(`values are nested more than ${MAX_DEPTH} deep`)
    skipBlanks()
    const start = text[at]
    if (start === '{') return readObject(depth)
    if (start === '[') return readArray(depth)
    if (start === '"') return readString()
    if (start === undefined) fail('the file ends where a value should be')
    return readScalar()
  }

  function readObject(depth: number): Record<string, unknown> {
    const object = Object.create(null) as Record<string, unknown>
    at++
    for (;;) {
      skipBlanks()
      if (text[at] === '}') break
      if (text[at] !== '"')
        fail(text[at] === undefined ? 'an object is not closed with }' : 'expected a key in double quotes, or }')
      const keyAt = at
      const key = readString()
      // Counted only to a point: each position costs a pass over the text.
      if (Object.hasOwn(object, key) && duplicateKeys.length < MAX_DUPLICATES) {
        duplicateKeys.push({
          message: `the key ${JSON.stringify(key)} occurs twice; the last one counts`,
          ...position(keyAt),
        })
      }
      skipBlanks()
      if (text[at] !== ':') fail('expected : after a key')
      at++
      object[key] = readValue(depth + 1)
      skipBlanks()
      if (text[at] === ',') at++
      else if (text[at] !== '}') fail(text[at] === undefined ? 'an object is not closed with }' : 'expected , or }')
    }
    at++
    return object
  }

  function readArray(depth: number): unknown[] {
    const array: unknown[] = []
    at++
    for (;;) {
      skipBlanks()
      if (text[at] === ']') break
      if (text[at] === undefined) fail('an array is not closed with ]')
      array.push(readValue(depth + 1))
      skipBlanks()
      if (text[at] === ',') at++
      else if (text[at] !== ']') fail(text[at] === undefined ? 'an array is not closed with ]' : 'expected , or ]')
    }
    at++
    return array
  }

  function readString(): string {
    const start = at
    for (at++; text[at] !== '"'; at++) {
      const character = text[at]
      if (character === undefined || character === '\n') fail('a string is not closed with "', start)
      if (character === '\\') at++
    }
    at++
    try {
      return JSON.parse(text.slice(start, at)) as string // A string literal parses to a string.
    } catch {
      return fail('a string has a bad escape (write \\\\ for a backslash) or a raw control character', start)
    }
  }

  function readScalar(): unknown {
    const start = at
    while (at < text.length && !/[\s,:[\]{}"/]/.test(text[at] ?? '')) at++
    const word = text.slice(start, at)
    if (word === 'true') return true
    if (word === 'false') return false
    if (word === 'null') return null
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(word)) return Number(word)
    return fail('expected a value: text needs double quotes', start)
  }

  function skipBlanks(): void {
    for (;;) {
      while (/[\s\uFEFF]/.test(text[at] ?? '')) at++
      if (text.startsWith('//', at)) {
        const end = text.indexOf('\n', at)
        at = end === -1 ? text.length : end
      } else if (text.startsWith('/*', at)) {
        const end = text.indexOf('*/', at + 2)
        if (end === -1) fail('a comment is not closed with */')
        at = end + 2
      } else return
    }
  }

  function position(offset: number): { line: number; column: number } {
    const before = text.slice(0, offset)
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
  }
  function fail(message: string, offset = at): never {
    throw new SyntaxStop({ message, ...position(offset) })
  }
}

class SyntaxStop extends Error {
  readonly problem: JsoncProblem
  constructor(problem: JsoncProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The line of a problem and the one before it, with a caret. Everything that may be a value is masked. */
export function maskedFrame(text: string, problem: JsoncProblem): string {
  const lines = text.split('\n')
  const width = String(problem.line).length
  const shown: string[] = []
  for (const number of [problem.line - 1, problem.line]) {
    const line = lines[number - 1]
    if (line !== undefined) shown.push(`${String(number).padStart(width)} | ${mask(line)}`.trimEnd())
  }
  const prefix = mask((lines[problem.line - 1] ?? '').slice(0, problem.column - 1))
  shown.push(`${' '.repeat(width)} | ${' '.repeat(prefix.length)}^`)
  return shown.join('\n')
}

const MAX_FRAME_LINE = 2_000
/** Keys (a string that begins a member and is followed by a colon) and punctuation stay; all other text becomes `…`. */
function mask(line: string): string {
  return line
    .slice(0, MAX_FRAME_LINE)
    .replaceAll(
      /((?:^|[{,])\s*"[\w.-]{1,64}"\s*:)|"(?:[^"\\]|\\.)*"?|[^\s,:[\]{}"]+/g,
      (found: string, key?: string) => {
        if (key !== undefined) return key
        if (found === 'true' || found === 'false' || found === 'null') return found
        return found.startsWith('"') ? (found.length > 1 && found.endsWith('"') ? '"…"' : '"…') : '…'
      },
    )
    .replaceAll(/[\t\r]/g, ' ')
}
