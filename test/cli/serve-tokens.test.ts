import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serve-tokens-'))
  write('tools.json', [{ name: 'first', description: 'One.', mock: { returns: 1 } }])
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value))

function start(...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [resolve('src/cli/main.ts'), 'serve', '--json', '--require-confinement', 'none', ...args],
    { cwd: folder },
  )
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  const ended = new Promise<number | null>((done) => child.on('close', done))
  return {
    child,
    said,
    ended,
    listening: () => eventually(() => JSON.parse(said.out) as { url: string; token: string }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
const statusOf = async ({ url, token }: { url: string; token: string }) =>
  (await fetch(`${url}/v1/tools`, { headers: { authorization: `Bearer ${token}` } })).status
const tokenFiles = () => readdirSync(folder).filter((name) => name.endsWith('.tokens.json'))

test('a first start that cannot listen makes no token, and says what to do next', async () => {
  const taken = createServer()
  await new Promise<void>((done) => void taken.listen(0, '127.0.0.1', done))
  const address = taken.address()
  const port = String(typeof address === 'object' && address?.port)
  try {
    await using failing = start('--mock', 'tools.json', '--port', port)
    expect(await failing.ended).toBe(2)
    expect(failing.said.out).toMatch(/EADDRINUSE/)
    expect(failing.said.out).toMatch(/--port/)
    expect(failing.said.out).toMatch(/\\"server\\": \{ \\"port\\"/)
    expect(tokenFiles()).toEqual([])
  } finally {
    taken.close()
  }
  await using serving = start('--mock', 'tools.json', '--port', '0')
  expect(await statusOf(await serving.listening())).toBe(200)
})

test('a reload makes no token: not when the file is gone, and not when the configuration names another database', async () => {
  write('codeferry.json', {})
  await using serving = start('--config', 'codeferry.json', '--mock', 'tools.json', '--port', '0')
  const listening = await serving.listening()
  const reloads = () => serving.said.err.split('"msg":"reloaded"').length - 1

  write('codeferry.json', { store: { sqlite: 'elsewhere.sqlite' } })
  serving.child.kill('SIGHUP')
  await eventually(() => expect(reloads()).toBe(1))
  expect(await statusOf(listening)).toBe(200)
  expect(tokenFiles()).toEqual(['codeferry.sqlite.tokens.json'])
  expect(existsSync(join(folder, 'elsewhere.sqlite'))).toBe(false)

  rmSync(join(folder, 'codeferry.sqlite.tokens.json'))
  serving.child.kill('SIGHUP')
  await eventually(() => expect(reloads()).toBe(2))
  expect(await statusOf(listening)).toBe(200)
  expect(tokenFiles()).toEqual([])
  expect(serving.said.err).toMatch(
    /no token file [^ ]*codeferry\.sqlite\.tokens\.json: those that there were still count/,
  )

  // An empty list is a list: it takes everybody's token away.
  write('codeferry.sqlite.tokens.json', { tokens: [] })
  serving.child.kill('SIGHUP')
  await eventually(async () => expect(await statusOf(listening)).toBe(401))
})

test('tools of a mock file alone: that the configuration of the folder does not count is said in a line', async () => {
  write('codeferry.json', { server: { port: 1 } })
  await using serving = start('--mock', 'tools.json', '--port', '0')
  await serving.listening()
  expect(serving.said.err).toMatch(/with --mock \.\/codeferry\.json is not read: its port, tokens and policies/)
})
