import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Json, JsonObject } from '../../src/data/json.ts'
import { readMcpConfig } from '../../src/importers/mcp-config.ts'
import { INHERITED_VARIABLES } from '../../src/importers/server-environment.ts'
import { connectMcpServers, type McpConnections, type McpOptions } from '../../src/importers/mcp.ts'
import type { ServerEntry, StdioServerEntry } from '../../src/importers/server-entry.ts'
import { recordExecution } from '../support/execution.ts'
import { startHttpServer } from '../support/servers/http-server.ts'

const NODE = resolve('node_modules/.bin/node')
const folder = mkdtempSync(join(tmpdir(), 'mcp-'))
afterAll(() => rmSync(folder, { recursive: true }))

let notesFiles = 0
function odd(mode = 'plain', extra: Partial<StdioServerEntry> = {}): StdioServerEntry & { readonly notes: string } {
  const notes = join(folder, `notes-${++notesFiles}`)
  return {
    name: 'odd',
    transport: 'stdio',
    command: NODE,
    args: ['test/support/servers/odd-server.ts', mode, notes],
    notes,
    ...extra,
  }
}
function real(name: string, args: readonly string[] = [], env: Record<string, string> = {}): StdioServerEntry {
  return {
    name,
    transport: 'stdio',
    command: NODE,
    args: [resolve(`node_modules/.bin/mcp-server-${name}`), ...args],
    env,
  }
}
function notesOf(entry: { readonly notes: string }): readonly JsonObject[] {
  return existsSync(entry.notes)
    ? readFileSync(entry.notes, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject)
    : []
}
const connect = (entries: readonly ServerEntry[], options?: McpOptions) => connectMcpServers(entries, options)

function tool(connections: McpConnections, name: string) {
  const found = connections.tools().find((candidate) => candidate.name === name)
  if (found === undefined)
    throw new Error(
      `no tool ${name} in ${connections
        .tools()
        .map((t) => t.name)
        .join(' ')}`,
    )
  return found
}
async function call(connections: McpConnections, name: string, args: JsonObject = {}, signal?: AbortSignal) {
  const exec = recordExecution(name, signal)
  const value = (await tool(connections, name).execute(args, exec)) as Json
  return { value, exec }
}
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('three real servers start side by side, and their tools work with real files', async () => {
  writeFileSync(join(folder, 'hello.txt'), 'line 1\nline 2\n')
  await using connections = await connect([
    real('filesystem', [folder]),
    real('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
    real('everything'),
  ])
  expect(connections.problems).toEqual([])
  expect(connections.servers.map(({ name, started }) => [name, started])).toEqual([
    ['filesystem', true],
    ['memory', true],
    ['everything', true],
  ])
  const read = await call(connections, 'filesystem.read_text_file', { path: join(folder, 'hello.txt') })
  expect(read.value).toEqual({ content: 'line 1\nline 2\n' })
  expect(read.exec.attached).toEqual([[{ type: 'text', text: 'line 1\nline 2\n' }]])

  await call(connections, 'memory.create_entities', {
    entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }],
  })
  expect((await call(connections, 'memory.search_nodes', { query: 'Ada' })).value).toMatchObject({
    entities: [{ name: 'Ada' }],
  })
  expect(readFileSync(join(folder, 'memory.jsonl'), 'utf8')).toContain('Ada')

  expect((await call(connections, 'everything.echo', { message: 'hi' })).value).toBe('Echo: hi')
  const image = await call(connections, 'everything.get-tiny-image')
  expect(image.exec.attached[0]).toMatchObject([
    { type: 'text' },
    { type: 'image', mimeType: 'image/png' },
    { type: 'text' },
  ])
  expect(image.value).toEqual(image.exec.attached[0])
})

test('a program’s arguments are checked against the server’s own schema, in full JSON Schema', async () => {
  await using connections = await connect([real('everything')])
  const sum = tool(connections, 'everything.get-sum')
  if (sum.validateArguments === 'in-body') throw new Error('the schema was left out')
  expect(sum.validateArguments({ a: 1, b: 2 })).toEqual([])
  expect(sum.validateArguments({ a: 1, b: 'x' }).map((violation) => violation.path)).toEqual(['/b'])
})

