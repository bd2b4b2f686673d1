import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

test('codeferry serve has /mcp, and a reload tells its clients of the new tools', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-mcp-'))
  const mocks = join(folder, 'tools.json')
  writeFileSync(mocks, '[{ "name": "first", "description": "One.", "mock": { "returns": 1 } }]')
  const child = spawn(
    process.execPath,
    [resolve('src/cli/main.ts'), 'serve', '--json', '--port', '0', '--mock', mocks, '--require-confinement', 'none'],
    { cwd: folder },
  )
  const ended = new Promise((done) => child.on('close', done))
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.resume()
  const client = new Client({ name: 'test', version: '1' })
  try {
    const { url, token } = await eventually(() => JSON.parse(out) as { url: string; token: string })
    const changed = vi.fn<() => void>()
    client.setNotificationHandler('notifications/tools/list_changed', changed)
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    const run = (code: string) => client.callTool({ name: 'run_code', arguments: { code } })
    expect((await run('return await tools.first()')).structuredContent).toMatchObject({ result: 1 })
    writeFileSync(mocks, '[{ "name": "second", "description": "Two.", "mock": { "returns": 2 } }]')
    child.kill('SIGHUP')
    await eventually(() => expect(changed).toHaveBeenCalled())
    expect((await run('return await tools.second()')).structuredContent).toMatchObject({ result: 2 })
  } finally {
    await client.close()
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  }
}, 120_000)
