import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { firstSettings } from '../../src/cli/init/first-settings.ts'
import { SecretHider } from '../../src/cli/init/hide-secrets.ts'
import { usualPlaces } from '../../src/cli/init/usual-places.ts'
import { parseSettings, readSettings } from '../../src/settings/read-settings.ts'

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const root = mkdtempSync(join(tmpdir(), 'init-'))
afterAll(() => rmSync(root, { recursive: true }))
let folder: string
let home: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'project-'))
  home = mkdtempSync(join(root, 'home-'))
})

function file(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
function init(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' }
  const child = spawn(NODE, [MAIN, 'init', ...args], { cwd: folder, env })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
}
const written = (name = 'codeferry.json') => readFileSync(join(folder, name), 'utf8')
const reread = (env: Record<string, string> = {}) =>
  readSettings('codeferry.json', { env, cwd: folder, withSecrets: false })

describe('codeferry init', () => {
  test('takes the servers of the named file, says what to set, and the file it writes can be read', async () => {
    const env = { GITHUB_TOKEN: 'ghp_0123456789abcdefghij', LEVEL: 'info', REGION: '${REGION}' }
    file(join(folder, 'theirs.json'), {
      mcpServers: { github: { command: 'npx', args: ['-y', 'server-github'], env, alwaysAllow: ['x'] } },
      globalShortcut: '',
    })
    const { code, out, err } = await init('--from', 'theirs.json')
    expect(code).toBe(0)
    expect(out).toBe('wrote codeferry.json (1 server from theirs.json)\nnext: codeferry doctor\n')
    expect(err).toContain(
      'github: env.GITHUB_TOKEN looks like a secret and is not copied; set GITHUB_TOKEN in the environment',
    )
    expect(err).toContain('github: left out, as it is not read here: alwaysAllow')
    expect(out + err + written()).not.toContain('ghp_')
    const { kind, servers, problems } = reread({ GITHUB_TOKEN: 'set', REGION: 'eu' })
    expect({ kind, problems }).toEqual({ kind: 'codeferry', problems: [] })
    expect(servers[0]).toMatchObject({ name: 'github', env: { GITHUB_TOKEN: 'set', LEVEL: 'info', REGION: 'eu' } })
  })

  test('never writes over a file without --force, and with it does', async () => {
    const theirs = file(join(folder, 'mcp.json'), { mcpServers: { a: { command: 'x' } } })
    file(join(folder, 'codeferry.json'), 'precious')
    const refused = await init('--from', theirs)
    expect(refused.code).toBe(2)
    expect(refused.err).toMatch(/codeferry\.json is there already and is not touched; --force writes over it/)
    expect(written()).toBe('precious')
    expect((await init('--from', theirs, '--force')).code).toBe(0)
    expect(reread().servers.map(({ name }) => name)).toEqual(['a'])
  })

  test('finds a file in the usual places, the project’s before the user’s, and names those it does not use', async () => {
    file(join(folder, '.cursor/mcp.json'), 'no JSON')
    file(join(folder, '.vscode/mcp.json'), '{ "servers": { "code": { "type": "stdio", "command": "x" } } } // VS Code')
    file(join(home, '.config/Claude/claude_desktop_config.json'), { mcpServers: { desk: { command: 'y' } } })
    const { code, out } = await init('--json', '--output', 'conf/first.json')
    expect(code).toBe(0)
    const document = JSON.parse(out) as { from: string; servers: string[]; notes: string[] }
    expect(document).toMatchObject({ ok: true, servers: ['code'], variables: [], hidden: [] })
    expect(document.from).toContain('.vscode/mcp.json')
    expect(document.notes.join('\n')).toMatch(/Cursor \(project\) is passed over: .*this is not JSON/)
    expect(document.notes.join('\n')).toMatch(/Claude Desktop has a file too, which is not used: --from /)
    expect(written('conf/first.json')).toContain('"code"')
  }, 60_000)

  test('with nothing found writes a file to begin with, and says where it looked', async () => {
    const { code, out, err } = await init()
    expect(code).toBe(0)
    expect(out).toContain('no servers yet')
    for (const { path } of usualPlaces({ platform: 'linux', env: { HOME: home }, cwd: folder }))
      expect(err).toContain(path)
    expect(reread().servers).toEqual([])
  })

  test.each([
    ['a file that is not there', ['--from', 'none.json'], /none\.json does not exist/],
    ['a file without servers', ['--from', 'other.json'], /has no "mcpServers"/],
    ['a folder that cannot be', ['--from', 'ok.json', '--output', 'ok.json/x.json'], /cannot be written/],
  ])('%s ends it with the reason, and nothing is written', async (_what, args, reason) => {
    file(join(folder, 'other.json'), { a: 1 })
    file(join(folder, 'ok.json'), { mcpServers: {} })
    const { code, out } = await init(...args, '--json')
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      error: { code: 'CONFIG_INVALID', message: expect.stringMatching(reason) as string },
    })
    expect(existsSync(join(folder, 'codeferry.json'))).toBe(false)
  })
})

