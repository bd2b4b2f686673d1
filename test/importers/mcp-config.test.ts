import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hasCode, thrownMessage } from '../../src/data/failure.ts'
import { readMcpConfig } from '../../src/importers/mcp-config.ts'
import { serverNamespaces } from '../../src/importers/server-entry.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(config: unknown, env: Record<string, string> = {}) {
  return readMcpConfig(typeof config === 'string' ? config : JSON.stringify(config), {
    env,
    workspaceFolder: '/project/space',
  })
}
function failure(act: () => unknown): { code: string; message: string } {
  try {
    act()
  } catch (thrown) {
    return { code: hasCode(thrown) ? thrown.code : '', message: thrownMessage(thrown) }
  }
  throw new Error('it did not throw')
}

test('the servers of each client’s own format are read', () => {
  const { servers, problems } = read({
    mcpServers: {
      claude: { command: 'npx', args: ['-y', 'server'], env: { KEY: 'v' } },
      'claude-code': { type: 'http', url: 'https://a.example.test/mcp', headers: { Authorization: 'Bearer x' } },
      windsurf: { serverUrl: 'https://b.example.test/mcp' },
      old: { type: 'sse', url: 'https://c.example.test/sse' },
      cline: { type: 'streamableHttp', url: 'https://d.example.test/mcp' },
    },
    servers: { vscode: { type: 'stdio', command: 'node', cwd: 'sub', env: { PORT: 7, GONE: null } } },
  })
  expect(problems).toEqual([])
  expect(servers).toEqual([
    { name: 'claude', transport: 'stdio', command: 'npx', args: ['-y', 'server'], env: { KEY: 'v' } },
    {
      name: 'claude-code',
      transport: 'streamable-http',
      url: 'https://a.example.test/mcp',
      headers: { Authorization: 'Bearer x' },
    },
    { name: 'windsurf', transport: 'streamable-http', url: 'https://b.example.test/mcp' },
    { name: 'old', transport: 'sse', url: 'https://c.example.test/sse' },
    { name: 'cline', transport: 'streamable-http', url: 'https://d.example.test/mcp' },
    { name: 'vscode', transport: 'stdio', command: 'node', cwd: '/project/space/sub', env: { PORT: '7' } },
  ])
})

test('comments, trailing commas and a byte order mark are tolerated', () => {
  const text =
    '\uFEFF{\n // mine\n "servers": { /* all */ "a": { "command": "x", "args": ["//no", "/*comment*/",], }, },\n}'
  expect(read(text.slice(1)).servers).toMatchObject([{ name: 'a', args: ['//no', '/*comment*/'] }])
  const path = join(folder, 'bom.json')
  writeFileSync(path, text)
  expect(readMcpConfig(path, { env: {} }).servers).toHaveLength(1)
})

