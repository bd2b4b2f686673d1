import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { compileTexts } from '../sdk/compile-texts.ts'

const NODE = resolve('node_modules/.bin/node')
const MAIN = resolve('src/cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'cli-sdk-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function file(content: unknown): string {
  const path = join(folder, `catalog-${(files += 1)}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}
function sdk(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(NODE, [MAIN, 'sdk', ...args], { env: { ...process.env, NO_COLOR: '1', ...env } })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
}

interface Document {
  text: string
  style: string
  level?: string
  tokens: number
  tools: Record<string, string>
  hits?: { name: string; call: string; signature: string; description: string }[]
  stats?: {
    encoding: string
    tools: number
    text: { tokens: number; characters: number }
    rawJson: number
    levels: Record<string, number>
    servers: { server?: string; tools: number; rawJson: number; levels: Record<string, number> }[]
  }
  warnings: { tool: string; pointer: string; reason: string }[]
  problems: { message: string }[]
}
async function sdkJson(...args: string[]): Promise<Document> {
  const { code, out, err } = await sdk([...args, '--json'])
  expect(code, err).toBe(0)
  return JSON.parse(out) as Document
}

const issueRead = {
  name: 'issue_read',
  title: 'Read an issue',
  description: 'Reads one issue of a repository.',
  inputSchema: {
    type: 'object',
    properties: {
      repository: { type: 'string', description: 'Owner and name' },
      number: { type: 'integer', minimum: 1 },
      part: { enum: ['body', 'comments'] },
    },
    required: ['repository', 'number'],
  },
  outputSchema: {
    type: 'object',
    properties: { root: { $ref: '#/$defs/Comment' } },
    required: ['root'],
    $defs: {
      Comment: {
        type: 'object',
        properties: { text: { type: 'string' }, replies: { type: 'array', items: { $ref: '#/$defs/Comment' } } },
        required: ['text'],
      },
    },
  },
}
const sendMail = {
  name: 'mail.send',
  description: 'Sends a mail to somebody.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
}
const listed = file({ tools: [sendMail, issueRead] })

describe('what a catalog may be', () => {
  test.each<[string, unknown]>([
    ['an array of tools', [issueRead]],
    ['the result of tools/list', { tools: [issueRead], nextCursor: 'x' }],
    ['a whole JSON-RPC answer', { jsonrpc: '2.0', id: 1, result: { tools: [issueRead] } }],
    ['a list for function calling', [{ name: 'issue_read', parameters: issueRead.inputSchema }]],
  ])('%s', async (_name, content) => {
    const { text, tools } = await sdkJson('--catalog', file(content), '--level', 'L2')
    expect(text).toContain('issue_read(args: {')
    expect(tools).toEqual({ issue_read: 'issue_read' })
  })

  test('one bad entry costs a warning, and the others are printed', async () => {
    const path = file([7, { name: 'no good name' }, { name: 'ok' }, { name: 'ok', description: 9 }])
    const { code, out, err } = await sdk(['--catalog', path])
    expect(code).toBe(0)
    expect(out).toContain(' ok(')
    expect(out).toContain(' ok_2(')
    expect(err).toContain('warning: tool "tools[0]": left out: a tool must be an object; got number')
    expect(err).toContain('warning: tool "no good name": left out: the name must consist of')
    expect(err).toContain('listed more than once; this one is called ok_2')
    const { problems } = await sdkJson('--catalog', path)
    expect(problems.length).toBe(err.trim().split('\n').length)
  })

  test.each<[string, unknown, string]>([
    ['no JSON', '{"tools": [', 'the catalog must be JSON'],
    ['no list', { servers: [] }, 'the catalog must be an array of tools or an object with "tools"'],
    ['nothing', ' ', 'is empty'],
  ])('a file that is %s is exit code 2 and one message', async (_name, content, part) => {
    const { code, out, err } = await sdk(['--catalog', file(content)])
    expect(err).toContain(part)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(out).toBe('')
    expect(code).toBe(2)
  })

  test('tools of a mock file are read as before, and a catalog beside it is refused', async () => {
    const mock = file([{ ...sendMail, mock: { returns: 1 } }])
    expect((await sdkJson('--mock', mock)).tools).toEqual({ 'mail.send': 'mail.send' })
    const { code, err } = await sdk(['--mock', mock, '--catalog', listed])
    expect(code).toBe(2)
    expect(err).toContain("option '--mock <file>' cannot be used with option '--catalog <file>'")
  })

  test('tools of running servers and of a catalog stand in one text; a server’s own tool goes first', async () => {
    const memory = {
      command: NODE,
      args: [resolve('node_modules/.bin/mcp-server-memory')],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    }
    const config = file({ mcpServers: { memory } })
    const catalog = file([issueRead, { name: 'memory.read_graph', description: 'Another one.' }])
    const { code, out, err } = await sdk(['--config', config, '--catalog', catalog, '--json'])
    expect(code).toBe(0)
    const { tools, text } = JSON.parse(out) as Document
    expect(tools).toMatchObject({ 'memory.read_graph': 'memory.read_graph', issue_read: 'issue_read' })
    expect(text).not.toContain('Another one.')
    expect(err).toContain('tool "memory.read_graph" of the catalog is left out: a server has one')
  })
})

describe('--style model', () => {
  test('is what is printed without a style, and says the same in JSON', async () => {
    const { out } = await sdk(['--catalog', listed])
    const document = await sdkJson('--catalog', listed, '--style', 'model')
    expect(out.trimEnd()).toBe(document.text.trimEnd())
    expect(document).toMatchObject({ style: 'model', level: 'L3', tokens: Math.ceil(document.text.length / 4) })
    expect(document.tools).toEqual({ issue_read: 'issue_read', mail_send: 'mail.send' })
  })

  test.each(['L0', 'L1', 'L2', 'L3', 'L4'])('%s is the level that is asked for, and compiles', async (level) => {
    const { text, level: chosen } = await sdkJson('--catalog', listed, '--level', level)
    expect(chosen).toBe(level)
    expect(text.includes('Reads one issue')).toBe(level === 'L1' || level === 'L3' || level === 'L4')
    expect(compileTexts({ 'text.ts': text })).toEqual([])
  })

  test('a budget bounds the text, and a larger one shows no less', async () => {
    const texts = []
    for (const budget of ['60', '120', '500'])
      texts.push((await sdkJson('--catalog', listed, '--budget', budget)).tokens)
    expect(texts).toEqual(texts.toSorted((a, b) => a - b))
    expect(texts[1]).toBeLessThanOrEqual(120)
  })
})

describe('--style interfaces', () => {
  test('prints one conventional interface for each schema, under names that say whose they are', async () => {
    const { code, out, err } = await sdk(['--catalog', listed, '--style', 'interfaces'])
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('/**\n * Reads one issue of a repository.\n */\nexport interface IssueReadArgs {')
    expect(out).toContain("  part?: 'body' | 'comments'\n")
    expect(out).toContain('  root: IssueReadComment\n')
    expect(out).toContain('  replies?: IssueReadComment[]\n')
    expect(out).toContain('  issue_read(args: IssueReadArgs): Promise<IssueReadResult>\n')
    expect(out).toContain('  mail_send(args: MailSendArgs): Promise<any>\n')
    expect(compileTexts({ 'tools.ts': out })).toEqual([])
  })

  test('names that fall together are told apart, whatever tools and definitions are called', async () => {
    const withPart = (name: string, key: string) => ({
      name,
      inputSchema: {
        type: 'object',
        properties: { x: { $ref: `#/$defs/${key}` } },
        $defs: { [key]: { type: 'object' } },
      },
    })
    const names = ['a_b', 'a-b', 'a.b', 'aB', 'a', 'Array', 'to_string', '__proto__', 'constructor', '1st', 'Tools']
    const path = file([
      ...names.map((name) => withPart(name, 'Args')),
      withPart('a_args', 'b'),
      withPart('list', 'b1c'),
    ])
    const { code, out } = await sdk(['--catalog', path, '--style', 'interfaces'])
    expect(code).toBe(0)
    expect(out.match(/^export interface \w+Args /gm)?.length).toBeGreaterThanOrEqual(names.length + 2)
    expect(compileTexts({ 'tools.ts': out })).toEqual([])
  })

  const unfit: Record<string, unknown> = {
    remote: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/secret.json' } } },
    absolute: { type: 'object', properties: { a: { $ref: 'file:///etc/hostname' } } },
    relative: { $ref: 'package.json' },
    dangling: { type: 'object', properties: { a: { $ref: '#/$defs/Gone' } } },
    inside: { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } },
    endless: { anyOf: [{ type: 'string' }, { $ref: '#' }] },
    circle: {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } },
    },
    tuple: { type: 'object', properties: { a: { type: 'array', prefixItems: [{ type: 'string' }] } } },
    oldTuple: { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
    objectValue: { type: 'object', properties: { a: { const: { $ref: '/etc/passwd' } } } },
    wide: { anyOf: Array.from({ length: 5_000 }, (_, n) => ({ type: 'object', properties: { [`p${n}`]: {} } })) },
    deep: Array.from({ length: 300 }).reduce<unknown>((items) => ({ type: 'array', items }), { type: 'string' }),
  }
  test('a schema that it should not or cannot take has a compact type, a warning with its place, and costs no other tool', async () => {
    const path = file([...Object.entries(unfit).map(([name, inputSchema]) => ({ name, inputSchema })), issueRead])
    const { text, warnings } = await sdkJson('--catalog', path, '--style', 'interfaces')
    const own = warnings.filter(({ reason }) => reason.endsWith('its compact type is printed instead'))
    expect(own.map(({ tool }) => tool).toSorted()).toEqual(Object.keys(unfit).toSorted())
    expect(own.find(({ tool }) => tool === 'remote')).toEqual({
      tool: 'remote',
      pointer: '/parameters/properties/a/$ref',
      reason:
        'only references to a definition of the same schema have an interface; its compact type is printed instead',
    })
    expect(text).toContain('export interface IssueReadArgs {')
    for (const name of Object.keys(unfit)) expect(text).toMatch(new RegExp(`\\b${name}\\(args\\??: \\w+Args\\)`, 'i'))
    expect(compileTexts({ 'tools.ts': text })).toEqual([])
  })

  test('nothing is fetched and no file is read, whatever a reference names', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('{"type":"string","description":"fetched"}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const secret = file('{"type":"string","description":"a secret of the host"}')
    const targets = [`http://127.0.0.1:${port}/a`, `http://127.0.0.1:${port}/b#/x`, secret, `file://${secret}`]
    const tools = targets.flatMap((target, n) => [
      { name: `ref_${n}`, inputSchema: { type: 'object', properties: { a: { $ref: target } } } },
      { name: `root_${n}`, inputSchema: { $ref: target } },
      {
        name: `id_${n}`,
        inputSchema: { $schema: target, $id: target, type: 'object', $defs: { a: { $ref: target } } },
      },
      { name: `value_${n}`, inputSchema: { type: 'object', properties: { a: { enum: [{ $ref: target }] } } } },
      { name: `key_${n}`, inputSchema: { type: 'object', properties: { $ref: { const: target } } } },
    ])
    const { code, out } = await sdk(['--catalog', file(tools), '--style', 'interfaces'])
    expect(code).toBe(0)
    expect(out).not.toMatch(/fetched|a secret of the host/)
    expect(asked).toEqual([])
  })

  test('words of a tool’s owner stay in their comment, their string or their key', async () => {
    const escape = '*/ declare global { var stolen: 1 } /*\u202e\u2028// @ts-nocheck'
    const path = file([
      {
        name: 'hostile',
        description: escape,
        inputSchema: {
          type: 'object',
          title: escape,
          description: escape,
          properties: {
            a: { tsType: 'string } declare global { var stolen: 1 } interface X {', description: escape },
            b: { enum: ['x', escape], tsEnumNames: ['A', 'B } declare global { var stolen: 1'] },
            [escape]: { const: escape },
            __proto__: { type: 'string' },
          },
          extends: undefined,
        },
      },
    ])
    const { code, out } = await sdk(['--catalog', path, '--style', 'interfaces'])
    expect(code).toBe(0)
    expect(out).not.toMatch(/^\s*declare global|@ts-nocheck$|[\u202e\u2028]/m)
    const use = 'const stolenNow: typeof globalThis extends { stolen: 1 } ? 1 : 0 = 0\nexport { stolenNow }'
    expect(compileTexts({ 'tools.ts': `${out}\n${use}` })).toEqual([])
  })

  test('a debugging switch of the library it uses adds nothing to the output', async () => {
    const { out } = await sdk(['--catalog', listed, '--style', 'interfaces'], { VERBOSE: '1' })
    expect(out).toBe((await sdk(['--catalog', listed, '--style', 'interfaces'])).out)
  })
})

