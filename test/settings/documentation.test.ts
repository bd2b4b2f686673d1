import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/codemode/limits.ts'
import { parseJsonc } from '../../src/importers/parse-jsonc.ts'
import { compileFull } from '../../src/schema/full.ts'
import { usualPlaces } from '../../src/cli/init/usual-places.ts'
import { DEFAULT_GRANTS, SERVER_DEFAULTS } from '../../src/settings/defaults.ts'
import { settingsJsonSchema } from '../../src/settings/json-schema.ts'
import { parseSettings } from '../../src/settings/read-settings.ts'

const page = readFileSync('docs/configuration.md', 'utf8')
const blocks = [...page.matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language, kind = '', text = '']) => ({
    language,
    kind,
    text,
  }),
)
const folder = mkdtempSync(join(tmpdir(), 'configuration-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'desk.token'), 'the-secret-of-the-desk\n')
const env = { AGENT_TOKEN: 'the-secret-of-the-agent', SHOP_TOKEN: 'x', WEATHER_KEY: 'y' }
const read = (text: string) => parseSettings(text, 'codeferry.json', { env, cwd: folder })

test('every block of the page is of a kind that is tried here', () => {
  const kinds = blocks.map(({ language, kind }) => `${language} ${kind}`.trim())
  expect(new Set(kinds)).toEqual(new Set(['sh run', 'jsonc faulty', 'text', 'jsonc']))
})

test.each(blocks.filter(({ language, kind }) => language === 'jsonc' && kind === '').map(({ text }) => text))(
  'can be read: %s',
  (text) => {
    expect(read(text).problems).toEqual([])
  },
)

test('what can be read, editors find no fault with, and what cannot, they do', () => {
  const compiled = compileFull(JSON.parse(readFileSync('docs/codeferry.schema.json', 'utf8')))
  const faultsOf = (text: string) => {
    const parsed = parseJsonc(text)
    if (!compiled.ok || !parsed.ok) return expect.unreachable('schema and file are JSON')
    return compiled.validate(JSON.parse(JSON.stringify(parsed.value)))
  }
  for (const { text } of blocks.filter(({ language, kind }) => language === 'jsonc' && kind === ''))
    expect(faultsOf(text), text).toEqual([])
  expect(faultsOf(blocks.find(({ kind }) => kind === 'faulty')?.text ?? '')).not.toEqual([])
})

test('the faulty file has the faults that the page shows', () => {
  const faulty = blocks.find(({ kind }) => kind === 'faulty')?.text ?? ''
  const told = blocks.find(({ language }) => language === 'text')?.text.trimEnd()
  expect(() => read(faulty)).toThrow(expect.objectContaining({ message: told }) as Error)
})

test('what the page says are defaults are the defaults', () => {
  const with_ = (key: string) =>
    read(
      blocks.find(
        ({ kind, text }) => kind === '' && text.includes(`"${key}": {\n    "`) && !text.includes('"mcpServers"'),
      )?.text ?? '{}',
    )
  expect(with_('limits').limits).toEqual(DEFAULT_LIMITS)
  const { allowedHosts: _hosts, allowedOrigins: _origins, ...server } = with_('server').server
  const { allowedOrigins: _none, ...defaults } = SERVER_DEFAULTS
  expect(server).toEqual(defaults)
  expect(page).toContain(`Default: \`${DEFAULT_GRANTS.join('` and `')}\``)
})

test('every key that the file may have stands on the page', () => {
  const keys = new Set<string>()
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties } = schema as { properties?: Record<string, unknown> }
    for (const key of Object.keys(properties ?? {})) keys.add(key)
    for (const inner of Object.values(schema)) if (inner !== undefined) walk(inner)
  }
  const { properties } = settingsJsonSchema() as { properties: Record<string, unknown> }
  // Servers are described in mcp.md.
  for (const [name, schema] of Object.entries(properties)) {
    keys.add(name)
    if (name !== 'mcpServers') walk(schema)
  }
  // Parts of `auth` and `body` that only one of their kinds has are in the JSON Schema alone.
  const elsewhere = new Set(['username', 'password', 'value', 'from', 'mediaType', 'in', 'type', 'properties'])
  const missing = [...keys].filter(
    (key) => !elsewhere.has(key) && !page.includes(`\`${key}\``) && !page.includes(`"${key}"`),
  )
  expect(keys.size).toBeGreaterThan(80)
  expect(missing).toEqual([])
})

test('the places that the page lists are those where init looks', () => {
  const surroundings = { env: { HOME: '~', USERPROFILE: '%USERPROFILE%', APPDATA: '%APPDATA%' }, cwd: '.' }
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const own = usualPlaces({ ...surroundings, platform }).slice(4)
    expect(own).toHaveLength(5)
    for (const { client, path } of own) {
      const row = page.split('\n').find((line) => line.startsWith(`| ${client} `))
      expect(row).toContain(path.replace('mcp_config.json', platform === 'win32' ? '…' : 'mcp_config.json'))
    }
  }
})

test('the command lines of the page work in their order', { timeout: 120_000 }, async () => {
  const node = resolve('node_modules/.bin/node')
  const server = resolve('node_modules/.bin/mcp-server-memory')
  const memory = {
    command: node,
    args: [server],
    env: { MEMORY_FILE_PATH: join(folder, 'm.jsonl'), API_KEY: 'hush-hush-hush' },
  }
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { memory } }))
  writeFileSync(join(folder, 'count.ts'), 'return (await tools.memory.read_graph({})).entities.length')
  const lines =
    blocks
      .find(({ kind }) => kind === 'run')
      ?.text.trim()
      .split('\n') ?? []
  expect(lines).toHaveLength(4)
  for (const line of lines) {
    const command = line.replace(/^codeferry /, `${node} ${resolve('src/cli/main.ts')} `)
    const options = { cwd: folder, env: { ...process.env, API_KEY: 'set' } }
    const { stdout } = await promisify(execFile)('sh', ['-c', command], options)
    expect(stdout.trim()).not.toBe('')
    if (line.includes(' run ')) expect(stdout).toMatch(/Result\n {2}0/)
  }
  expect(readFileSync(join(folder, 'codeferry.json'), 'utf8')).not.toContain('hush-hush')
})
