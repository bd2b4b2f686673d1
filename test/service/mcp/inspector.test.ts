import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ALICE, startMcpRig } from './http-rig.ts'

const INSPECTOR = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
const folder = mkdtempSync(join(tmpdir(), 'inspector-'))
afterAll(() => rmSync(folder, { recursive: true }))
const mocks = join(folder, 'tools.json')
writeFileSync(mocks, '[{ "name": "city.weather", "description": "Weather.", "mock": { "returns": { "degrees": 7 } } }]')

/** What the inspector prints, as JSON. It keeps files of its own: in a folder of this test. */
function inspect(...args: readonly string[]): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [INSPECTOR, '--cli', ...args],
      {
        timeout: 60_000,
        env: { ...process.env, HOME: folder, MCP_CATALOG_PATH: join(folder, 'catalog.json') },
      },
      (error, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout) as Record<string, unknown>)
        } catch {
          reject(new Error(`${error?.message ?? 'no JSON'}\n${stdout}\n${stderr}`))
        }
      },
    ).stdin?.end()
  })
}
const CALL = ['--method', 'tools/call', '--tool-name', 'run_code', '--tool-arg']
const PROGRAM = "code=return (await tools.city.weather({ city: 'Oslo' })).degrees * 6"

test('the inspector lists and calls run_code over stdio', async () => {
  const server = [process.execPath, 'src/cli/main.ts', 'mcp', '--mock', mocks, '--require-confinement', 'none']
  const listed = await inspect(...server, '--method', 'tools/list')
  expect(listed).toMatchObject({ tools: [{ name: 'run_code', outputSchema: { type: 'object' } }] })
  const called = await inspect(...server, ...CALL, PROGRAM)
  expect(JSON.stringify(called)).toContain('"result":42')
}, 120_000)

test('the inspector lists and calls run_code over HTTP', async () => {
  await using rig = await startMcpRig()
  const server = [`${rig.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${ALICE}`]
  const listed = await inspect(...server, '--method', 'tools/list')
  expect(JSON.stringify(listed)).toContain('"run_code"')
  const called = await inspect(...server, ...CALL, PROGRAM)
  expect(JSON.stringify(called)).toContain('"result":42')
}, 120_000)