describe('a secret of another client’s file', () => {
  function hidden(server: Record<string, unknown>): { text: string; variables: string[] } {
    const hider = new SecretHider()
    const text = JSON.stringify(hider.hide('gh', server))
    return { text, variables: [...hider.hidden.map(({ variable }) => variable), ...hider.inputs] }
  }
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ['by its name', { env: { DB_PASSWORD: 'p' } }, { env: { DB_PASSWORD: '${DB_PASSWORD}' } }, ['DB_PASSWORD']],
    ['by its beginning', { env: { X: 'sk-0123456789abc' } }, { env: { X: '${X}' } }, ['X']],
    ['by its look', { env: { ID: 'a8Fk2Lm9Qw3Er7Ty1Ui5Op0Z' } }, { env: { ID: '${ID}' } }, ['ID']],
    [
      'after its scheme',
      { headers: { Authorization: 'Bearer abc' } },
      { headers: { Authorization: 'Bearer ${GH_AUTHORIZATION}' } },
      ['GH_AUTHORIZATION'],
    ],
    ['in an argument of its own', { args: ['--token', 't'] }, { args: ['--token', '${GH_TOKEN}'] }, ['GH_TOKEN']],
    ['in an argument with its flag', { args: ['--api-key=t'] }, { args: ['--api-key=${GH_API_KEY}'] }, ['GH_API_KEY']],
    [
      'in a header that is an argument',
      { args: ['--header', 'Authorization: Bearer t'] },
      { args: ['--header', 'Authorization: Bearer ${GH_AUTHORIZATION_BEARER}'] },
      ['GH_AUTHORIZATION_BEARER'],
    ],
    [
      'in the login of a URL',
      { args: ['postgres://me:pw@db/x'] },
      { args: ['postgres://${GH_LOGIN}@db/x'] },
      ['GH_LOGIN'],
    ],
    [
      'in the query of a URL',
      { url: 'https://a.example/mcp?a=1&token=t' },
      { url: 'https://a.example/mcp?a=1&token=${GH_TOKEN}' },
      ['GH_TOKEN'],
    ],
    ['that its user is asked for', { env: { K: '${input:my-key}' } }, { env: { K: '${MY_KEY}' } }, ['MY_KEY']],
  ])('is found %s', (_how, server, expected, variables) => {
    expect(hidden(server)).toEqual({ text: JSON.stringify(expected), variables })
  })

  test.each<[string, Record<string, unknown>]>([
    ['settings', { env: { LOG_LEVEL: 'debug', PORT: '80', HOME_DIR: '/home/me/some/long/path' } }],
    ['references', { env: { TOKEN: '${TOKEN}' }, headers: { Authorization: 'Bearer ${TOKEN}' } }],
    ['packages and paths', { command: 'npx', args: ['-y', '@scope/server-filesystem@2026.8.31', '/tmp', '--verbose'] }],
    ['a switch before another flag', { args: ['--no-auth', '--port', '80'] }],
    ['other fields', { disabled: true, connectTimeoutMs: 3 }],
  ])('is not seen in %s', (_what, server) => {
    expect(hidden(server)).toEqual({ text: JSON.stringify(server), variables: [] })
  })

  test('that stands in two places is one variable, and two secrets are never one', () => {
    const hider = new SecretHider()
    hider.hide('a', { env: { TOKEN: 'one' } })
    hider.hide('b', { env: { TOKEN: 'two', SAME_TOKEN: 'one' } })
    expect(hider.hidden.map(({ server, variable }) => [server, variable])).toEqual([
      ['a', 'TOKEN'],
      ['b', 'TOKEN_2'],
      ['b', 'TOKEN'],
    ])
  })
})

test('what the first file has in comments can be taken out of them', () => {
  const text = firstSettings({ servers: new Map(), variables: [] })
  const all = text.replaceAll(/^ {2}\/\/ (?=["}]| {2}|$)/gm, '  ')
  expect(all).not.toBe(text)
  const env = { AGENT_TOKEN: 'long-enough-to-be-a-secret' }
  const settings = parseSettings(all, 'codeferry.json', { env, cwd: '/' })
  expect(settings.policies.guards).toHaveLength(1)
  expect(settings.tokens).toHaveLength(1)
  expect(settings.scopes.size).toBe(1)
})
