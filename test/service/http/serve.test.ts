import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { json, send, temporaryFolder, eventually } from './rig.ts'

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const WEATHER = {
  name: 'city.weather',
  description: 'Weather.',
  inputSchema: { type: 'object' },
  mock: { returns: { degrees: 7 } },
}

interface Serving extends AsyncDisposable {
  readonly url: string
  readonly document: Record<string, unknown>
  readonly child: ChildProcess
  readonly err: () => string
  readonly ended: Promise<number | null>
}

/** `codeferry serve --json` until it listens. */
async function serve(folder: string, args: readonly string[] = []): Promise<Serving> {
  const child = spawn(NODE, [MAIN, 'serve', '--json', '--port', '0', '--require-confinement', 'none', ...args], {
    cwd: folder,
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const ended = new Promise<number | null>((done) => child.on('close', done))
  const document = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`it ended: ${out} ${err}`)
    return JSON.parse(out) as Record<string, unknown>
  })
  if (typeof document.url !== 'string') throw new Error(JSON.stringify(document))
  return {
    url: String(document.url),
    document,
    child,
    err: () => err,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
function folderWithTools() {
  const folder = temporaryFolder()
  writeFileSync(folder.file('tools.json'), JSON.stringify([WEATHER]))
  return folder
}

test('the first start makes one token, shows it once, keeps its hash for its owner only, and serves with it', async () => {
  using folder = folderWithTools()
  const args = ['--mock', 'tools.json']
  let secret = ''
  let run: Record<string, unknown> = {}
  {
    await using serving = await serve(folder.path, args)
    secret = String(serving.document.token)
    expect(secret).toMatch(/^cft_[\w-]{43}$/)
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    run = await json(send(serving.url, secret, '/v1/runs', { body: { code: 'return await tools.city.weather({})' } }))
    expect(run).toMatchObject({ result: { degrees: 7 } })
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toBe(0)
    expect(serving.err()).not.toContain(secret)
  }
  const file = folder.file('codeferry.sqlite.tokens.json')
  expect(readFileSync(file, 'utf8')).toContain(createHash('sha256').update(secret).digest('hex'))
  expect(readFileSync(file, 'utf8')).not.toContain(secret)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await using again = await serve(folder.path, args)
  expect(again.document.token).toBeUndefined()
  expect(await json(send(again.url, secret, `/v1/runs/${String(run.id)}`))).toMatchObject({
    status: 'succeeded',
    isFromLog: true,
  })
})

test('SIGHUP takes up new tools and tokens while a run of the old ones goes on, and a bad file changes nothing', async () => {
  using folder = folderWithTools()
  await using serving = await serve(folder.path, ['--mock', 'tools.json'])
  const secret = String(serving.document.token)
  const slow = send(serving.url, secret, '/v1/runs', {
    body: { code: 'await new Promise((r) => setTimeout(r, 1_500)); return await tools.city.weather({})' },
  })
  await eventually(async () =>
    expect(await (await send(serving.url, secret, '/metrics')).text()).toMatch(/codeferry_work_running 1\n/),
  )
  const made = spawn(NODE, [MAIN, 'token', 'new', 'second', '--may', 'read', '--json'], { cwd: folder.path })
  let out = ''
  made.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await new Promise((done) => made.on('close', done))
  const second = String((JSON.parse(out) as { token: string }).token)
  const tools = async (token: string) =>
    (await json(send(serving.url, token, '/v1/tools/search', { body: { query: 'fresh' } }))).tools
  writeFileSync(folder.file('tools.json'), JSON.stringify([{ ...WEATHER, name: 'fresh' }]))
  serving.child.kill('SIGHUP')
  await eventually(async () => expect(await tools(secret)).toMatchObject([{ name: 'fresh' }]))
  expect(await tools(second)).toMatchObject([{ name: 'fresh' }])
  expect(await json(slow)).toMatchObject({ status: 'succeeded', result: { degrees: 7 } })
  writeFileSync(folder.file('tools.json'), '[{')
  serving.child.kill('SIGHUP')
  await eventually(() => expect(serving.err()).toContain('reload refused'))
  expect(await tools(secret)).toMatchObject([{ name: 'fresh' }])
})

test('a killed service leaves a database in which a cut run is found as one whose outcome is unknown', async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.file('tools.json'), JSON.stringify([{ name: 'hang', description: '', mock: { never: true } }]))
  const args = ['--mock', 'tools.json']
  let secret = ''
  let id = ''
  {
    await using serving = await serve(folder.path, args)
    secret = String(serving.document.token)
    const headers = { prefer: 'respond-async' }
    id = String(
      (await json(send(serving.url, secret, '/v1/runs', { body: { code: 'await tools.hang()' }, headers }), 202)).id,
    )
    const session = id.replace('run-', 'session-')
    await eventually(async () =>
      expect(JSON.stringify(await json(send(serving.url, secret, `/v1/sessions/${session}/messages`)))).toContain(
        'hang',
      ),
    )
  }
  await using again = await serve(folder.path, args)
  expect(await json(send(again.url, secret, `/v1/runs/${id}`))).toMatchObject({
    status: 'failed',
    error: { code: 'OUTCOME_UNKNOWN' },
  })
  // A provider takes no call without a result.
  const { messages } = await json(send(again.url, secret, `/v1/sessions/${id.replace('run-', 'session-')}/messages`))
  expect(messages).toMatchObject([
    { role: 'assistant' },
    { role: 'tool', content: [{ type: 'text', text: expect.stringContaining('OUTCOME_UNKNOWN') }] },
  ])
})

