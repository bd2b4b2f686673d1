// The published package leaves out what only a checkout needs: the pinned Node binaries (their `bin` would take the
// place of the user's own `node`) and everything for development. `strip` runs before packing, `restore` after it.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '..', 'package.json')
const kept = `${manifest}.kept`
const CHECKOUT_ONLY = ['optionalDependencies', 'devDependencies', 'scripts', 'allowScripts', 'prettier']

const [command] = process.argv.slice(2)
if (command === 'strip') {
  // A pack that was interrupted leaves the full manifest here: it, not the stripped one, is the source.
  const full = readFileSync(existsSync(kept) ? kept : manifest, 'utf8')
  writeFileSync(kept, full)
  const fields = Object.entries(JSON.parse(full) as Record<string, unknown>)
  const published = Object.fromEntries(fields.filter(([name]) => !CHECKOUT_ONLY.includes(name)))
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`)
} else if (command === 'restore') {
  if (existsSync(kept)) renameSync(kept, manifest)
} else {
  console.error('usage: node .ci/published-manifest.ts strip|restore')
  process.exitCode = 2
}
