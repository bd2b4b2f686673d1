import * as esbuild from 'esbuild'
import { CodedError, thrownMessage } from '../../data/failure.ts'

/** JavaScript that V8 takes, and the source map back to the TypeScript: without one, all is just `LINES_BEFORE` lower. */
export interface Lowered {
  readonly code: string
  readonly map: string | undefined
}

/** Lines that stand before the program. */
export const LINES_BEFORE = 1

export type LowerResult =
  | ({ readonly ok: true } & Lowered)
  /** `line` from 1; `column` from 1 in UTF-16 units; of the TypeScript that was given. */
  | { readonly ok: false; readonly message: string; readonly line?: number; readonly column?: number }

/**
 * `a ? (b) : c => a ? (b) : c => …` doubles esbuild's work with each level: 24 levels keep it busy for minutes. The
 * parser before it is not troubled by them, so they are counted there and refused above this depth.
 */
export const MAX_AMBIGUOUS_DEPTH = 5

/** A second wall against texts that are dear to esbuild in ways not known yet. Real programs take milliseconds. */
const DEADLINE_MS = 20_000

const OPTIONS = {
  loader: 'ts',
  sourcefile: 'program.ts',
  // V8 14 runs all of the language but decorators; `using` stays as it is.
  target: 'esnext',
  supported: { decorators: false },
  charset: 'utf8',
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
  logLevel: 'silent',
  // The script's value is the program as a function; esbuild's own helpers are inside it, so nothing becomes a global.
  // An arrow function has no `arguments` of its own.
  banner: '(() => async () => {"use strict";',
  footer: '})()',
  // At the top of a module `this` is undefined; in our script it would be the global object.
  define: { this: 'undefined' },
  tsconfigRaw: { compilerOptions: { alwaysStrict: true, target: 'ESNext', useDefineForClassFields: true } },
} as const satisfies esbuild.TransformOptions

/**
 * Lowers a program to the text of one script. esbuild takes top-level `await`, namespaces and `return` each, but not
 * `await` and `return` together, and no namespace inside a function. So the program is lowered as a module's body in
 * which `throw mark(value)` stands for `return value`; here the one becomes the other. `marks`: how many there must be.
 */
export async function lowerProgram(text: string, mark: string, marks: number): Promise<LowerResult> {
  const result = await transformInTime(text)
  if (!result.ok) return result
  const { code, map, warnings } = result.output
  // Where a script may hold HTML comments, a module holds operators. The parser read the text as a module.
  const htmlComment = warnings.find(({ id }) => id === 'html-comment-in-js')
  if (htmlComment !== undefined) return { ok: false, ...placed(htmlComment), message: HTML_COMMENT }
  return { ok: true, code: unmark(code, mark, marks), map }
}

/** The same for a program that V8 takes as it stands (see `plain.ts`), without the way to another process and back. */
export function wrapProgram(text: string, mark: string, marks: number): LowerResult {
  const code = `${OPTIONS.banner}\n${unmark(text, mark, marks)}\n${OPTIONS.footer}\n`
  return { ok: true, code, map: undefined }
}

function unmark(code: string, mark: string, marks: number): string {
  const pieces = code.split(`throw ${mark}`)
  if (pieces.length !== marks + 1) throw new Error(`${pieces.length - 1} of ${marks} marked returns came back`)
  // Same length, so that columns stay true.
  return pieces.join('return'.padEnd(`throw ${mark}`.length))
}

const HTML_COMMENT = '"<!--" is not a comment here; use // or /* */, or put a blank into "< !--"'

type Transformed =
  { readonly ok: true; readonly output: esbuild.TransformResult } | Extract<LowerResult, { readonly ok: false }>

/** Counts esbuild's processes: who finds one dead ends it only once, and not the next one that others use already. */
let generation = 0
let holders = 0

async function endGeneration(seen: number): Promise<void> {
  if (seen !== generation) return
  generation++
  // Also a process that has died goes on being used until it is stopped.
  await esbuild.stop()
}

/** While anybody holds it, esbuild's process may stay; with the last one it goes, and comes back if it is asked for. */
export function holdCompiler(): Disposable {
  holders++
  let isHeld = true
  return {
    [Symbol.dispose]() {
      if (!isHeld) return
      isHeld = false
      if (--holders === 0) void endGeneration(generation)
    },
  }
}

const MAX_ATTEMPTS = 4

async function transformInTime(text: string): Promise<Transformed> {
  for (let attempt = 1; ; attempt++) {
    const seen = generation
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), DEADLINE_MS)
    })
    try {
      const output = await Promise.race([esbuild.transform(text, OPTIONS), late])
      if (output !== 'late') return { ok: true, output }
      // Only the end of esbuild's process ends the work; the next call starts a new one.
      await endGeneration(seen)
      return { ok: false, message: 'the program is too intricate to compile; write it with less nesting' }
    } catch (thrown) {
      const problem = problemOf(thrown)
      if (problem !== undefined) return problem
      // The process was ended for another program's sake, or it died: a fresh one is not to blame.
      if (attempt === MAX_ATTEMPTS)
        throw new CodedError(
          'SANDBOX_UNAVAILABLE',
          `the compiler (esbuild) does not run here: ${thrownMessage(thrown)}`,
        )
      await endGeneration(seen)
    } finally {
      clearTimeout(timer)
    }
  }
}

function problemOf(thrown: unknown): Extract<LowerResult, { readonly ok: false }> | undefined {
  const errors = (thrown as { readonly errors?: unknown } | null)?.errors
  if (!Array.isArray(errors)) return undefined
  const first = errors[0] as esbuild.Message | undefined // Errors with a list of errors are esbuild's.
  return first === undefined ? undefined : { ok: false, message: first.text, ...placed(first) }
}

/** esbuild counts columns in UTF-8 bytes from 0. */
function placed({ location }: esbuild.Message): { readonly line: number; readonly column: number } | undefined {
  if (location === null) return undefined
  const bytes = new TextEncoder().encode(location.lineText).subarray(0, location.column)
  return { line: location.line, column: new TextDecoder().decode(bytes).length + 1 }
}
