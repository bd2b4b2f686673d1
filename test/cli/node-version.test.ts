import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { nodeFault, OLDEST_NODE } from '../../src/cli/node-version.ts'

const exec = promisify(execFile)

test('a Node that is too old is told which one is needed, in one line', () => {
  for (const version of ['18.20.4', '20.20.2', '23.11.0']) {
    expect(nodeFault(version)).toMatch(/^error: codeferry needs Node 24 or newer, and this is \d+\.\d+\.\d+;[^\n]*$/)
  }
  for (const version of ['24.0.0', '26.12.1', '100.0.0', '25.0.0-nightly']) expect(nodeFault(version)).toBeUndefined()
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }
  expect(engines.node).toBe(`>=${OLDEST_NODE}`)
})

const old = (await Promise.all(['/usr/bin/node', '/usr/local/bin/node'].map(versionOf))).find(
  (found) => found !== undefined && nodeFault(found.version) !== undefined,
)

test.skipIf(old === undefined)(
  'the entry gets as far as that line in an old Node, and loads nothing else',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'old-node-'))
    try {
      const outfile = join(folder, 'main.mjs')
      await build({
        entryPoints: ['src/cli/main.ts'],
        bundle: true,
        format: 'esm',
        platform: 'node',
        outfile,
        external: ['./start.ts'],
      })
      const failed = (await exec(old!.path, [outfile, '--version']).catch((thrown: unknown) => thrown)) as {
        readonly code: number
        readonly stdout: string
        readonly stderr: string
      }
      expect(failed).toMatchObject({ code: 2, stdout: '', stderr: `${nodeFault(old!.version)}\n` })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

async function versionOf(path: string): Promise<{ readonly path: string; readonly version: string } | undefined> {
  if (!existsSync(path)) return undefined
  return { path, version: (await exec(path, ['-p', 'process.versions.node'])).stdout.trim() }
}
