// Builds the published form: JavaScript and declarations under dist/, in the same places relative to each other as in
// the tree, so that code which looks for the sandbox bundle or the templates beside itself finds them in both.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const at = (...parts: string[]) => join(root, ...parts)

rmSync(at('dist'), { recursive: true, force: true })
execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('.ci/tsconfig.build.json')], {
  stdio: 'inherit',
})
for (const folder of ['sandbox/bundle', 'sdk-templates']) {
  if (!existsSync(at(folder))) throw new Error(`${folder} is missing: run npm run build:sandbox`)
  cpSync(at(folder), at('dist', folder), { recursive: true })
}
chmodSync(at('dist/src/cli/main.js'), 0o755)
