import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main as runExample } from '../../../examples/openapi-import.ts'
import { httpToolSchema } from '../../../src/importers/http/http-tool-schema.ts'
import { httpTools } from '../../../src/importers/http/http-tools.ts'
import { importOpenApi, openApiSourceSchema } from '../../../src/importers/openapi.ts'
import { createEngine } from '../../../src/index.ts'
import { recordExecution } from '../../support/execution.ts'
import { json, startPlainServer } from '../../support/servers/plain-server.ts'

const root = path.join(import.meta.dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/openapi.md'), 'utf8')
const snippets = new Map(
  [...page.matchAll(/^```\w+ (\w+)\n(.*?)^```$/gms)].map(([, label = '', text = '']) => [label, text]),
)
const snippet = (label: string) => snippets.get(label) ?? ''

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'openapi-docs-'))
  writeFileSync(path.join(folder, 'shop.yaml'), snippet('document'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every snippet of the page has a test here', () => {
  expect([...snippets.keys()]).toEqual(['source', 'document', 'program', 'request', 'code'])
  expect(page.match(/^```\w/gm)).toHaveLength(snippets.size)
})

test('the source, the document and the program of the page work together', async () => {
  await using server = await startPlainServer(json({ id: 7 }))
  const source = openApiSourceSchema.parse(JSON.parse(snippet('source')))
  const here = { ...source, baseUrl: `${server.url}/v2`, allowHosts: ['127.0.0.1'] }
  await using api = await importOpenApi(here, { env: { SHOP_TOKEN: 'shop-token' }, workspaceFolder: folder })
  // The tag that is left out is not in the short document.
  expect(api.problems.map(({ message }) => message)).toEqual([
    'no operation matches "DELETE /**"; check "include" and "exclude"',
    'no operation matches "tag:internal"; check "include" and "exclude"',
  ])
  await using engine = await createEngine({ tools: api.tools })
  const { value, outcome } = await engine.run(snippet('program'))
  expect([outcome.isError, value?.result]).toEqual([false, 7])
  expect(server.received[0]).toMatchObject({
    method: 'PUT',
    url: '/v2/items/7?dryRun=true',
    body: '{"cents":120}',
    headers: { authorization: 'Bearer shop-token' },
  })
})

test('the request of the page works', async () => {
  await using server = await startPlainServer(json({ degrees: 3 }))
  const entry = httpToolSchema.parse(JSON.parse(snippet('request')))
  const here = { ...entry, url: entry.url.replace('https://weather.example.com', server.url), allowPrivate: true }
  await using made = httpTools([here], { env: { WEATHER_KEY: 'weather-key' } })
  const value: unknown = await made.tools[0]?.execute({ city: 'Oslo', units: 'metric' }, recordExecution('weather.now'))
  expect([value, server.received[0]?.url]).toEqual([{ degrees: 3 }, '/v1/Oslo?units=metric&key=weather-key'])
})

test('the code of the page runs', async () => {
  const file = path.join(folder, 'code.ts')
  writeFileSync(file, snippet('code').replace("'codeferry'", JSON.stringify(path.join(root, 'src/index.ts'))))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder })
  expect([stdout, stderr]).toEqual(['', ''])
})

test('the example reads, writes and lives with a refusal', async () => {
  expect(await runExample()).toEqual({
    before: ['eraser', 'notebook'],
    added: { id: 3, name: 'pencil', cents: 120 },
    missing: 'HTTP 404: {"error":"no such item"}',
  })
})
