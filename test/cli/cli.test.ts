import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const mocks = file('tools.json', [
  {
    name: 'city.weather',
    description: 'Weather of a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    mock: { returns: { degrees: 7 } },
  },
  { name: 'fail', mock: { throws: 'the \u001b[31mpump\u001b[0m is broken' } },
  { name: 'hang', mock: { never: true } },
  { name: 'pay', approval: 'required', mock: { echo: true } },
])
const memory = {
  command: NODE,
  args: [resolve('node_modules/.bin/mcp-server-memory')],
  env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}
function cli(
  args: readonly string[],
  options: {
    readonly stdin?: string
    readonly env?: Record<string, string>
    readonly onErr?: (all: string, kill: (signal: NodeJS.Signals) => void) => void
  } = {},
): Promise<Ended> {
  const child = spawn(NODE, [MAIN, ...args], { env: { ...process.env, NO_COLOR: undefined, ...options.env } })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
    options.onErr?.(err, (signal) => child.kill(signal))
  })
  child.stdin.end(options.stdin ?? '')
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
}
const runArgs = (...args: string[]) => ['run', ...args, '--require-confinement', 'none']

test('a program’s result, output and calls are shown, and success is exit code 0', async () => {
  const program = file('ok.ts', "console.log('looking'); return await tools.city.weather({ city: 'Oslo' })")
  const { code, out, err } = await cli(runArgs(program, '--mock', mocks))
  expect(err).toBe('')
  expect(out).toMatch(/Result\n {2}\{\n {4}"degrees": 7\n {2}\}/)
  expect(out).toMatch(/Console\n {2}looking/)
  expect(out).toMatch(/Calls \(1\)\n {2}✓ +\+\d+(\.\d)? ms city\.weather +\d+(\.\d)? ms/)
  expect(code).toBe(0)
})

test('what a program shows is shown, and images are named', async () => {
  const stdin = "show({ type: 'text', text: 'a table' }); show({ type: 'image', data: 'AAAA', mimeType: 'image/png' })"
  const { code, out } = await cli(runArgs('-'), { stdin })
  expect(out).toMatch(/Shown\n {2}a table\n {2}\[image image\/png, 4 characters of base64\]/)
  expect(code).toBe(0)
})

test('--json prints one document with everything in it', async () => {
  const { code, out } = await cli(runArgs('-', '--mock', mocks, '--json'), {
    stdin: "console.warn('w'); return (await tools.city.weather({ city: 'x' })).degrees",
  })
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    exitCode: 0,
    result: 7,
    logs: [{ level: 'warn', text: 'w' }],
    calls: [{ name: 'city.weather', isError: false, state: 'settled' }],
    notices: [],
    problems: [],
  })
  expect(code).toBe(0)
})

test('a program that fails is exit code 1, says why and what it had done, and steers no terminal', async () => {
  const { code, out } = await cli(runArgs('-', '--mock', mocks), {
    stdin: "await tools.city.weather({ city: 'x' }); await tools.fail()",
  })
  expect(code).toBe(1)
  expect(out).toContain('Failed PROGRAM_ERROR')
  expect(out).toContain('the pump is broken')
  expect(out).toMatch(/✓ .*city\.weather/)
  expect(out).toMatch(/✗ .*fail .*TOOL_FAILED/)
  // oxlint-disable-next-line no-control-regex -- that none is left is the point
  expect(out).not.toMatch(/\u001b/)
})

test('a program that does not parse is exit code 1 with its line', async () => {
  const { code, out } = await cli(runArgs('-', '--json'), { stdin: 'const a = 1\nreturn a +' })
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    error: { code: 'COMPILE_ERROR', message: expect.stringContaining('2') as string },
  })
})

test('an interrupt ends the run, prints what was done, and is exit code 130', async () => {
  const program = file('hang.ts', "console.log('begun'); await tools.city.weather({ city: 'x' }); await tools.hang()")
  const db = join(folder, 'interrupted.sqlite')
  const child = spawn(NODE, [MAIN, ...runArgs(program, '--mock', mocks, '--db', db)])
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const closed = new Promise<number | null>((done) => child.on('close', done))
  // The log tells when the call that never ends has begun.
  for (;;) {
    const log = await cli(['log', db, '--json'])
    if (log.code === 0 && log.out.includes('"name": "hang"')) break
  }
  child.kill('SIGINT')
  expect(await closed).toBe(130)
  expect(out).toContain('Failed ABORTED')
  expect(out).toContain('begun')
  expect(out).toMatch(/✓ .*city\.weather/)
})

