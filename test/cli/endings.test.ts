import { spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'

/** How commands end when what they are given, or what they write to, is not what it should be. */

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'endings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const mocks = file('tools.json', [
  { name: 'slow', mock: { delayMs: 300, returns: 'done' } },
  { name: 'quick', mock: { echo: true } },
])

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}
function cli(args: readonly string[], stdin: string | Buffer = '', stdout: 'pipe' | number = 'pipe'): Promise<Ended> {
  const child = spawn(NODE, [MAIN, ...args], {
    stdio: ['pipe', stdout, 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
}
const runArgs = (...args: string[]) => ['run', ...args, '--require-confinement', 'none']
const mcpArgs = ['mcp', '--mock', mocks, '--mode', 'both', '--require-confinement', 'none']
const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const HELLO = line({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
})
const answers = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as { id: number | null; result?: unknown; error?: { code: number } })

test('mcp finishes and answers what was asked before its stdin closed', async () => {
  const call = line({ id: 2, method: 'tools/call', params: { name: 'slow', arguments: {} } })
  const { code, out, err } = await cli(mcpArgs, HELLO + line({ method: 'notifications/initialized' }) + call)
  expect(answers(out).find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: 'done' }] } })
  expect([code, err]).toEqual([0, ''])
})

test('mcp answers what is no message, in one line each on stderr, and goes on: oversized lines too', async () => {
  const oversized = `${'x'.repeat(33 * 1024 * 1024)}\n`
  const { code, out, err } = await cli(mcpArgs, `${oversized}what?\n[1]\n{"a":1}\n${HELLO}`)
  const all = answers(out)
  expect(all.filter(({ error }) => error !== undefined).map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_600],
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
  ])
  expect(all.find(({ id }) => id === 1)).toHaveProperty('result')
  expect(err.trim().split('\n')).toHaveLength(4)
  expect(code).toBe(0)
})

test('a message with wrong fields is one line on stderr', async () => {
  const wrong = line({ id: 3, method: 'tools/call', params: { name: 7 } })
  const cancel = line({ method: 'notifications/cancelled', params: { requestId: { a: 1 } } })
  const { err } = await cli(mcpArgs, HELLO + line({ method: 'notifications/initialized' }) + wrong + cancel)
  expect(err.trim().split('\n').length).toBeLessThanOrEqual(2)
  expect(err).not.toMatch(/[[{]\n/)
})

test.runIf(existsSync('/dev/full'))(
  'output that cannot be written is one line and an exit code of its own',
  async () => {
    const full = openSync('/dev/full', 'w')
    const { code, err } = await cli(runArgs('-'), 'return "x".repeat(100)', full)
    closeSync(full)
    expect(err).toMatch(/^error: the output could not be written: .*ENOSPC.*\n$/)
    expect(code).toBe(74)
  },
)

test('a reader that is gone ends a command quietly', async () => {
  const child = spawn(NODE, [MAIN, ...runArgs('-')], { stdio: ['pipe', 'pipe', 'pipe'] })
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdout.destroy()
  child.stdin.end('for (let n = 0; n < 100; n++) console.log("x".repeat(1000)); return 1')
  const code = await new Promise((done) => child.on('close', done))
  expect([code, err]).toEqual([0, ''])
})

test('options that mean nothing without --db, and scopes that are no names, are refused', async () => {
  for (const args of [
    ['--session', 'foo'],
    ['--scope', 'zz'],
  ]) {
    const { code, err } = await cli(runArgs('-', ...args), 'return 1')
    expect(err).toContain(`${args[0]} needs --db`)
    expect(code).toBe(2)
  }
  const { code, err } = await cli(runArgs('-', '--db', join(folder, 's.sqlite'), '--scope', 'z z;'), 'return 1')
  expect(err).toContain('--scope')
  expect(code).toBe(2)
  expect(readdirSync(folder)).not.toContain('s.sqlite')
})

test('a session database that cannot be used is one line, exit code 2, and no more than the file is left', async () => {
  const own = join(folder, 'own')
  mkdirSync(own)
  const db = join(own, 'sessions.db')
  const many = 'for (let n = 0; n < 200; n++) await tools.quick({ n })'
  expect(await cli(runArgs('-', '--db', db, '--mock', mocks), many)).toMatchObject({ code: 0 })
  expect(readdirSync(own)).toEqual(['sessions.db'])
  const whole = readFileSync(db)
  const commands = [runArgs('-', '--db', db, '--session', 's'), ['log', db]]
  const found: [string, Buffer][] = [
    ['the file is damaged', Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 0x5a)])],
    ['the file is damaged', whole.subarray(0, 4_000)],
    ['not a session database', Buffer.from('what is this'.repeat(100))],
  ]
  for (const [part, bytes] of found) {
    writeFileSync(db, bytes)
    for (const command of commands) {
      const { code, out, err } = await cli(command, 'return 1')
      expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^error: session store [^\n]*\n$/)])
      expect(err).toContain(part)
    }
    expect(readdirSync(own)).toEqual(['sessions.db'])
  }
  expect((await cli(['log', own])).err).toMatch(
    /^error: session store .*own: is a directory; give the path of a file\n$/,
  )
})

