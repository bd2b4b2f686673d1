import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** The only folder there is, as the compiler sees it. */
export const ROOT = '/codeferry'

/**
 * Everything the compiler process may read: files made here, and the declarations of the language. A program's text can
 * name any path (`/// <reference path="/etc/passwd" />`, imports), and what a file holds would show in messages:
 * every question is answered here, and none is passed on to the disk.
 */
export class CompilerFiles {
  readonly #textByPath = new Map<string, string>()
  readonly #libraryFolder: string
  readonly #libraryTexts = new Map<string, string | null>()

  constructor(libraryFolder: string) {
    this.#libraryFolder = libraryFolder
  }

  write(path: string, text: string): void {
    this.#textByPath.set(path, text)
  }

  removeFolder(folder: string): void {
    for (const path of this.#textByPath.keys()) if (path.startsWith(`${folder}/`)) this.#textByPath.delete(path)
  }

  /** The answer to one question of the compiler. */
  answer(question: string, path: string): unknown {
    switch (question) {
      case 'readFile':
        // `null` content says that there is none; a bare `null` would send the compiler to the disk.
        return { content: this.#textByPath.get(path) ?? this.#library(path) }
      case 'fileExists':
        return this.#textByPath.has(path) || this.#library(path) !== null
      case 'directoryExists':
        return path === ROOT || [...this.#textByPath.keys()].some((file) => file.startsWith(`${path}/`))
      case 'realpath':
        return path
      default:
        return { files: [], directories: [] }
    }
  }

  #library(path: string): string | null {
    if (dirname(path) !== this.#libraryFolder || !/^lib[\w.]*\.d\.ts$/.test(basename(path))) return null
    let text = this.#libraryTexts.get(path)
    if (text === undefined) {
      try {
        text = readFileSync(path, 'utf8')
      } catch {
        text = null
      }
      this.#libraryTexts.set(path, text)
    }
    return text
  }
}