test('a codeferry.json says tokens, scopes, limits of the server and where sessions are; tokens of the file are then the only ones', async () => {
  using folder = folderWithTools()
  const secret = 'a-secret-of-the-configuration'
  const sha256 = createHash('sha256').update(secret).digest('hex')
  const configuration = {
    scopes: { 'team-a': { mode: 'native' } },
    tokens: [{ name: 'agent', scope: 'team-a', may: ['read', 'run'], secret: { sha256 } }],
    server: { maxBodyBytes: 2_000, allowedHosts: ['localhost'] },
    store: 'memory',
  }
  writeFileSync(folder.file('codeferry.json'), JSON.stringify(configuration))
  await using serving = await serve(folder.path, ['--config', 'codeferry.json', '--mock', 'tools.json'])
  expect(serving.document.tokens).toEqual([{ name: 'agent', scope: 'team-a', may: ['read', 'run'] }])
  expect(serving.document).not.toHaveProperty('token')
  expect(existsSync(folder.file('codeferry.sqlite'))).toBe(false)
  expect((await send(serving.url, secret, '/v1/tools')).status).toBe(403)
  const url = serving.url.replace('127.0.0.1', 'localhost')
  expect(await json(send(url, secret, '/v1/tools'))).toMatchObject({
    mode: 'native',
    tools: [{ name: 'city_weather' }],
  })
  expect((await send(url, secret, '/v1/tools/search', { body: { query: 'x'.repeat(3_000) } })).status).toBe(413)
  // A file with a fault stops a start, and says where it is.
  writeFileSync(folder.file('codeferry.json'), JSON.stringify({ ...configuration, server: { maxBodyByte: 1 } }))
  await expect(serve(folder.path, ['--config', 'codeferry.json'])).rejects.toThrow(/maxBodyByte/)
})

test('rules over tools that are not there are told at the start and at a reload, with the name that was meant', async () => {
  using folder = folderWithTools()
  const write = (tools: string) =>
    writeFileSync(
      folder.file('codeferry.json'),
      JSON.stringify({ store: 'memory', policies: { approval: [{ tools: [tools], reason: 'people' }] } }),
    )
  write('city.wether')
  await using serving = await serve(folder.path, ['--config', 'codeferry.json', '--mock', 'tools.json'])
  expect(serving.err()).toMatch(/warning: .*policies\.approval\[0\].*"city\.wether".*"city\.weather"\?/)
  write('city.waether')
  serving.child.kill('SIGHUP')
  await eventually(() => expect(serving.err()).toMatch(/"city\.waether"/))
})