test('annotations are imported and decide what may overlap', async () => {
  await using connections = await connect([odd('plain'), odd('plain', { name: 'alone', exclusive: true })])
  expect(tool(connections, 'odd.grow').annotations).toEqual({ readOnlyHint: false, title: 'Grow' })
  expect(tool(connections, 'odd.grow').isConcurrencySafe?.({})).toBe(false)
  expect(tool(connections, 'odd.echo').isConcurrencySafe?.({})).toBe(true)
  expect(tool(connections, 'alone.echo').isConcurrencySafe?.({})).toBe(false)
})

test('servers that do not start are one problem each, with their last words and without secrets, and the others go on', async () => {
  const seen: string[] = []
  await using connections = await connect(
    [
      odd('fails', { name: 'fails', env: { TOKEN: 'tok-123456' } }),
      odd('refuses', { name: 'refuses' }),
      odd('silent', { name: 'silent', connectTimeoutMs: 300 }),
      { name: 'missing', transport: 'stdio', command: 'no-such-program-xyz', args: [] },
      { name: 'shell words', transport: 'stdio', command: 'npx -y x' },
      { name: 'nowhere', transport: 'stdio', command: NODE, cwd: '/no/such/folder' },
      odd(),
    ],
    { onProblem: ({ server, message }) => seen.push(`${server}: ${message}`) },
  )
  expect(connections.tools().every(({ namespace }) => namespace === 'odd')).toBe(true)
  expect(connections.tools().length).toBeGreaterThan(5)
  const messages = new Map(connections.problems.map(({ server, message }) => [server, message]))
  expect(new Set(messages.keys())).toEqual(new Set(['fails', 'missing', 'nowhere', 'refuses', 'shell words', 'silent']))
  expect(connections.problems).toHaveLength(6)
  expect(seen).toHaveLength(6)
  expect(messages.get('fails')).toContain(
    'ended before it answered "initialize"; it last wrote:\nstarting with token [hidden]\ncannot open the database',
  )
  expect(messages.get('refuses')).toContain('set API_KEY first')
  expect(messages.get('silent')).toContain('no answer to "initialize" within')
  expect(messages.get('missing')).toContain('the program "no-such-program-xyz" was not found')
  expect(messages.get('shell words')).toContain('arguments belong into "args"')
  expect(messages.get('nowhere')).toContain('its "cwd" does not exist')
  expect(JSON.stringify(connections.problems)).not.toMatch(/tok-123456|\\u001b|\\u0007/)
})

test('a server that says nothing in time is shown with its last words, and expanded secrets stay hidden', async () => {
  const { servers } = readMcpConfig(
    JSON.stringify({
      mcpServers: {
        quiet: {
          command: NODE,
          args: ['test/support/servers/odd-server.ts', 'silent', join(folder, 'quiet'), '--token=${TOKEN}'],
          connectTimeoutMs: 1_500,
        },
      },
    }),
    { env: { TOKEN: 'tok-987654' }, workspaceFolder: process.cwd() },
  )
  await using connections = await connect(servers)
  expect(connections.problems).toEqual([
    {
      server: 'quiet',
      isLeftOut: true,
      message: expect.stringContaining('it last wrote:\nfetching with --token=[hidden]') as string,
    },
  ])
})

test('of many last words the last ones are shown', async () => {
  await using connections = await connect([odd('chatty')])
  expect(connections.problems[0]?.message).toMatch(/it last wrote:\n…[^]*the last word$/)
})

