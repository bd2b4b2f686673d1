import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The interface spoken here is unstable by its makers' word: another version is not spoken to. */
const VERSION = '7.0.2'

export interface Compiler {
  readonly executable: string
  /** Where the declarations of the language lie: the only real files a check may read. */
  readonly libraryFolder: string
}

export type FoundCompiler =
  { readonly ok: true; readonly compiler: Compiler } | { readonly ok: false; readonly reason: string }

/** The native compiler of the installed `typescript` package. A missing one is no error: programs then run unchecked. */
export function findCompiler(from: string = import.meta.url): FoundCompiler {
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`
  try {
    const manifest = createRequire(from).resolve('typescript/package.json')
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version?: unknown }
    if (version !== VERSION)
      return { ok: false, reason: `typescript must be version ${VERSION}; found ${String(version).slice(0, 40)}` }
    const libraryFolder = join(dirname(createRequire(manifest).resolve(`${platform}/package.json`)), 'lib')
    const executable = join(libraryFolder, process.platform === 'win32' ? 'tsc.exe' : 'tsc')
    if (!existsSync(executable)) return { ok: false, reason: `${executable} is missing` }
    return { ok: true, compiler: { executable, libraryFolder } }
  } catch {
    return { ok: false, reason: `typescript ${VERSION} with ${platform} is not installed` }
  }
}
