import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScriptedProvider } from '../../examples/scripted-provider.ts'

/**
 * Executes the quickstart. A fenced block says by its info string what it is: `file=<name>` is written, `serve` is
 * started, `install` installs what the section needs, `run` is executed, `openai` and `anthropic` are executed with a scripted provider. The install is what
 * test/e2e/package.test.ts shows.
 */
const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)
const page = await readFile(join(root, 'docs/quickstart.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', kind = '', text = '']) => ({ language, kind, text }),
)
const cli = join(root, 'src/cli/main.ts')
const ENTRIES: Readonly<Record<string, string>> = {
  codeferry: 'src/index.ts',
  'codeferry/ai-sdk': 'src/adapters/ai-sdk.ts',
  'codeferry/openai': 'src/adapters/openai.ts',
  'codeferry/anthropic': 'src/adapters/anthropic.ts',
}

let folder: string
let service: { readonly url: string; readonly token: string; end(): Promise<void> }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codeferry-quickstart-'))
  await mkdir(join(folder, 'node_modules'))
  // What npm would have installed there.
  for (const name of ['.bin', '@modelcontextprotocol', '@anthropic-ai', 'ai', 'openai'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const { kind, text } of blocks)
    if (kind.startsWith('file=')) await writeFile(join(folder, kind.slice('file='.length)), text)
  service = await serve()
}, 120_000)
afterAll(async () => {
  await service.end()
  await rm(folder, { recursive: true, force: true })
})

/** The command of the `serve` block, on a free port. */
async function serve() {
  const line = only('serve').text.trim()
  expect(line.startsWith('npx codeferry serve ')).toBe(true)
  const args = line.replace('npx codeferry ', '').split(' ')
  const child = spawn(process.execPath, [cli, ...args, '--port', '0', '--json'], { cwd: folder })
  let out = ''
  for await (const chunk of child.stdout) {
    out += String(chunk)
    try {
      const { url, token } = JSON.parse(out) as { url: string; token: string }
      const ended = new Promise((resolve) => child.once('exit', resolve))
      return { url, token, end: async () => void (child.kill('SIGTERM'), await ended) }
    } catch {
      // Not all of it yet.
    }
  }
  throw new Error(`it ended: ${out}`)
}

function only(kind: string) {
  const found = blocks.filter((block) => block.kind === kind)
  expect(found).toHaveLength(1)
  return found[0]!
}

/** A block as it stands on the page, but for where things are. */
async function outputOf(text: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const file = join(folder, `block-${Math.random().toString(36).slice(2)}.ts`)
  const here = text
    .replaceAll(/from '(codeferry[^']*)'/g, (_all, entry: string) => {
      const source = ENTRIES[entry]
      if (source === undefined) throw new Error(`the page imports ${entry}, which this test does not know`)
      return `from '${pathToFileURL(join(root, source)).href}'`
    })
    .replace('http://localhost:8765', service.url)
  await writeFile(file, here)
  const { stdout } = await exec(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, TOKEN: service.token, ...env },
  })
  return stdout.trim()
}

test('every block of code is of a kind that this test executes', () => {
  const known = ['run', 'serve', 'install', 'openai', 'anthropic']
  for (const { kind, text } of blocks)
    expect(known.includes(kind) || kind.startsWith('file=') || text.includes('npm install codeferry'), text).toBe(true)
})

test.each(['ai', 'openai', '@anthropic-ai/sdk'])(
  'the section that imports %s says how to install it before',
  (name) => {
    const imports = blocks.findIndex(({ text }) => text.includes(`from '${name}'`))
    const installs = blocks.findIndex(({ kind, text }) => kind === 'install' && text.trim() === `npm install ${name}`)
    expect(imports).toBeGreaterThan(0)
    expect(installs).toBe(imports - 1)
  },
)

test('each curl gets its answer', { timeout: 60_000 }, async () => {
  const [block] = blocks.filter(({ language, kind }) => language === 'sh' && kind === 'run')
  const answers: string[] = []
  for (const line of block!.text.trim().split('\n')) {
    const command = line.replace('localhost:8765', service.url.replace('http://', ''))
    const { stdout } = await exec('sh', ['-c', command], { env: { ...process.env, TOKEN: service.token } })
    answers.push(stdout)
  }
  expect(JSON.parse(answers[0]!)).toMatchObject({ status: 'succeeded', result: 2 })
  expect(answers[1]).toContain('list_allowed_directories')
  expect(answers[2]).toContain('run_code')
})

const runnable = blocks.filter(({ language, kind }) => language === 'ts' && kind === 'run')
test.each(runnable.map(({ text }) => text))(
  'a block prints what its comment says: %#',
  { timeout: 60_000 },
  async (text) => {
    expect(await outputOf(text)).toBe(/console\.log\(.*\) \/\/ (.+)$/m.exec(text)?.[1])
  },
)

test('the loop over the Responses API ends with the model’s words', { timeout: 60_000 }, async () => {
  const response = (output: readonly object[]) => ({ id: 'r', object: 'response', status: 'completed', output })
  await using provider = await startScriptedProvider([
    response([
      { type: 'function_call', id: 'f', call_id: 'c', name: 'run_code', arguments: '{"code":"return 6 * 7"}' },
    ]),
    response([
      {
        type: 'message',
        id: 'm',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'It is 42.', annotations: [] }],
      },
    ]),
  ])
  const env = { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: provider.url }
  expect(await outputOf(only('openai').text, env)).toBe('It is 42.')
  expect(JSON.stringify(provider.requests[1])).toContain('42')
})

test('the loop over the Messages API ends with the model’s words', { timeout: 60_000 }, async () => {
  const message = (content: readonly object[]) => ({ id: 'm', type: 'message', role: 'assistant', content })
  await using provider = await startScriptedProvider([
    message([{ type: 'tool_use', id: 't', name: 'run_code', input: { code: 'return 6 * 7' } }]),
    message([{ type: 'text', text: 'It is 42.' }]),
  ])
  const env = { ANTHROPIC_API_KEY: 'scripted', ANTHROPIC_BASE_URL: provider.url }
  expect(await outputOf(only('anthropic').text, env)).toBe('It is 42.')
  expect(JSON.stringify(provider.requests[1])).toContain('42')
})

test('links lead to pages that are there', async () => {
  for (const [, target = ''] of page.matchAll(/\]\(([^)#]+)\)/g))
    await expect(readFile(join(root, 'docs', target), 'utf8')).resolves.not.toBe('')
})