describe('--style json', () => {
  test('gives each tool on one line, with its keys and those of its schemas in one order', async () => {
    const turned = {
      outputSchema: issueRead.outputSchema,
      inputSchema: reversed(issueRead.inputSchema),
      name: 'issue_read',
      description: issueRead.description,
    }
    const { code, out } = await sdk(['--catalog', listed, '--style', 'json'])
    expect(code).toBe(0)
    const tools = JSON.parse(out) as Record<string, unknown>[]
    expect(tools.map((tool) => Object.keys(tool))).toEqual([
      ['name', 'description', 'inputSchema', 'outputSchema'],
      ['name', 'description', 'inputSchema'],
    ])
    expect(tools[0]).toEqual({
      name: 'issue_read',
      description: issueRead.description,
      inputSchema: issueRead.inputSchema,
      outputSchema: issueRead.outputSchema,
    })
    expect(out.trim().split('\n')).toHaveLength(4)
    expect((await sdk(['--catalog', file([turned, sendMail]), '--style', 'json'])).out).toBe(out)
  })

  test('what a terminal would obey and a reader not see is escaped, and the value stays the same', async () => {
    const description = 'a \u001b[31mred\u202e \u200b word'
    const { out } = await sdk(['--catalog', file([{ name: 'x', description }]), '--style', 'json'])
    // oxlint-disable-next-line no-control-regex -- that none is left is the point
    expect(out).not.toMatch(/[\u001b\u202e\u200b]/)
    expect((JSON.parse(out) as { description: string }[])[0]?.description).toBe(description)
  })

  test('no tools are an empty list', async () => {
    expect(JSON.parse((await sdk(['--catalog', file([]), '--style', 'json'])).out)).toEqual([])
  })
})

