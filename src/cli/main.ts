#!/usr/bin/env node
import { nodeFault } from './node-version.ts'

// An older Node must get as far as this line: what comes after it uses syntax and globals that it does not have.
const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  await import('./start.ts')
} else {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 2
}
