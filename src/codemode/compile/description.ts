import type { CompiledProgram } from '../compile.ts'
import { analyseProgram } from './analyse.ts'

const MAX_LENGTH = 120
/** Longer texts are not parsed only to say what they are. */
const MAX_TEXT = 64 * 1024
const NOTHING_KNOWN = 'Run a program'

/** What a person sees of a program that came without a description: its first comment, else the tools it calls. */
export function deriveDescription(program: string | CompiledProgram): string {
  const facts = typeof program === 'string' ? factsOf(program) : factsOfCompiled(program)
  if (facts === undefined) return NOTHING_KNOWN
  const comment = oneLine(facts.comment ?? '')
  if (comment !== '') return comment
  const paths = [...new Set(facts.calls)]
  const [first, ...others] = paths
  if (first === undefined) return NOTHING_KNOWN
  return oneLine(`Call ${[first, ...others.slice(0, 2)].join(', ')}${paths.length > 3 ? ', …' : ''}`)
}

interface DescriptionFacts {
  readonly comment: string | undefined
  readonly calls: readonly string[]
}

function factsOfCompiled({ firstComment, usedTools }: CompiledProgram): DescriptionFacts {
  return { comment: firstComment, calls: usedTools.filter(({ isCall }) => isCall).map(({ path }) => path) }
}

function factsOf(text: string): DescriptionFacts | undefined {
  if (text.length > MAX_TEXT) return undefined
  const analysis = analyseProgram(text)
  if (!analysis.ok) return undefined
  const calls = analysis.toolUses.filter(({ isCall }) => isCall).map(({ path }) => path)
  return { comment: analysis.firstComment, calls }
}

/** One short line without control characters: it goes into terminals, logs and approval questions. */
function oneLine(text: string): string {
  let line = ''
  for (const character of text.toWellFormed()) line += isInvisible(character) ? ' ' : character
  const words = line.split(' ').filter((word) => word !== '')
  const joined = words.join(' ')
  return joined.length <= MAX_LENGTH
    ? joined
    : `${joined
        .slice(0, MAX_LENGTH - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Control characters, and those that make text read otherwise than it is written. */
function isInvisible(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return (
    code < 0x20 ||
    (code >= 0x7f && code < 0xa0) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0xfeff ||
    code >= 0xe0000
  )
}
