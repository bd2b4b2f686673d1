import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Other people's data (tool catalogs, the JSON Schema suite) lies beside the checkout and is used where it lies.
 */
export const CORPUS = fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

/** The folder of the corpus, or nothing when it is not there. */
export function sharedCorpus(): string | undefined {
  return existsSync(CORPUS) ? CORPUS : undefined
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
