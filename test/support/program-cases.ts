import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../../src/data/json.ts'
import type { SchemaTool } from './preflight-bench.ts'

/** A case of the program corpus, as far as tests outside the harness read it. */
export interface ProgramCase {
  readonly id: string
  readonly kind: string
  readonly tools: readonly SchemaTool[]
  readonly steps: readonly { readonly text: string; readonly expectsFailure: boolean }[]
}

/** The cases of a folder with an `index.json`. */
export function loadProgramCases(folder: string): readonly ProgramCase[] {
  const index: unknown = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
  const cases: readonly unknown[] = isRecord(index) && Array.isArray(index['cases']) ? index['cases'] : []
  return cases.filter(isRecord).map((one) => ({
    id: String(one['id']),
    kind: String(one['kind']),
    tools: one['tools'] as readonly SchemaTool[], // Written by us, in the format of the corpus.
    steps: (Array.isArray(one['steps']) ? one['steps'].filter(isRecord) : [one]).map((step) => ({
      text: readFileSync(join(folder, String(step['program'])), 'utf8').replace(/\n$/, ''),
      expectsFailure: canFail(step['expect']),
    })),
  }))
}

function canFail(expected: unknown): boolean {
  if (!isRecord(expected)) return false
  return (
    expected['error'] !== undefined ||
    expected['ok'] === false ||
    (Array.isArray(expected['anyOf']) && expected['anyOf'].some(canFail))
  )
}
