import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'vitest'
import { CORPUS, sharedCorpus } from './corpus-files.ts'

export { jsonFilesIn, readJson, sharedCorpus } from './corpus-files.ts'

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
