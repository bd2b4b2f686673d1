import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseRestriction } from '../../src/registry/restriction.ts'
import { readMcpConfig } from '../../src/importers/mcp-config.ts'
import { SERVER_DEFAULTS } from '../../src/settings/defaults.ts'
import { parseSettings, readSettings } from '../../src/settings/read-settings.ts'
import { faultsOf, SECRET, settingsOf } from './sample-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return name
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a codeferry.json', () => {
  test('may be empty: every default is filled in or left to the engine', () => {
    expect(settingsOf({})).toEqual({
      path: 'codeferry.json',
      folder: '/',
      kind: 'codeferry',
      servers: [],
      openapi: [],
      http: [],
      scopes: new Map(),
      policies: {},
      tokens: [],
      server: SERVER_DEFAULTS,
      problems: [],
    })
  })

  test('may hold comments and trailing commas, and paths in it are relative to its folder', () => {
    const path = file('codeferry.json', '{ // kept\n "store": { "sqlite": "s.sqlite" }, }')
    expect(readSettings(join(folder, path), { env: {}, cwd: '/' }).store).toEqual({ sqlite: join(folder, 's.sqlite') })
  })

  test('describes MCP servers as every other file does, and one bad server leaves only itself out', () => {
    const mcpServers = {
      good: { command: 'node', args: ['${A}'], alwaysAllow: [] },
      unset: { command: 'node', args: ['${NOT_SET}'] },
      off: { command: 'x', disabled: true },
    }
    const env = { A: 'from-env' }
    const plain = readMcpConfig(JSON.stringify({ mcpServers }), { env, workspaceFolder: '/w' })
    const { servers, problems } = settingsOf({ mcpServers, limits: { maxCalls: 3 } }, { env, cwd: '/w' })
    expect(servers).toEqual(plain.servers)
    expect(servers.map(({ name }) => name)).toEqual(['good'])
    expect(problems).toEqual(plain.problems)
  })

  test('overrides single defaults of the service and keeps the rest', () => {
    const { server } = settingsOf({ server: { port: 0, telemetry: { content: true } } })
    expect(server).toEqual({ ...SERVER_DEFAULTS, port: 0, telemetry: { content: true } })
  })

  test('says which scope sees which servers: the others are denied by their namespace', () => {
    const { scopes } = settingsOf({
      mcpServers: { files: { command: 'a' }, 'my.git': { command: 'b' } },
      scopes: {
        reader: {
          servers: ['files'],
          mode: 'both',
          restrictions: { deny: ['files.write'] },
          tiers: { 'files.*': 'native' },
        },
        all: {},
      },
    })
    expect(scopes.get('reader')).toEqual({
      mode: 'both',
      restrictions: [{ deny: ['files.write'] }, { deny: ['my_git.*'] }],
      tiers: new Map([['files.*', 'native']]),
    })
    expect(scopes.get('all')).toEqual({ restrictions: [], tiers: new Map() })
  })

  test('hides no HTTP tool for the servers that a scope sees, whatever the name of the tool begins with', () => {
    const http = ['files.extra', 'web.fetch'].map((name) => ({ name, description: 'd', url: 'https://h.test/' }))
    const mcpServers = { files: { command: 'x' }, git: { command: 'x' } }
    const { scopes } = settingsOf({ mcpServers, http, scopes: { s: { servers: [] }, t: { servers: ['files'] } } })
    const sees = (scope: string, tool: string) =>
      scopes.get(scope)?.restrictions.every((options) => {
        const parsed = parseRestriction(options)
        return parsed.ok && parsed.restriction.permits(tool)
      })
    const tools = ['files.extra', 'web.fetch', 'files.read', 'git.push']
    expect(tools.map((tool) => sees('s', tool))).toEqual([true, true, false, false])
    expect(tools.map((tool) => sees('t', tool))).toEqual([true, true, true, false])
  })

  test('knows servers that are switched off by name, and denies the namespaces that the others really have', () => {
    const { scopes } = settingsOf({
      mcpServers: { 'a.b': { command: 'x', disabled: true }, a_b: { command: 'y' } },
      openapi: [{ name: 'a.b.', spec: 'x.json' }],
      scopes: { s: { servers: ['a.b'] }, t: { servers: ['a.b.'] } },
    })
    expect(scopes.get('s')?.restrictions).toEqual([{ deny: ['a_b.*', 'a_b_.*'] }])
    expect(scopes.get('t')?.restrictions).toEqual([{ deny: ['a_b.*'] }])
  })

  test('seals what it restricts in "global", where all its tools are registered', () => {
    const { scopes } = settingsOf({ scopes: { global: { restrictions: [{ deny: ['a'] }] } } })
    expect(scopes.get('global')?.restrictions).toEqual([{ deny: ['a'], sealed: true }])
  })
})