test('variables are expanded in every field, and what they bring in is not expanded again', () => {
  const { servers, problems } = read(
    {
      mcpServers: {
        a: {
          command: '${env:BIN}',
          args: ['--dir', '${workspaceFolder}/x', '${MISSING:-fallback}', '${EMPTY:-full}', '$HOME ${NESTED}'],
          env: { TOKEN: '${TOKEN}' },
        },
        b: { url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
      },
    },
    { BIN: '/bin/x', TOKEN: 'secret-1', HOST: 'h.example.test', EMPTY: '', NESTED: '${TOKEN}' },
  )
  expect(problems).toEqual([])
  expect(servers).toMatchObject([
    {
      command: '/bin/x',
      args: ['--dir', '/project/space/x', 'fallback', 'full', '$HOME ${TOKEN}'],
      env: { TOKEN: 'secret-1' },
    },
    { url: 'https://h.example.test/mcp', headers: { Authorization: 'Bearer secret-1' } },
  ])
})

test('an unset variable is one problem that names server, field and variable, and the other servers go on', () => {
  const { servers, problems } = read({
    mcpServers: {
      good: { command: 'x' },
      bad: {
        url: 'https://h.example.test',
        headers: { Authorization: 'Bearer ${GITHUB_TOKEN}', Other: 'hunter2-value' },
      },
      asks: { command: 'x', args: ['${input:key}'] },
    },
  })
  expect(servers.map((server) => server.name)).toEqual(['good'])
  expect(problems).toHaveLength(2)
  expect(problems[0]).toEqual({
    server: 'bad',
    isLeftOut: true,
    message:
      '"headers.Authorization": environment variable GITHUB_TOKEN is not set; set it, or write ${GITHUB_TOKEN:-default}',
  })
  expect(problems[1]?.message).toContain('only an editor can ask')
})

test('names that objects inherit are no variables', () => {
  expect(read({ mcpServers: { a: { command: '${constructor}' } } }).problems[0]?.message).toContain(
    'constructor is not set',
  )
})

test('a disabled server is left out without a word', () => {
  expect(
    read({ mcpServers: { a: { command: 'x', disabled: true }, b: { command: 'y', disabled: false } } }),
  ).toMatchObject({
    servers: [{ name: 'b' }],
    problems: [],
  })
})

test.each([
  ['neither command nor url', {}, 'has neither "command"'],
  ['both', { command: 'x', url: 'https://h.example.test' }, 'has both "command" and "url"'],
  ['an unknown type', { type: 'websocket', url: 'wss://h' }, '"type" must be'],
  ['a server that is a text', 'npx x', 'must be an object'],
  ['args that are a text', { command: 'x', args: '-y foo' }, '"args" must be an array of texts'],
  ['an env value that is an object', { command: 'x', env: { A: {} } }, '"env.A" must be a text'],
  ['a url of another scheme', { url: 'file:///etc/passwd' }, '"url" must be an http: or https: URL'],
  ['a url with a password', { url: 'https://u:hunter2@h.example.test' }, 'must not hold a user name or password'],
  [
    'a timeout that is no number',
    { command: 'x', requestTimeoutMs: '5s' },
    '"requestTimeoutMs" must be a whole number',
  ],
  ['an empty command', { command: ' ' }, '"command" must be a text that is not empty'],
])('a wrong server is one problem and no entry: %s', (_name, server, message) => {
  const { servers, problems } = read({ mcpServers: { s: server, other: { command: 'x' } } })
  expect(servers.map(({ name }) => name)).toEqual(['other'])
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatchObject({ server: 's', message: expect.stringContaining(message) as string })
  expect(JSON.stringify(problems)).not.toContain('hunter2')
})

test('bad JSON is reported with line, column and a frame in which every value is masked', () => {
  const { code, message } = failure(() =>
    read('{\n  "mcpServers": {\n    "gh": { "env": { "TOKEN": "ghp_verysecret" "OTHER": ghp_naked } }\n  }\n}'),
  )
  expect(code).toBe('CONFIG_INVALID')
  expect(message).toContain(':3:48: this is not JSON: expected , or }')
  expect(message).toContain('3 |     "gh": { "env": { "TOKEN": "…" "…": … } }')
  expect(message).not.toContain('ghp_')
  const caret = message.split('\n').at(-1) ?? ''
  expect(caret.indexOf('^')).toBe('3 |     "gh": { "env": { "TOKEN": "…" '.length)
})

test.each([
  ['an open string', '{"mcpServers": {"a": {"command": "ghp_x', 'a string is not closed'],
  ['an open object', '{"mcpServers": {', 'an object is not closed with }'],
  ['a single-quoted key', "{'mcpServers': 1}", 'expected a key in double quotes'],
  ['text behind', '{} ghp_x', 'text after the end'],
  ['a backslash path', '{"mcpServers": {"a": {"command": "C:\\users\\x"}}}', 'bad escape'],
  ['a million brackets', `{"mcpServers": ${'['.repeat(1_000_000)}`, 'nested more than'],
  ['an open comment', '{ /* "a": 1 }', 'a comment is not closed'],
])('bad JSON says what is wrong: %s', (_name, text, part) => {
  const { code, message } = failure(() => read(text))
  expect(code).toBe('CONFIG_INVALID')
  expect(message).toContain(part)
  expect(message).not.toContain('ghp_')
  expect(message.length).toBeLessThan(5_000)
})

test.each([
  ['{"command": "x"}', 'has no "mcpServers"'],
  ['{"mcpServers": []}', '"mcpServers" must be an object that maps server names to servers; it is an array'],
  ['{"servers": null}', 'it is null'],
])('a file that is no such configuration is one error: %s', (text, part) => {
  expect(failure(() => read(text))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(part) as string,
  })
})

test('a missing file, a directory, an empty file, a huge file and a UTF-16 file are one clear error each', () => {
  const at = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  mkdirSync(join(folder, 'dir'))
  const message = (path: string) => {
    const { code, message: said } = failure(() => readMcpConfig(path, { env: {} }))
    expect(code).toBe('CONFIG_INVALID')
    expect(said).not.toContain('\n')
    return said
  }
  expect(message(join(folder, 'none.json'))).toContain('does not exist')
  expect(message(join(folder, 'dir'))).toContain('is a directory')
  expect(message(at('empty.json', ' \n'))).toContain('is empty')
  expect(message(at('huge.json', Buffer.alloc(1024 * 1024 + 1, ' ')))).toContain('is larger than')
  expect(message(at('utf16.json', Buffer.from('\uFEFF{}', 'utf16le')))).toContain('is UTF-16')
  expect(message(at('latin1.json', Buffer.from([0x7b, 0xe9, 0x7d])))).toContain('is not UTF-8')
})

test('a key that occurs twice is reported, and names of prototypes are ordinary names', () => {
  const { servers, problems } = read(
    '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}, "__proto__": {"command": "z"}}}',
  )
  expect(servers).toMatchObject([
    { name: 'a', command: 'y' },
    { name: '__proto__', command: 'z' },
  ])
  expect(problems[0]?.message).toContain('the key "a" occurs twice')
})

test('namespaces are made of allowed characters, and names that meet get a number', () => {
  expect([...serverNamespaces(['git.hub', 'git hub', 'a-b', '日本', '__proto__'])]).toEqual([
    ['git.hub', 'git_hub'],
    ['git hub', 'git_hub_2'],
    ['a-b', 'a-b'],
    ['日本', '__'],
    ['__proto__', '__proto__'],
  ])
})
