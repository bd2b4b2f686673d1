import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CodedError } from '../data/failure.ts'

/** Directory of the isolated-vm package. */
export function findAddon(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('isolated-vm/package.json'))
  } catch {
    throw new CodedError(
      'SANDBOX_UNAVAILABLE',
      'the package isolated-vm is not installed; run the package manager again',
    )
  }
}

/** Path of one of the built files of `sandbox/bundle`. */
export function findBundle(name: 'child.cjs' | 'embedded.mjs'): string {
  // The same two steps up from the sources and from the built package.
  const candidates = [`../../sandbox/bundle/${name}`, `../../../sandbox/bundle/${name}`]
  const path = candidates
    .map((relative) => fileURLToPath(new URL(relative, import.meta.url)))
    .find((at) => existsSync(at))
  if (path !== undefined) return path
  throw new CodedError('SANDBOX_UNAVAILABLE', 'the sandbox bundle is missing; build it with `npm run build:sandbox`')
}