test('a tool that needs a person’s yes fails closed where nobody can be asked', async () => {
  const { code, out } = await cli(runArgs('-', '--mock', mocks, '--json'), {
    stdin: 'return await tools.pay({ amount: 1 })',
  })
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ calls: [{ name: 'pay', code: 'APPROVAL_UNAVAILABLE' }] })
})

test('a run with a database can be read afterwards as events and as a tree of calls', async () => {
  const db = join(folder, 'sessions.sqlite')
  await cli(runArgs('-', '--mock', mocks, '--db', db), { stdin: "return await tools.city.weather({ city: 'Oslo' })" })
  const shown = await cli(['log', db])
  expect(shown.code).toBe(0)
  expect(shown.out).toMatch(/tool\/call +run_code/)
  expect(shown.out).toMatch(/ {2}✓ run_code .*\n {4}✓ city\.weather .*\{"city":"Oslo"\}/)
  const json = JSON.parse((await cli(['log', db, '--json'])).out) as { session: { sessionId: string }; calls: unknown }
  expect(json.calls).toMatchObject([
    { name: 'run_code', state: 'ok', children: [{ name: 'city.weather', state: 'ok' }] },
  ])
  await cli(runArgs('-', '--db', db), { stdin: 'return 1' })
  const listed = await cli(['log', db])
  expect(listed.out).toContain(json.session.sessionId)
  expect(listed.out).toContain('--session <id>')
  const missing = await cli(['log', db, '--session', 'nope'])
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('there is no session nope') as string })
})

test('log --replay shows from the file alone the cards that run --cards showed live', async () => {
  const db = join(folder, 'cards.sqlite')
  const stdin = "try { await tools.fail() } catch {}; return await tools.city.weather({ city: 'Oslo' })"
  const live = await cli(runArgs('-', '--mock', mocks, '--db', db, '--cards'), { stdin })
  expect(live.code).toBe(0)
  const replayed = await cli(['log', db, '--replay'])
  const cards = live.out.slice(live.out.indexOf('\nCards\n'))
  expect(replayed).toEqual({ code: 0, out: cards, err: '' })
  expect(cards).toMatch(
    /✓ run_code .*\n {6}\$ Call fail, city\.weather\n[^]* {4}✗ fail .*TOOL_FAILED\n[^]* {4}✓ city\.weather /,
  )

  const json = JSON.parse(
    (await cli(runArgs('-', '--mock', mocks, '--db', db, '--session', 'second', '--cards', '--json'), { stdin })).out,
  ) as { cards: unknown[] }
  const replayedJson = await cli(['log', db, '--session', 'second', '--replay', '--json'])
  expect(JSON.parse(replayedJson.out)).toEqual({
    session: expect.objectContaining({ sessionId: 'second' }) as unknown,
    cards: json.cards,
  })
  expect(json.cards).toMatchObject([
    { name: 'run_code', state: 'done', children: [{ name: 'fail', code: 'TOOL_FAILED' }, { name: 'city.weather' }] },
  ])
})

test('a server that does not start is a warning, and the others go on', async () => {
  const config = file('mcp.json', {
    mcpServers: { memory, broken: { command: 'no-such-program' }, unset: { url: '${NO_SUCH_URL}' } },
  })
  const run = await cli(runArgs('-', '--config', config, '--json'), {
    stdin: 'return Object.keys(await tools.memory.read_graph())',
  })
  expect(run.code).toBe(0)
  expect(JSON.parse(run.out)).toMatchObject({ ok: true, result: ['entities', 'relations'] })
  expect(run.err).toContain(
    'warning: MCP server "broken" is left out, the others go on: it did not start: the program "no-such-program" was not found',
  )
  expect(run.err).toContain(
    'warning: MCP server "unset" is left out, the others go on: "url": environment variable NO_SUCH_URL is not set',
  )
  const tools = await cli(['tools', '--config', config])
  expect(tools.code).toBe(3)
  expect(tools.out).toContain('tools.memory.read_graph [read-only, idempotent]')
  expect(tools.out).toContain('9 tools')
})