describe('a plain file of another client', () => {
  test.each([
    ['Claude Desktop', { mcpServers: { s: { command: 'x' } }, globalShortcut: 'Ctrl+Space' }],
    ['VS Code', { inputs: [], servers: { s: { command: 'x' } } }],
    ['VS Code settings', { 'http.proxy': 'p', mcp: { servers: { s: { command: 'x' } } } }],
  ])('is read as it ever was: %s', (_client, content) => {
    const settings = parseSettings(JSON.stringify(content), 'mcp.json', { env: {}, cwd: '/' })
    expect(settings.kind).toBe('mcp-servers')
    expect(settings.servers.map(({ name }) => name)).toEqual(['s'])
  })

  test('that says something only Codeferry understands is held to its rules, whatever its name', () => {
    const text = JSON.stringify({ mcpServers: {}, policies: {}, globalShortcut: 'x' })
    expect(() => parseSettings(text, 'mcp.json', { env: {}, cwd: '/' })).toThrow(/globalShortcut: there is no such key/)
  })

  test('without servers is refused in the words of its reader', () => {
    expect(() => parseSettings('{"a":1}', 'mcp.json', { env: {}, cwd: '/' })).toThrow(/mcp\.json has no "mcpServers"/)
  })
})

describe('tokens', () => {
  test('come from the environment, a file or a digest, and only the digest is kept', () => {
    file('token.txt', `${SECRET}2\n`)
    const settings = settingsOf(
      {
        scopes: { s: {} },
        tokens: [
          { name: 'a', scope: 's', may: ['run', 'run', 'approve'], secret: { env: 'T' } },
          { name: 'b', secret: { file: 'token.txt' } },
          { name: 'c', secret: { sha256: 'AB'.repeat(32) } },
        ],
      },
      { env: { T: SECRET }, cwd: folder },
    )
    expect(settings.tokens).toEqual([
      { name: 'a', scope: 's', may: ['run', 'approve'], sha256: sha256(SECRET) },
      { name: 'b', scope: 'global', may: ['run', 'read'], sha256: sha256(`${SECRET}2`) },
      { name: 'c', scope: 'global', may: ['run', 'read'], sha256: 'ab'.repeat(32) },
    ])
    expect(JSON.stringify(settings)).not.toContain(SECRET)
  })

  test('written into the file are refused, and the message does not hold them', () => {
    const [fault, ...more] = faultsOf({ tokens: [{ name: 'a', secret: SECRET }] })
    expect(more).toEqual([])
    expect(fault).toMatch(
      /^tokens\[0\]\.secret: must say where the secret is, and not be the secret: \{ "env": "NAME" \}/,
    )
    expect(fault).not.toContain(SECRET)
  })

  test.each([
    ['a variable that is not set', { env: 'NOPE' }, /tokens\[0\]\.secret\.env: .*NOPE is not; set it/],
    ['a secret that can be guessed', { env: 'SHORT' }, /SHORT must have at least 16 characters; found 5/],
    ['a secret that no header carries', { env: 'SPACED' }, /SPACED must be printable ASCII/],
    [
      'a file that is not there',
      { file: 'no-file' },
      /tokens\[0\]\.secret\.file: must be a file .*; found none of that name \(not shown: /,
    ],
    ['two sources', { env: 'A', file: 'b' }, /must say exactly one of "env", "file", "sha256"/],
    ['no source', {}, /must say exactly one of "env", "file", "sha256"; found an empty object/],
    ['half a digest', { sha256: 'ab' }, /must be the SHA-256 of the secret/],
  ])('%s is a fault', (_what, secret, message) => {
    const env = { SHORT: 'short', SPACED: 'sixteen characters and spaces' }
    const faults = faultsOf({ tokens: [{ name: 'a', secret }] }, { env, cwd: folder })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(message)
    expect(faults[0]).not.toContain('sixteen')
  })

  test.each([
    ['a file', { file: SECRET }],
    ['a file in a folder that is not there', { file: `no/${SECRET}` }],
    ['a variable', { env: 'a1b2c3d4e5f6a7b8c9d0' }],
    ['a variable in capitals', { env: 'JBSWY3DPEHPK3PXPJBSWY3DP' }],
  ])('that stand in the place of the name of %s are not told', (_what, secret) => {
    const faults = faultsOf({ tokens: [{ name: 'a', secret }] }, { env: {}, cwd: folder })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(/^tokens\[0\]\.secret\.(?:file|env): must /)
    for (const text of Object.values(secret)) expect(faults[0]).not.toContain(text.slice(3))
  })

  test('need names and secrets of their own, and scopes that are there', () => {
    const secret = { env: 'T' }
    const tokens = [
      { name: 'a', scope: 'raeder', secret },
      { name: 'a', secret },
    ]
    expect(faultsOf({ scopes: { reader: {} }, tokens }, { env: { T: SECRET }, cwd: '/' })).toEqual([
      'tokens[0].scope: must be "global" or a scope of "scopes"; found "raeder"; declare it there. Did you mean "reader"?',
      'tokens[1].name: must be its own; tokens[0] has the same; rename one',
      'tokens[1].secret: must be its own; tokens[0] has the same secret; give each token a new one',
    ])
  })

  test('are not looked up for a command that serves nobody, but what is written is checked all the same', () => {
    const options = { env: {}, cwd: '/', withSecrets: false }
    expect(settingsOf({ tokens: [{ name: 'a', secret: { env: 'NOPE' } }] }, options).tokens).toEqual([])
    expect(faultsOf({ tokens: [{ name: 'a', scope: 'x', secret: { env: 'NOPE' } }] }, options)).toHaveLength(1)
  })
})