test('a server gets what it needs to reach the network from here, and no secrets of ours', async () => {
  const entry = odd('environment', { env: { OWN: 'x' } })
  const set = {
    NODE_EXTRA_CA_CERTS: '/dev/null',
    SSL_CERT_FILE: '/ca.pem',
    HTTPS_PROXY: 'http://proxy.example.test:3128',
    no_proxy: 'localhost',
    npm_config_registry: 'https://npm.example.test/',
    NPM_CONFIG_CAFILE: '/ca.pem',
    npm_config__auth: 'c2VjcmV0',
    'npm_config_//npm.example.test/:_authToken': 'npm-secret',
    MY_API_KEY: 'sk-secret',
  }
  for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value)
  try {
    await using connections = await connect([entry])
    expect(connections.problems).toEqual([])
  } finally {
    vi.unstubAllEnvs()
  }
  const environment = notesOf(entry)[1]?.environment
  expect(environment).toMatchObject({
    OWN: 'x',
    NODE_EXTRA_CA_CERTS: '/dev/null',
    SSL_CERT_FILE: '/ca.pem',
    HTTPS_PROXY: 'http://proxy.example.test:3128',
    no_proxy: 'localhost',
    npm_config_registry: 'https://npm.example.test/',
    NPM_CONFIG_CAFILE: '/ca.pem',
  })
  expect(JSON.stringify(environment)).not.toContain('secret')
  expect(JSON.stringify(environment)).not.toContain('c2VjcmV0')
})

test('every variable that a server inherits is named in the documentation', () => {
  const page = readFileSync('docs/mcp.md', 'utf8')
  expect(INHERITED_VARIABLES.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('a catalog with terrible schemas and names loses what is terrible and nothing else', async () => {
  await using connections = await connect([odd('weird')])
  expect(connections.tools().map(({ name }) => name)).toEqual([
    'odd.fine',
    'odd.bad-type',
    'odd.no-object',
    'odd.dangling',
    'odd.bad-output',
    'odd.no-schema',
    'odd.__proto__',
  ])
  expect(tool(connections, 'odd.fine').parameters).toMatchObject({ properties: { n: { type: 'integer' } } })
  expect(tool(connections, 'odd.no-object').parameters).toEqual({ type: 'object' })
  expect(tool(connections, 'odd.no-object').validateArguments).toBe('in-body')
  for (const name of ['odd.bad-output', 'odd.dangling', 'odd.__proto__']) {
    expect((await call(connections, name)).value).toBe('you said nothing')
  }
  const said = connections.problems.map(({ message }) => message).join('\n')
  for (const part of [
    '"white space" is skipped',
    '"fine" is listed twice',
    'longer than 128',
    '".." is skipped',
    'tool 12 of its list has no name',
    'tool 13',
  ]) {
    expect(said).toContain(part)
  }
  // oxlint-disable-next-line no-control-regex -- that none is left is the point
  expect(said).not.toMatch(/\u001b/)
})

test('a list in pages is read to its end, and one that never ends is a problem', async () => {
  await using connections = await connect([
    odd('paged'),
    odd('endless', { name: 'endless' }),
    odd('toolless', { name: 'toolless' }),
  ])
  expect(connections.tools().filter(({ namespace }) => namespace === 'odd')).toHaveLength(11)
  expect(connections.problems).toMatchObject([
    { server: 'endless', message: expect.stringContaining('never ends') as string },
  ])
  expect(connections.servers.find(({ name }) => name === 'toolless')).toMatchObject({ started: true, tools: 0 })
})

test('a program gets plain values, and the blocks stay as the server sent them', async () => {
  await using connections = await connect([odd(), odd('plain', { name: 'text', textResults: 'text' })])
  expect((await call(connections, 'odd.echo', { words: 'x' })).value).toBe('you said x')
  expect((await call(connections, 'odd.json')).value).toEqual({ rows: [1, 2] })
  expect((await call(connections, 'text.json')).value).toBe('{"rows": [1, 2]}')
  expect((await call(connections, 'odd.big')).value).toBe('{"id": 9007199254740993}')
  const blocks = await call(connections, 'odd.blocks')
  expect(blocks.exec.attached).toEqual([
    [
      { type: 'text', text: 'one', annotations: { audience: ['user'] }, _meta: { 'odd/a': 1 } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'odd://r', text: 'inside' } },
      { type: 'resource_link', uri: 'odd://l', name: 'link' },
    ],
  ])
  expect(blocks.value).toEqual(blocks.exec.attached[0])
})

test('the idempotency key of a call travels in its _meta, and nothing does when there is none', async () => {
  const entry = odd()
  await using connections = await connect([entry])
  await call(connections, 'odd.echo', { words: 'x' })
  const exec = { ...recordExecution('odd.echo'), idempotencyKey: 'a1b2' }
  await tool(connections, 'odd.echo').execute({ words: 'x' }, exec)
  expect(notesOf(entry).filter((note) => 'idempotencyKey' in note)).toEqual([{ idempotencyKey: 'a1b2' }])
})

test('an error result throws the tool’s own words and keeps its content and structure', async () => {
  await using connections = await connect([odd()])
  const exec = recordExecution('odd.fail')
  await expect(tool(connections, 'odd.fail').execute({}, exec)).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'row 7 is locked',
    details: { structuredContent: { row: 7 } },
  })
  expect(exec.attached).toEqual([[{ type: 'text', text: 'row 7 is locked' }]])
  await expect(call(connections, 'odd.rpc-error')).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: expect.stringContaining('quota used up') as string,
  })
})

