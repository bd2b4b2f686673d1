import { spawn } from 'node:child_process'
import { compileProgram, type CompiledProgram } from '../../src/codemode/compile.ts'

export interface Evaluated {
  readonly ok: boolean
  readonly value?: unknown
  readonly error?: { readonly name: string; readonly message: string; readonly stack: string }
  /** Paths of the tools that were called, in order. */
  readonly calls: readonly string[]
  readonly logs: readonly string[]
  readonly shown: readonly unknown[]
  readonly newGlobals: readonly string[]
}

/** Evaluates scripts in isolates of one child process. */
export async function evaluateAll(scripts: readonly string[]): Promise<readonly Evaluated[]> {
  const child = spawn(
    process.execPath,
    ['--no-node-snapshot', new URL('./isolate-child.ts', import.meta.url).pathname],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  child.stdin.end(JSON.stringify(scripts))
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) output += String(chunk)
  return JSON.parse(output) as readonly Evaluated[] // Our own child's answer.
}

/** Compiles a text that has to compile. */
export async function compiled(text: string): Promise<CompiledProgram> {
  const program = await compileProgram(text, { maxProgramBytes: 256 * 1024 })
  if (!program.ok) throw new Error(program.message)
  return program
}

export interface Ran {
  readonly program: CompiledProgram
  readonly evaluated: Evaluated
}

/** Compiles and evaluates texts that have to compile, in one child process; the results by text. */
export async function runAll(texts: readonly string[]): Promise<(text: string) => Ran> {
  const programs = await Promise.all(texts.map(compiled))
  const results = await evaluateAll(programs.map(({ code }) => code))
  const ranByText = new Map<string, Ran>()
  for (const [index, text] of texts.entries()) {
    const [program, evaluated] = [programs[index], results[index]]
    if (program !== undefined && evaluated !== undefined) ranByText.set(text, { program, evaluated })
  }
  return (text) => {
    const ran = ranByText.get(text)
    if (ran === undefined) throw new Error(`not evaluated: ${text}`)
    return ran
  }
}
