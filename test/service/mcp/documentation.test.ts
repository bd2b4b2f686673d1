import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readMcpConfig } from '../../../src/importers/mcp-config.ts'
import { ALICE, startMcpRig } from './http-rig.ts'

const page = readFileSync('docs/mcp.md', 'utf8')
const blocks = [...page.matchAll(/^```(\w*)(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language, kind = '', text = '']) => ({
    kind: `${language} ${kind}`.trim(),
    text,
  }),
)
const of = (kind: string) => blocks.flatMap((block) => (block.kind === kind ? [block.text] : []))
const folder = mkdtempSync(join(tmpdir(), 'mcp-page-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'codeferry.json'), '{ "requireConfinement": "none" }')
const env = { CODEFERRY_TOKEN: ALICE, TICKETS_TOKEN: 'x' }

/** What the client of the page would start or call, as it reads the snippet. */
function entryOf(text: string) {
  const { servers, problems } = readMcpConfig(text.replaceAll('${input:codeferry-token}', ALICE), {
    env,
    workspaceFolder: folder,
  })
  expect(problems).toEqual([])
  const [entry] = servers
  if (entry === undefined) throw new Error('the snippet has no server')
  return entry
}

test('every block of the page is of a kind that is tried here', () => {
  expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set(['jsonc', 'json stdio', 'json http']))
  expect([of('jsonc').length, of('json stdio').length, of('json http').length]).toEqual([1, 2, 3])
})

test.each(of('jsonc'))('can be read: %s', (text) => {
  const { servers, problems } = readMcpConfig(text, { env, workspaceFolder: folder })
  expect(problems).toEqual([])
  expect(servers).toHaveLength(2)
})

test.each(of('json stdio'))('a client that is set up so can run a program: %s', async (text) => {
  const entry = entryOf(text)
  if (entry.transport !== 'stdio') throw new Error('not over stdio')
  expect(entry.command).toBe('codeferry')
  const args = (entry.args ?? []).map((arg) => arg.replace('/path/to', folder))
  const client = new Client({ name: 'page', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [resolve('src/cli/main.ts'), ...args],
      stderr: 'ignore',
    }),
  )
  try {
    const result = await client.callTool({ name: 'run_code', arguments: { code: 'return 6 * 7' } })
    expect(result.structuredContent).toMatchObject({ result: 42 })
  } finally {
    await client.close()
  }
})

test.each(of('json http'))('a client that is set up so reaches the service: %s', async (text) => {
  await using rig = await startMcpRig()
  const entry = entryOf(text)
  if (entry.transport !== 'streamable-http') throw new Error('not over Streamable HTTP')
  expect(entry.url).toBe('http://127.0.0.1:8765/mcp')
  const client = new Client({ name: 'page', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(entry.url.replace('http://127.0.0.1:8765', rig.url)), {
      requestInit: { headers: entry.headers ?? {} },
    }),
  )
  try {
    const result = await client.callTool({ name: 'run_code', arguments: { code: 'return 6 * 7' } })
    expect(result.structuredContent).toMatchObject({ result: 42 })
  } finally {
    await client.close()
  }
})
