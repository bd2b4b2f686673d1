import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../src/data/json.ts'
import { compileSchema } from '../src/schema/schema.ts'
import { faultsIn } from '../test/conformance/sdk/faults.ts'
import { candidatesFor, randomFrom } from '../test/conformance/sdk/instances.ts'
import type { SampleTool } from './_sdk-sample.ts'

/** Arguments of one tool: some that its schema takes, some with one thing wrong that a type can tell. */
export interface Cases {
  readonly tool: SampleTool
  readonly valid: readonly string[]
  readonly invalid: readonly string[]
}

export interface Faithfulness {
  /** If not, the compiler said nothing of types: of what follows only `errors` counts, and it may be too few. */
  readonly parses: boolean
  /** Of the whole text alone. */
  readonly errors: number
  readonly validRefused: number
  readonly invalidTaken: number
  /** Tools whose argument type is not in the text: their cases are in neither figure above. */
  readonly withoutType: number
}

export interface TextToJudge {
  readonly name: string
  readonly text: string
  argsType(tool: SampleTool): string
}

/** A model invents keys; that alone is a notice for programs, and is held against nobody here. */
const EXCESS_PROPERTY = 2353
const VALID = 3
const INVALID = 6

export function casesOf(tools: readonly SampleTool[]): readonly Cases[] {
  return tools.map((tool, at) => {
    const schema = tool.inputSchema
    const compiled = compileSchema(schema, 'full')
    const fits = (value: unknown) => compiled.ok && compiled.validate(value as Json).length === 0 // Made from JSON schemas.
    const usable = candidatesFor(schema, randomFrom(at + 1), VALID * 2)
      .filter(isObject)
      .filter(fits)
    const invalid = usable
      .flatMap((value) => faultsIn(schema, value, INVALID))
      // Nothing is missing where there is a default; whether it may be left out is a matter of taste.
      .filter(({ value, hasDefault }) => !hasDefault && isObject(value) && !fits(value))
    return {
      tool,
      valid: texts(usable).slice(0, VALID),
      invalid: texts(invalid.map(({ value }) => value)).slice(0, INVALID),
    }
  })
}

/** Every text is a module with its cases behind it, and is compiled by itself under `strict`: one that does not parse silences a compiler about all others. */
export function judge(candidates: readonly TextToJudge[], cases: readonly Cases[]): readonly Faithfulness[] {
  return candidates.map(({ text, argsType }) => {
    const folder = mkdtempSync(join(tmpdir(), 'codeferry-sdk-bench-'))
    try {
      const file = write(join(folder, 'text.ts'), text, argsType, cases)
      writeFileSync(join(folder, 'prelude.d.ts'), readFileSync(PRELUDE))
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }),
      )
      const given = [TSC, '-p', folder]
      const { stdout, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8', maxBuffer: 1 << 29 })
      if (stderr !== '') throw new Error(`the compiler failed: ${stderr.slice(0, 500)}`)
      return tally(file, errorsIn(stdout))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

const PRELUDE = join(import.meta.dirname, '../sdk-templates/typescript/prelude.d.ts')
const COMPILER_OPTIONS = {
  strict: true,
  target: 'esnext',
  lib: ['esnext'],
  module: 'esnext',
  moduleDetection: 'force',
  types: [],
  noEmit: true,
  pretty: false,
}
const TSC = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')

type LineKind = { readonly kind: 'alias' | 'valid' | 'invalid'; readonly tool: string }
interface WrittenFile {
  readonly kindByLine: ReadonlyMap<number, LineKind>
}

function write(path: string, text: string, argsType: TextToJudge['argsType'], cases: readonly Cases[]): WrittenFile {
  const lines = text.split('\n')
  const kindByLine = new Map<number, LineKind>()
  const add = (line: string, of: LineKind) => kindByLine.set(lines.push(line), of)
  for (const [at, { tool, valid, invalid }] of cases.entries()) {
    add(`type Case${at} = ${argsType(tool)}`, { kind: 'alias', tool: tool.name })
    for (const value of valid)
      add(`export const v${lines.length}: Case${at} = ${value}`, { kind: 'valid', tool: tool.name })
    for (const value of invalid)
      add(`export const v${lines.length}: Case${at} = ${value}`, { kind: 'invalid', tool: tool.name })
  }
  writeFileSync(path, lines.join('\n'))
  return { kindByLine }
}

function tally({ kindByLine }: WrittenFile, errors: readonly Diagnostic[]): Faithfulness {
  const untyped = new Set<string>()
  const refused = new Set<number>()
  let ownErrors = 0
  for (const { line, code } of errors) {
    const of = kindByLine.get(line)
    if (of === undefined) ownErrors++
    else if (of.kind === 'alias') untyped.add(of.tool)
    else if (code !== EXCESS_PROPERTY) refused.add(line)
  }
  const judged = [...kindByLine].filter(([, { tool }]) => !untyped.has(tool))
  return {
    parses: !errors.some(({ code }) => code < 2_000),
    errors: ownErrors,
    validRefused: judged.filter(([line, { kind }]) => kind === 'valid' && refused.has(line)).length,
    invalidTaken: judged.filter(([line, { kind }]) => kind === 'invalid' && !refused.has(line)).length,
    withoutType: untyped.size,
  }
}

interface Diagnostic {
  readonly line: number
  readonly code: number
}

function errorsIn(output: string): readonly Diagnostic[] {
  return [...output.matchAll(/^.+?\((\d+),\d+\): error TS(\d+):/gm)].map(([, line, code]) => ({
    line: Number(line),
    code: Number(code),
  }))
}

function texts(values: readonly unknown[]): readonly string[] {
  // In a literal of TypeScript `__proto__` is the prototype, not a key.
  return [...new Set(values.map((value) => JSON.stringify(value)))].filter((text) => !text.includes('"__proto__"'))
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