test('a database that another program locks while a program runs is one line and exit code 2', async () => {
  const db = join(folder, 'locked.db')
  await cli(runArgs('-', '--db', db), 'return 1')
  const other = new DatabaseSync(db)
  other.exec('BEGIN IMMEDIATE')
  const { code, err } = await cli(runArgs('-', '--db', db, '--session', 'another'), 'return 1')
  other.close()
  expect(err).toMatch(/^error: session store .*another program has locked it \(database is locked\)[^\n]*\n$/)
  expect(code).toBe(2)
})

test.runIf(process.getuid?.() === 0)(
  'log reads a database that its user may not write, where it may not write',
  async () => {
    const shelf = join(folder, 'shelf')
    mkdirSync(shelf)
    const db = join(shelf, 'sessions.db')
    await cli(runArgs('-', '--db', db, '--session', 'mine'), 'return 1')
    chmodSync(db, 0o444)
    chmodSync(shelf, 0o555)
    chmodSync(folder, 0o755)
    const child = spawn(NODE, [MAIN, 'log', db], { uid: 65_534, gid: 65_534, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const code = await new Promise((done) => child.on('close', done))
    expect(text).toContain('mine')
    expect(code).toBe(0)
  },
)

test('with --json a usage error is one document without a doubled prefix, and nothing on stderr', async () => {
  const { code, out, err } = await cli(['run', 'x.ts', '--bogus', '--json'])
  expect(JSON.parse(out)).toMatchObject({ error: { message: "unknown option '--bogus'" } })
  expect([code, err]).toEqual([2, ''])
})

test('doctor names a server once, counts in words, and does not call missing what is wrong', async () => {
  const config = file('mcp.json', { mcpServers: { bad: { command: 'no-such-program' } } })
  const { out } = await cli(['doctor', '--config', config])
  expect(out).toMatch(/FAILED +server bad +it did not start: the program "no-such-program" was not found/)
  expect(out).toContain('mcp.json: 1 server\n')
  const broken = await cli(['doctor', '--config', file('broken.json', '{')])
  expect(broken.out).toMatch(/FAILED +config +.*this is not JSON/)
})

test('doctor says what the limit on memory is worth', async () => {
  const { out } = await cli(['doctor', '--json'])
  const { checks } = JSON.parse(out) as { checks: { name: string; detail: string }[] }
  const limits = checks.find(({ name }) => name === 'wall: limits')
  if (limits?.detail === 'no limit on data') return
  expect(limits?.detail).toMatch(/^data at most \d+ GiB of address space.*watch/)
})

test('a server that is left out is told in the same words whatever is wrong with it', async () => {
  const config = file('two.json', { mcpServers: { a: { command: 'no-such-program' }, b: { url: '${NO_SUCH_URL}' } } })
  const { err } = await cli(['tools', '--config', config])
  expect(err.trim().split('\n').toSorted()).toEqual([
    expect.stringMatching(/^warning: MCP server "a" is left out, the others go on: it did not start: /),
    expect.stringMatching(/^warning: MCP server "b" is left out, the others go on: "url": environment variable /),
  ])
})