function reversed(record: object): object {
  return Object.fromEntries(
    Object.entries(record)
      .reverse()
      .map(([key, value]) => [
        key,
        typeof value === 'object' && value !== null && !Array.isArray(value) ? reversed(value as object) : value,
      ]),
  )
}

describe('--search', () => {
  const catalog = file([
    issueRead,
    sendMail,
    { name: 'issue_list', description: 'Lists issues.' },
    ...Array.from({ length: 30 }, (_, n) => ({ name: `other_${n}`, description: 'Does something else.' })),
  ])
  test('prints the tools that fit best, best first, with their signatures', async () => {
    const { code, out } = await sdk(['--catalog', catalog, '--search', 'read issue'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\/\/ Reads one issue of a repository\./)
    expect(out.indexOf('tools.issue_read(')).toBeLessThan(out.indexOf('tools.issue_list('))
    expect(out).not.toContain('tools.mail_send(')
    const { hits, tools } = await sdkJson('--catalog', catalog, '--search', 'read issue')
    expect(hits?.[0]).toMatchObject({ name: 'issue_read', call: 'tools.issue_read' })
    expect(Object.values(tools).toSorted()).toEqual(hits?.map(({ name }) => name).toSorted())
  })

  test('as JSON the tools come in the same order; as interfaces only they are declared', async () => {
    const { out } = await sdk(['--catalog', catalog, '--search', 'read issue', '--style', 'json'])
    expect((JSON.parse(out) as { name: string }[])[0]?.name).toBe('issue_read')
    const { out: interfaces } = await sdk(['--catalog', catalog, '--search', 'read issue', '--style', 'interfaces'])
    expect(interfaces).toContain('IssueReadArgs')
    expect(interfaces).not.toContain('MailSendArgs')
  })

  test('words that fit nothing are answered in words, and that is no failure', async () => {
    const { code, out } = await sdk(['--catalog', catalog, '--search', 'qqqq\nzzzz'])
    expect(code).toBe(0)
    expect(out).toBe('// No tool fits "qqqq\\nzzzz". Try fewer or other words.\n')
  })
})

describe('--stats', () => {
  test('shows what the text costs beside the raw JSON, every level and each server', async () => {
    const mock = file([issueRead, sendMail, { ...issueRead, name: 'hub.issue_read' }])
    const { stats, text } = await sdkJson('--mock', mock, '--stats')
    expect(stats).toMatchObject({ encoding: 'o200k_base', tools: 3, text: { characters: text.length } })
    expect(stats?.text.tokens).toBe(stats?.levels['L3'])
    const { L0 = 0, L1 = 0, L2 = 0, L3 = 0, L4 = 0 } = stats?.levels ?? {}
    expect([L0, L1, L2, L3, L4]).toEqual([L0, L1, L2, L3, L4].toSorted((a, b) => a - b))
    expect(stats?.servers.map(({ server, tools }) => [server, tools])).toEqual([
      [undefined, 1],
      ['hub', 1],
      ['mail', 1],
    ])
    const { code, out } = await sdk(['--mock', mock, '--stats'])
    expect(code).toBe(0)
    expect(out).toContain('3 tools, in tokens of o200k_base')
    expect(out).toMatch(new RegExp(`this \\(L3\\) +${stats?.text.tokens} `))
    expect(out).toMatch(/raw JSON +\d+ +100\.0 % of raw JSON/)
    expect(out).toMatch(/^hub +1 +\d+( +\d+){5}$/m)
    expect(out).not.toContain('declare const tools')
  })

  test('measures the style and the search that were asked for', async () => {
    const { stats, text } = await sdkJson('--catalog', listed, '--style', 'json', '--stats')
    expect(stats?.text).toEqual({ characters: text.length, tokens: stats?.rawJson })
    const found = await sdkJson('--catalog', listed, '--search', 'mail', '--stats')
    expect(found.stats?.tools).toBe(1)
    const { out } = await sdk(['--catalog', listed, '--search', 'mail', '--stats'])
    expect(out).toMatch(/this \(search\) +\d+/)
  })

  test('no text is too odd to be counted, and none takes long', { timeout: 60_000 }, async () => {
    const description = `<|endoftext|> ${' '.repeat(200_000)}${'汉'.repeat(50_000)}${'='.repeat(100_000)}`
    const { stats } = await sdkJson('--catalog', file([{ name: 'x', description }]), '--style', 'json', '--stats')
    expect(stats?.rawJson).toBeGreaterThan(50_000)
  })

  test('no tools cost next to nothing, and nothing is divided by it', async () => {
    const { code, out } = await sdk(['--catalog', file([]), '--stats'])
    expect(code).toBe(0)
    expect(out).toContain('0 tools')
    expect(out).not.toContain('NaN')
  })
})

test.each<[string, string[], string]>([
  [
    'a level with another style',
    ['--style', 'json', '--level', 'L2'],
    '--level is for the whole text of the model style; leave it out, or --style json',
  ],
  [
    'a budget with a search',
    ['--search', 'x', '--budget', '9'],
    '--budget is for the whole text of the model style; leave it out, or --search',
  ],
  ['a style that is none', ['--style', 'zod'], 'Allowed choices are model, interfaces, json'],
  ['a budget that is none', ['--budget', '0'], 'whole number above 0'],
])('wrong usage is exit code 2: %s', async (_name, args, part) => {
  const { code, out, err } = await sdk(['--catalog', listed, ...args])
  expect(err).toContain(part)
  expect(out).toBe('')
  expect(code).toBe(2)
})

test('warnings stand on stderr with tool, pointer and reason, and in the document', async () => {
  const path = file([
    { name: 'odd', inputSchema: { type: 'object', properties: { a: { type: 'float', $ref: '#/x' } } } },
  ])
  for (const style of ['model', 'interfaces']) {
    const { err, out } = await sdk(['--catalog', path, '--style', style])
    expect(err).toMatch(/warning: odd \/parameters\/properties\/a\S*: .*/)
    expect(out).not.toContain('warning')
    const { warnings } = await sdkJson('--catalog', path, '--style', style)
    expect(warnings[0]).toMatchObject({
      tool: 'odd',
      pointer: expect.stringContaining('/parameters/properties/a') as string,
    })
  }
})
