import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

/**
 * Other people's data (tool catalogs, the JSON Schema suite) lies beside the checkout and is used where it lies. With
 * `CORPUS=required` its absence fails; otherwise the tests that need it say what was left out.
 */
const CORPUS = fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

/** The folder of the corpus, or nothing when it is not there. */
export function sharedCorpus(): string | undefined {
  return existsSync(CORPUS) ? CORPUS : undefined
}

/**
 * A block of tests over one folder of the corpus. Without the corpus it is a single test, which passes and says that the
 * folder was left out, or fails when the corpus is required.
 */
export function describeWithCorpus(title: string, folder: string, body: (directory: string) => void): void {
  const corpus = sharedCorpus()
  const directory = corpus === undefined ? undefined : path.join(corpus, folder)
  if (directory !== undefined && existsSync(directory)) {
    describe(title, () => body(directory))
    return
  }
  test(`${title}: left out, as shared/corpus/${folder} is not beside this checkout`, () => {
    if (process.env['CORPUS'] === 'required') {
      throw new Error(`CORPUS=required, but there is no ${path.join(CORPUS, folder)}`)
    }
  })
}

/** Names of the JSON files in a folder, sorted. */
export function jsonFilesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
}

export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
