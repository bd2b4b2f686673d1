import { parse, type ParserOptions } from '@babel/parser'
import type { File } from './ast.ts'
import { MeteredText, TooMuchWork } from './metered-text.ts'

export type Parsed = { readonly ok: true; readonly file: File } | ParseProblem

export interface ParseProblem {
  readonly ok: false
  readonly kind: 'syntax' | 'too-deep' | 'too-intricate'
  readonly message: string
  /** Where it is in the parsed text; absent when the place says nothing. */
  readonly offset?: number
}

const OPTIONS: ParserOptions = {
  sourceType: 'module',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
  allowUndeclaredExports: true,
  attachComment: false,
  locations: false,
  plugins: ['typescript', 'decorators', 'decoratorAutoAccessors'],
}
const JSX_OPTIONS: ParserOptions = { ...OPTIONS, plugins: ['typescript', 'jsx', 'decorators'] }
const LENIENT_OPTIONS: ParserOptions = { ...OPTIONS, errorRecovery: true }

/** Each recovered error makes every later backtracking step dearer, so long texts get none. */
const MAX_LENIENT_LENGTH = 64 * 1024

/**
 * Parses hostile text on the host's thread. Total and bounded: nesting that exhausts the stack and text that makes the
 * parser backtrack without end are problems like any other.
 */
export function parseProgram(text: string, dialect: 'ts' | 'tsx' = 'ts'): Parsed {
  const strict = attempt(text, dialect === 'ts' ? OPTIONS : JSX_OPTIONS)
  if (strict.ok || dialect === 'tsx' || !strict.isTolerable || text.length > MAX_LENIENT_LENGTH) return strict
  const lenient = attempt(text, LENIENT_OPTIONS)
  if (!lenient.ok) return strict
  const errors: readonly BabelError[] = lenient.file.errors ?? []
  return errors.every(isTolerable) ? lenient : strict
}

interface BabelError {
  readonly pos?: number
  readonly message: string
  readonly reasonCode?: string
  readonly syntaxPlugin?: string
}

type Attempt = { readonly ok: true; readonly file: File } | (ParseProblem & { readonly isTolerable: boolean })

function attempt(text: string, options: ParserOptions): Attempt {
  try {
    const metered = new MeteredText(text) as unknown as string // The parser only calls string methods on its input.
    return { ok: true, file: parse(metered, options) }
  } catch (thrown) {
    if (thrown instanceof TooMuchWork)
      return {
        ok: false,
        kind: 'too-intricate',
        message: 'the program is too intricate to parse: it nests casts or comparisons in ways that can be read twice',
        isTolerable: false,
      }
    // The parser recurses; a few hundred levels of brackets or a few thousand operators in a row use up the stack.
    if (thrown instanceof RangeError)
      return { ok: false, kind: 'too-deep', message: 'the program is nested too deeply', isTolerable: false }
    // The parser trips over itself on some broken texts (`namespace return`): a bug of its own, but no program either.
    if (!(thrown instanceof SyntaxError))
      return { ok: false, kind: 'syntax', message: 'the text is no program', isTolerable: false }
    const error: BabelError = thrown
    return {
      ok: false,
      kind: 'syntax',
      message: withoutPlace(error.message),
      ...(error.pos !== undefined && { offset: error.pos }),
      isTolerable: isTolerable(error),
    }
  }
}

/**
 * Errors that later steps settle: doubled declarations may go away with an import or a `declare` (esbuild reports the
 * real ones), and TypeScript's own rules about modifiers and types change nothing at run time.
 */
function isTolerable(error: BabelError): boolean {
  return error.syntaxPlugin === 'typescript' || TOLERABLE_REASONS.has(error.reasonCode ?? '')
}

const TOLERABLE_REASONS: ReadonlySet<string> = new Set([
  'VarRedeclaration',
  'DuplicateExport',
  'DuplicateDefaultExport',
])

/** The parser ends its messages with ` (line:column)`; we count columns from 1 and say it in our own words. */
function withoutPlace(message: string): string {
  const at = message.lastIndexOf(' (')
  return at > 0 && message.endsWith(')') ? message.slice(0, at) : message
}