test('a malformed block is shown as text, as the call has had its effect', async () => {
  await using connections = await connect([odd()])
  expect((await call(connections, 'odd.nonsense')).value).toEqual({ type: 'text' })
})

test('progress of the server reaches the caller', async () => {
  await using connections = await connect([odd()])
  const { exec } = await call(connections, 'odd.steps')
  expect(exec.progress).toEqual([
    { message: 'step 1', fraction: 0.5 },
    { message: 'step 2', fraction: 1 },
  ])
})

test('an abort rejects with its own reason and cancels the call at the server', async () => {
  const entry = odd()
  await using connections = await connect([entry])
  const controller = new AbortController()
  const pending = call(connections, 'odd.hang', {}, controller.signal)
  await vi.waitFor(() => expect(notesOf(entry).at(-1)).toMatchObject({ called: 'hang' }))
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(pending).rejects.toBe(reason)
  const { id } = notesOf(entry).find(({ called }) => called === 'hang') ?? {}
  await vi.waitFor(() => expect(notesOf(entry).at(-1)).toEqual({ cancelled: id }))
})

test('a call that is never answered ends as TOOL_TIMEOUT at the request timeout', async () => {
  await using connections = await connect([odd('plain', { requestTimeoutMs: 100 })])
  await expect(call(connections, 'odd.hang')).rejects.toMatchObject({
    code: 'TOOL_TIMEOUT',
    message: expect.stringContaining('"hang" within 100 ms') as string,
  })
})

test('a server that dies takes its open calls with it, others go on, and the next call starts it again', async () => {
  const entry = odd()
  await using connections = await connect([entry, odd('plain', { name: 'other' })])
  const hanging = call(connections, 'odd.hang')
  const dying = call(connections, 'odd.die')
  for (const pending of [hanging, dying]) {
    await expect(pending).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringMatching(/^MCP server "odd": its connection ended during the call/) as string,
    })
  }
  expect((await call(connections, 'other.echo', { words: 'a' })).value).toBe('you said a')
  expect((await call(connections, 'odd.echo', { words: 'b' })).value).toBe('you said b')
  expect(notesOf(entry).filter(({ started }) => started !== undefined)).toHaveLength(2)
})

test('a server that keeps dying is not started at every call: the pauses grow', async () => {
  const entry = odd()
  let now = 0
  await using connections = await connect([entry], { nowMs: () => now })
  const die = () =>
    call(connections, 'odd.die').then(
      () => 'alive',
      (thrown: Error) => thrown.message,
    )
  const starts = () => notesOf(entry).filter(({ started }) => started !== undefined).length
  await die()
  await die()
  expect(starts()).toBe(2)
  expect(await die()).toContain('it is tried again in 1 s')
  expect(starts()).toBe(2)
  now += 1_000
  await die()
  expect(starts()).toBe(3)
  expect(await die()).toContain('it is tried again in 2 s')
})

