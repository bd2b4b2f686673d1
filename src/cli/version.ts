import { readFileSync } from 'node:fs'
import { isRecord } from '../data/json.ts'

/** The package's version. The manifest lies two levels up in the sources and three in the build. */
export const VERSION: string = readVersion()

function readVersion(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
      if (isRecord(manifest) && manifest.name === 'codeferry' && typeof manifest.version === 'string')
        return manifest.version
    } catch {
      // Not there: the other layout.
    }
  }
  return '0'
}
