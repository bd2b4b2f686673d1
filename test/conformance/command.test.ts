import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const MAIN = path.join(import.meta.dirname, 'main.ts')

function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return folder
}
const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 60_000 })

const TOOL = {
  name: 'find',
  description: 'Finds.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' }, n: { enum: [1, 2] } }, required: ['q'] },
}

test('a folder of anybody’s catalogs is checked, for people and for machines', () => {
  const folder = folderOf({ 'mine.json': { tools: [TOOL] } })
  const people = run('sdk', '--corpus', folder)
  expect(people.stdout).toMatch(/1 catalogs, 1 tools[^]*0 refused by the type[^]*as it must be/)
  expect(people.status).toBe(0)
  const { ok, reports } = JSON.parse(run('sdk', '--corpus', folder, '--json').stdout)
  expect(ok).toBe(true)
  expect(reports).toHaveLength(1)
  expect(reports[0].figures.faithfulness.faults['missing required']).toBeGreaterThan(0)
})

test('a breach ends with 1, and says which', () => {
  // No name a registry takes: the tool is left out, and a lost tool is a breach.
  const folder = folderOf({ 'mine.json': { tools: [TOOL, { ...TOOL, name: 'no\nname' }] } })
  const { status, stdout } = run('sdk', '--corpus', folder)
  expect(stdout).toContain('✗ mine: 2 tools are listed, 1 are there')
  expect(status).toBe(1)
})

test.each([
  ['no catalog at all', ['sdk', '--corpus', '.'], { 'broken.json': '{' }, 'broken.json: the catalog must be JSON'],
  ['an unknown word', ['sdks'], {}, 'unknown: sdks'],
  ['a folder that is not there', ['sdk', '--corpus', 'gone'], {}, 'there is no folder'],
  ['a suite that is not there', ['schema', '--corpus', '.'], {}, 'holds no "tests"'],
])('%s ends with 2 and how it is used', (_title, args, files, message) => {
  const folder = folderOf(files)
  const { status, stderr } = run(...args.map((arg) => (arg === '.' ? folder : arg === 'gone' ? `${folder}/gone` : arg)))
  expect(stderr).toContain(message)
  expect(stderr).toContain('Usage: conformance')
  expect(status).toBe(2)
})