test('a changed tool list is read again and announced', async () => {
  await using connections = await connect([odd()])
  const { promise, resolve: heard } = Promise.withResolvers<void>()
  using _listening = connections.onToolsChanged(heard)
  await call(connections, 'odd.grow')
  await promise
  expect((await call(connections, 'odd.grown')).value).toBe('you said nothing')
})

test('disposing ends every server process', async () => {
  const entries = [odd(), odd('plain', { name: 'two' })]
  const connections = await connect(entries)
  const pids = entries.map((entry) => notesOf(entry)[0]?.started as number)
  expect(pids.every(isAlive)).toBe(true)
  await connections[Symbol.asyncDispose]()
  expect(pids.filter(isAlive)).toEqual([])
  await expect(call(connections, 'odd.echo')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
})

test('names of configured servers that cannot be namespaces are made so, and a second server of the same name is refused', async () => {
  await using connections = await connect([
    odd('plain', { name: 'my.server' }),
    odd('plain', { name: 'my server' }),
    odd('plain', { name: 'my server' }),
  ])
  expect(new Set(connections.tools().map(({ namespace }) => namespace))).toEqual(new Set(['my_server', 'my_server_2']))
  expect(connections.problems).toMatchObject([
    { server: 'my server', message: expect.stringContaining('configured twice') as string },
  ])
})

test('a tool that the configuration disables is not imported', async () => {
  await using connections = await connect([odd('plain', { disabledTools: ['die', 'hang'] })])
  expect(connections.tools().map(({ name }) => name)).not.toContain('odd.die')
  expect(connections.tools().map(({ name }) => name)).toContain('odd.echo')
})

test('a Streamable HTTP server is used with the configured headers', async () => {
  await using server = await startHttpServer()
  await using connections = await connect([
    { name: 'web', transport: 'streamable-http', url: server.url, headers: { Authorization: 'Bearer abc-12345' } },
  ])
  expect(connections.problems).toEqual([])
  const { value, exec } = await call(connections, 'web.add', { a: 2, b: 3 })
  expect(value).toEqual({ sum: 5 })
  expect(exec.attached).toEqual([[{ type: 'text', text: '5' }]])
  expect(new Set(server.authorizations)).toEqual(new Set(['Bearer abc-12345']))
})

test('a server that knows no handshake is spoken to without one', async () => {
  await using server = await startHttpServer({ legacy: 'reject' })
  await using connections = await connect([{ name: 'web', transport: 'streamable-http', url: server.url }])
  expect(connections.problems).toEqual([])
  expect((await call(connections, 'web.add', { a: 2, b: 3 })).value).toEqual({ sum: 5 })
})

test('an HTTP server that breaks off in the middle of a call fails that call at once', async () => {
  await using server = await startHttpServer()
  await using connections = await connect([{ name: 'web', transport: 'streamable-http', url: server.url }])
  const exec = recordExecution('web.hang')
  const pending = tool(connections, 'web.hang').execute({}, exec) as Promise<unknown>
  pending.catch(() => {})
  await vi.waitFor(() => expect(exec.progress).toHaveLength(1))
  server.cutConnections()
  await expect(pending).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
})

test('an HTTP server that refuses, is missing or is not there says so without the secret path', async () => {
  await using locked = await startHttpServer({ status: 401 })
  await using absent = await startHttpServer({ status: 404 })
  const gone = await startHttpServer()
  await gone[Symbol.asyncDispose]()
  await using connections = await connect([
    { name: 'locked', transport: 'streamable-http', url: `${locked.url}/secret-path-1` },
    { name: 'absent', transport: 'streamable-http', url: `${absent.url}/secret-path-2` },
    { name: 'gone', transport: 'streamable-http', url: `${gone.url}/secret-path-3?key=secret-key` },
  ])
  const messages = Object.fromEntries(connections.problems.map(({ server, message }) => [server, message]))
  expect(messages.locked).toContain('HTTP 401')
  expect(messages.absent).toContain('no Streamable HTTP endpoint')
  expect(messages.gone).toContain('cannot be reached (ECONNREFUSED)')
  expect(JSON.stringify(messages)).not.toMatch(/secret-path|secret-key/)
})
