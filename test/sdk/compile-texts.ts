import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export interface TypeDiagnostic {
  readonly file: string
  readonly line: number
  readonly code: number
  readonly message: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PRELUDE = path.join(ROOT, 'sdk-templates/typescript/prelude.d.ts')

/** What the compiler says, under `strict` and the ECMAScript library alone, of texts that each see the prelude. One process for all. */
export function compileTexts(textByFile: Readonly<Record<string, string>>): readonly TypeDiagnostic[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'sdk-text-'))
  try {
    writeFileSync(path.join(folder, 'prelude.d.ts'), readFileSync(PRELUDE))
    // Each text is a module of its own, so that two of them may both declare `tools`.
    for (const [file, text] of Object.entries(textByFile)) writeFileSync(path.join(folder, file), text)
    const compilerOptions = {
      strict: true,
      target: 'esnext',
      lib: ['esnext'],
      module: 'esnext',
      moduleDetection: 'force',
      types: [],
      noEmit: true,
      pretty: false,
    }
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const run = spawnSync(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
      encoding: 'utf8',
      cwd: folder,
      maxBuffer: 256 * 1024 * 1024,
      env: { ...process.env, PATH: `${path.join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}` },
    })
    const diagnostics = parseDiagnostics(run.stdout)
    if (run.status !== 0 && diagnostics.length === 0) throw new Error(`tsc failed: ${run.stdout}${run.stderr}`)
    return diagnostics
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function parseDiagnostics(output: string): readonly TypeDiagnostic[] {
  return output.split('\n').flatMap((line) => {
    const match = /^(.+?)\((\d+),\d+\): error TS(\d+): (.*)$/.exec(line)
    if (match === null) return []
    const [, file = '', at = '', code = '', message = ''] = match
    return [{ file: path.basename(file), line: Number(at), code: Number(code), message }]
  })
}

/** A model invents keys; that alone is never held against a program. */
export const EXCESS_PROPERTY = 2353
