import path from 'node:path'
import type { Json } from '../../../src/data/json.ts'
import { jsonFilesIn, readJson } from '../../support/corpus-files.ts'

/** The official suite: groups of cases, each group with one schema. */
export interface SuiteGroup {
  /** File without `.json`. */
  readonly file: string
  readonly description: string
  readonly schema: Json
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

/** The mandatory groups of one draft; what is under `optional/` is left out. */
export function suiteGroups(directory: string, draft: string): SuiteGroup[] {
  const folder = path.join(directory, 'tests', draft)
  return jsonFilesIn(folder).flatMap((name) => {
    const groups = readJson(path.join(folder, name)) as Omit<SuiteGroup, 'file'>[] // The suite's documented format.
    return groups.map((group) => ({ ...group, file: name.slice(0, -'.json'.length) }))
  })
}

/** A case, as the exclusions name it. */
export function caseName(draft: string, group: SuiteGroup, description: string): string {
  return `${draft} / ${group.file} / ${group.description} / ${description}`
}