test('the SDK of a catalog, a mock file or servers is printed, and its size can be bounded', async () => {
  const full = await cli(['sdk', '--catalog', mocks, '--level', 'L3'])
  expect(full.code).toBe(0)
  expect(full.out).toContain('weather(args: { city: string })')
  const small = JSON.parse((await cli(['sdk', '--mock', mocks, '--budget', '20', '--json'])).out) as { level: string }
  expect(small.level).toBe('L0')
})

test.each<[string, string[], string]>([
  ['an unknown command', ['frob'], 'unknown command'],
  ['an unknown option', ['run', 'x.ts', '--frob'], 'unknown option'],
  ['a missing program', ['run', join(folder, 'none.ts')], 'does not exist'],
  ['a missing configuration', ['tools', '--config', join(folder, 'none.json')], 'does not exist'],
  [
    'a configuration that is no JSON',
    ['tools', '--config', file('bad.json', '{"mcpServers": {"a": {"env": {"T": "s3cr3t" "U"')],
    'this is not JSON',
  ],
  ['a level that is none', ['sdk', '--level', 'L9'], 'Allowed choices are'],
  ['a timeout that is no number', ['run', 'x.ts', '--timeout', 'soon'], 'whole number'],
  ['a database that is none', ['log', file('no.sqlite', 'hello, this is not a database file at all')], ''],
  ['an empty program', ['run', file('empty.ts', ' ')], 'is empty'],
])('wrong usage is exit code 2 and one clear message: %s', async (_name, args, part) => {
  const { code, out, err } = await cli(args)
  expect(err).toContain(part)
  expect(err).not.toMatch(/s3cr3t|at .*\(.*:\d+:\d+\)/)
  expect(out).toBe('')
  expect(code).toBe(2)
})

test('a failure before anything runs is one JSON document too, with --json', async () => {
  const { code, out } = await cli(['tools', '--config', join(folder, 'none.json'), '--json'])
  expect(code).toBe(2)
  expect(JSON.parse(out)).toMatchObject({ ok: false, exitCode: 2, error: { code: 'CONFIG_INVALID' } })
})

test('every command has help with examples and exit codes', async () => {
  for (const command of ['run', 'tools', 'sdk', 'log', 'mcp', 'doctor']) {
    const { code, out } = await cli([command, '--help'])
    expect(code).toBe(0)
    expect(out).toContain(`codeferry ${command}`)
    expect(out).toContain('Examples:')
    expect(out).toMatch(/130 {2}interrupted/)
  }
  const { out } = await cli(['--version'])
  expect(out.trim()).toBe((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version)
})

test('doctor has a line for each thing a run needs, and starts the configured servers', async () => {
  const config = file('doctor.json', { mcpServers: { memory, broken: { command: 'no-such-program' } } })
  const { out, code } = await cli(['doctor', '--config', config, '--json'])
  const report = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string }[] }
  const checks = new Map(report.checks.map((check) => [check.name, check]))
  expect(checks.get('node')).toMatchObject({ ok: true })
  expect(checks.get('isolated-vm')).toMatchObject({ ok: true })
  expect(checks.has('confinement')).toBe(true)
  expect(checks.get('server memory')).toMatchObject({ ok: true, detail: expect.stringContaining('9 tools') as string })
  expect(checks.get('server broken')).toMatchObject({ ok: false })
  expect(code).toBe(checks.get('confinement')?.ok === true ? 3 : 4)
})

test('mcp serves over stdio: stdout holds the protocol alone, and closing stdin ends it', async () => {
  const config = file('upstream.json', { mcpServers: { memory, broken: { command: 'no-such-program' } } })
  const transport = new StdioClientTransport({
    command: NODE,
    args: [MAIN, 'mcp', '--config', config, '--mode', 'both', '--require-confinement', 'none'],
    stderr: 'pipe',
  })
  let err = ''
  transport.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const faults: Error[] = []
  const client = new Client({ name: 'test', version: '1' })
  client.onerror = (error) => faults.push(error)
  await client.connect(transport)
  const { pid } = transport
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('memory_read_graph')
  const result = await client.callTool({
    name: 'run_code',
    arguments: { code: 'return Object.keys(await tools.memory.read_graph())' },
  })
  expect(result.structuredContent).toMatchObject({ result: ['entities', 'relations'] })
  expect(err).toContain('MCP server "broken"')
  await client.close()
  expect(faults).toEqual([])
  expect(() => process.kill(pid ?? 0, 0)).toThrow()
})
