import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'cli-typecheck-'))
afterAll(() => rmSync(folder, { recursive: true }))

const mocks = join(folder, 'tools.json')
writeFileSync(
  mocks,
  JSON.stringify([
    {
      name: 'get_weather',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      mock: { returns: { degrees: 7 } },
    },
  ]),
)
const program = join(folder, 'program.ts')
writeFileSync(program, "const w = await tools.get_weather({ city: 'Oslo' })\nreturn w.degres ?? w.dgrees\n")

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const all = [MAIN, 'run', program, '--mock', mocks, '--require-confinement', 'none', ...args]
  return new Promise((done) =>
    execFile(NODE, all, (error, out, err) =>
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err }),
    ),
  )
}

test('a program with a type error is refused, and exit code 1', async () => {
  const { code, out } = await run('--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'TYPE_ERROR' }, calls: [] })
  expect(out).toContain('dgrees')
})

test('--typecheck notice runs it and prints what was found', async () => {
  const { code, out } = await run('--typecheck', 'notice')
  expect(code).toBe(0)
  expect(out).toContain('there is no "dgrees"')
})

test('--typecheck off runs it and says nothing', async () => {
  const { code, out } = await run('--typecheck', 'off')
  expect(code).toBe(0)
  expect(out).not.toContain('dgrees')
})

test('another mode is a usage error that lists the modes', async () => {
  const { code, err } = await run('--typecheck', 'maybe')
  expect(code).toBe(2)
  expect(err).toContain('error, notice, off')
})
