import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const root = mkdtempSync(join(tmpdir(), 'config-'))
const empty = join(root, 'empty')
const project = join(root, 'project')
let api: Server
afterAll(() => {
  api.close()
  rmSync(root, { recursive: true })
})

beforeAll(async () => {
  api = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ path: request.url }))
  })
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
  const { port } = api.address() as AddressInfo
  mkdirSync(empty)
  mkdirSync(project)
  const memory = {
    command: NODE,
    args: [resolve('node_modules/.bin/mcp-server-memory')],
    env: { MEMORY_FILE_PATH: join(root, 'm.jsonl') },
  }
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    paths: {
      '/items': {
        get: {
          operationId: 'list',
          responses: { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } },
        },
      },
    },
  }
  writeFileSync(join(project, 'shop.json'), JSON.stringify(spec))
  writeFileSync(
    join(project, 'codeferry.json'),
    `{ // a comment
      "mcpServers": { "memory": ${JSON.stringify(memory)} },
      "openapi": [{ "name": "shop", "spec": "shop.json", "allowPrivate": true }],
      "http": [{ "name": "clock.now", "description": "Now.", "url": "http://127.0.0.1:${port}/now/{zone}", "allowPrivate": true }],
      "scopes": {
        "reader": { "servers": ["memory"], "restrictions": { "deny": ["memory.delete_entities"] } },
        "shopper": { "servers": ["shop"] },
      },
      "policies": { "guards": [{ "tools": "memory.*", "scopes": ["global"], "reason": "not from here" }] },
      "limits": { "maxCalls": 2 },
      "requireConfinement": "none",
      "tokens": [{ "name": "t", "secret": { "env": "NOT_SET_HERE" } }],
    }`,
  )
})

function cli(
  cwd: string,
  args: readonly string[],
  stdin = '',
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(NODE, [MAIN, ...args], { cwd, env: { ...process.env, NO_COLOR: '1' } })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdin.end(stdin)
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
}
async function toolsOf(...args: string[]): Promise<string[]> {
  const { out } = await cli(project, ['tools', '--json', ...args])
  return (JSON.parse(out) as { tools: { name: string }[] }).tools.map(({ name }) => name)
}

test('a codeferry.json in the folder is found, which is said on stderr; its tokens’ secrets need not be there', async () => {
  const { code, out, err } = await cli(project, ['tools'])
  expect(err).toBe('using ./codeferry.json (no --config was given)\n')
  expect(out).toContain('tools.shop.list')
  expect(out).toContain('tools.clock.now')
  expect(out).toContain('tools.memory.read_graph')
  expect(code).toBe(0)
})

test('without one nothing is read and nothing is said, and what is given in another file is meant alone', async () => {
  expect(await cli(empty, ['tools'])).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('There are no tools') as string,
  })
  writeFileSync(join(project, 'mock.json'), JSON.stringify([{ name: 'only', mock: { returns: 1 } }]))
  expect(await toolsOf('--mock', 'mock.json')).toEqual(['only'])
})

test('--scope shows what a scope sees, and a name that is not declared is refused with the nearest', async () => {
  expect(await toolsOf('--scope', 'reader')).not.toContain('memory.delete_entities')
  expect((await toolsOf('--scope', 'shopper')).filter((name) => !name.startsWith('clock.'))).toEqual(['shop.list'])
  const { code, err } = await cli(project, ['tools', '--scope', 'raeder'])
  expect(code).toBe(2)
  expect(err).toMatch(
    /--scope raeder: codeferry\.json declares no such scope; it has: global, reader, shopper\..*Did you mean "reader"/,
  )
})

test('run obeys the file: tools of every kind, limits, guards and scopes', async () => {
  const program = `
    const shop = await tools.shop.list()
    const now = await tools.clock.now({ zone: 'a/b' })
    return [shop, now]`
  const { code, out } = await cli(project, ['run', '-', '--json'], program)
  expect(JSON.parse(out)).toMatchObject({ result: [{ path: '/items' }, { path: '/now/a%2Fb' }] })
  expect(code).toBe(0)
  const call = `return await tools.memory.read_graph({}).then(() => 'ok', (error) => error.code)`
  expect(JSON.parse((await cli(project, ['run', '-', '--json'], call)).out)).toMatchObject({ result: 'GUARD_DENIED' })
  expect(JSON.parse((await cli(project, ['run', '-', '--json', '--scope', 'reader'], call)).out)).toMatchObject({
    result: 'ok',
  })
  const three = await cli(project, ['run', '-', '--json'], 'for (;;) await tools.shop.list()')
  expect(three.code).toBe(1)
  expect(JSON.parse(three.out)).toMatchObject({ error: { code: expect.stringContaining('LIMIT') as string } })
})

test('doctor and sdk read it too', async () => {
  const doctor = await cli(project, ['doctor', '--json'])
  const { checks } = JSON.parse(doctor.out) as { checks: { name: string; ok: boolean; detail: string }[] }
  expect(checks.find(({ name }) => name === 'config')).toMatchObject({
    ok: true,
    detail: expect.stringContaining('codeferry.json: 1 server') as string,
  })
  expect(checks.find(({ name }) => name === 'API shop')).toMatchObject({ ok: true, detail: '1 tool' })
  const sdk = await cli(project, ['sdk', '--scope', 'shopper'])
  expect(sdk.out).toContain('shop')
  expect(sdk.out).not.toContain('read_graph')
})

test('an API that cannot be had leaves itself out: the rest works, and the exit code says so', async () => {
  const path = join(root, 'broken.json')
  writeFileSync(
    path,
    JSON.stringify({
      openapi: [{ name: 'gone', spec: 'gone.json' }],
      http: [{ name: 'x', description: '', url: 'https://a.example/' }],
    }),
  )
  const { code, out, err } = await cli(empty, ['tools', '--config', path])
  expect(err).toMatch(/warning: API "gone" is left out, the others go on: .*gone\.json does not exist/)
  expect(out).toContain('tools.x')
  expect(code).toBe(3)
})

test('every fault of a file is told before anything is started', async () => {
  const path = join(root, 'faulty.json')
  writeFileSync(path, '{ "policies": { "guard": [] }, "limits": { "maxCalls": 0 } }')
  for (const command of [['tools'], ['sdk'], ['mcp'], ['bench'], ['run', '-']]) {
    const { code, err } = await cli(empty, [...command, '--config', path], 'return 1')
    expect(code, command[0]).toBe(2)
    expect(err).toMatch(
      /faulty\.json has 2 faults:\n {2}policies\.guard: there is no such key; did you mean "guards"\?\n {2}limits\.maxCalls: must be at least 1; found 0/,
    )
  }
})
