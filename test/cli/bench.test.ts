import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const reads = { readOnlyHint: true }
const mocks = file('tools.json', [
  { name: 'read', annotations: reads, mock: { returns: { degrees: 7 } } },
  { name: 'read_city', annotations: reads, inputSchema: city, mock: { echo: true } },
  { name: 'write', mock: { echo: true } },
  { name: 'pay', annotations: reads, approval: 'required', mock: { echo: true } },
])

interface Document {
  readonly exitCode: number
  readonly tools: readonly {
    readonly name: string
    readonly skipped?: string
    readonly failure?: string
    readonly calls?: number
    readonly nested?: Record<string, number>
    readonly native?: Record<string, number>
    readonly stageMs?: Record<string, number>
  }[]
}
function bench(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const argv = [resolve('src/cli/main.ts'), 'bench', '--require-confinement', 'none', '--calls', '10', ...args]
  return new Promise((done) => {
    execFile(resolve('node_modules/.bin/node'), argv, { env: { ...process.env, NO_COLOR: '1' } }, (error, out, err) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}
const documentOf = (out: string) => JSON.parse(out) as Document

test('without a name only tools that say they are read-only are called, and for each other one it is said why not', async () => {
  const { code, out } = await bench('--mock', mocks, '--json')
  expect(code).toBe(0)
  const { tools } = documentOf(out)
  const read = tools.find(({ name }) => name === 'read')
  const others = tools.filter((tool) => tool !== read)
  expect(read).toMatchObject({ name: 'read', calls: 10 })
  for (const spread of [read?.native, read?.nested]) {
    expect(Object.keys(spread ?? {})).toEqual(['min', 'p50', 'p95', 'p99'])
    expect(spread?.['p50']).toBeGreaterThan(0)
  }
  expect(Object.keys(read?.stageMs ?? {}).slice(0, 3)).toEqual(['create', 'mode', 'pre'])
  expect(read?.stageMs).toHaveProperty('body')
  expect(others).toEqual([
    { name: 'pay', skipped: expect.stringContaining('yes') as string },
    { name: 'read_city', skipped: expect.stringContaining('it needs city') as string },
    { name: 'write', skipped: expect.stringContaining('--tool write') as string },
  ])
})

test('a tool that is named is called with the arguments given, and nothing else is', async () => {
  const seen = join(folder, 'seen.txt')
  const server = file(
    'server.mjs',
    `import { appendFileSync } from 'node:fs'
     import { createInterface } from 'node:readline'
     const tools = ['put', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } }))
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method, params } = JSON.parse(line)
       if (id === undefined) return
       const results = {
         initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
         'tools/list': () => ({ tools }),
         'tools/call': () => (appendFileSync(${JSON.stringify(seen)}, params.name + JSON.stringify(params.arguments) + '\\n'), { content: [{ type: 'text', text: 'ok' }] }),
       }
       const result = results[method]?.()
       const reply = result ? { result } : { error: { code: -32601, message: 'unknown' } }
       process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...reply }) + '\\n')
     })`,
  )
  const config = file('mcp.json', { mcpServers: { s: { command: process.execPath, args: [server] } } })
  const { code, out } = await bench('--config', config, '--tool', 's.put', '--args', '{"a":1}')
  expect(out).toMatch(/s\.put\n.*p50[^]*native call +\d[^]*call from a program +\d[^]*stages[^]*body/)
  expect(code).toBe(0)
  const calls = readFileSync(seen, 'utf8').trim().split('\n')
  expect(new Set(calls)).toEqual(new Set(['put{"a":1}']))
  // 2 + 3 to warm up, 10 + 11 measured.
  expect(calls).toHaveLength(26)
})

test('a tool that fails is told with its failure and exit code 1', async () => {
  const broken = file('broken.json', [{ name: 'read', annotations: reads, mock: { throws: 'the pump is broken' } }])
  const { code, out } = await bench('--mock', broken, '--json')
  expect(code).toBe(1)
  expect(documentOf(out).tools).toEqual([{ name: 'read', failure: expect.stringContaining('the pump') as string }])
})

test('wrong usage is exit code 2 and says what would be right', async () => {
  const unknown = await bench('--mock', mocks, '--tool', 'wriet')
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('did you mean write?') as string })
  expect(await bench('--mock', mocks, '--args', '{}')).toMatchObject({
    code: 2,
    err: expect.stringContaining('one --tool') as string,
  })
  expect(await bench('--mock', mocks, '--tool', 'write', '--args', '[1]')).toMatchObject({
    code: 2,
    err: expect.stringContaining('JSON object') as string,
  })
})

test('without any tool there is nothing to measure, which is exit code 1', async () => {
  const { code, out } = await bench()
  expect(out).toContain('There are no tools')
  expect(code).toBe(1)
})
