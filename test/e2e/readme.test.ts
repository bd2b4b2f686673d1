import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * Executes the README. A fenced block says by its info string what it is: `file=<name>` is written to a folder, `run`
 * is executed there, `client` is a client's configuration whose command is started. The rest are the two commands that
 * start with `npm ci`; CI runs those itself, on a fresh checkout.
 */
const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)
const readme = await readFile(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', kind = '', text = '']) => ({ language, kind, text }),
)
const cli = join(root, 'src/cli/main.ts')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codeferry-readme-'))
  // npx finds the server where npm would have put it, and the package finds itself by its own name.
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(join(root, 'node_modules/@modelcontextprotocol'), join(folder, 'node_modules/@modelcontextprotocol'))
  for (const name of ['mcp-server-filesystem', 'node'])
    await symlink(join(root, 'node_modules/.bin', name), join(folder, 'node_modules/.bin', name))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const { kind, text } of blocks)
    if (kind.startsWith('file=')) await writeFile(join(folder, kind.slice('file='.length)), text)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A command line of the README, as a user would have it after `npm ci`. */
function shell(line: string) {
  const command = line.replace('npm run -s cli --', `${process.execPath} ${cli}`)
  return exec('sh', ['-c', command], { cwd: folder, env: { ...process.env, PWD: folder } })
}

test('the README names the Node that the installed package needs', async () => {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
  const oldest = /^>=(\d+)$/.exec(engines.node)?.[1]
  expect(readme).toContain(`the package needs Node ${oldest} or newer`)
})

test('every block of code in the README is a kind that this test knows', () => {
  expect(blocks.length).toBeGreaterThan(6)
  for (const { language, kind, text } of blocks) {
    const isSetUp = language === 'sh' && text.startsWith('npm ci && npm ')
    expect(isSetUp || kind === 'run' || kind === 'client' || kind.startsWith('file='), text).toBe(true)
  }
})

test('both commands that set everything up are there', () => {
  expect(readme).toContain('npm ci && npm run demo')
  expect(readme).toContain('npm ci && npm test')
})

describe('each command line works in its order', () => {
  const lines = blocks
    .filter(({ language, kind }) => language === 'sh' && kind === 'run')
    .flatMap(({ text }) => text.trim().split('\n'))
  test.each(lines)('%s', { timeout: 120_000 }, async (line) => {
    const { stdout } = await shell(line)
    expect(stdout.trim()).not.toBe('')
    if (line.includes('-- run ')) expect(stdout).toMatch(/"files": \d+/)
  })
})

test('the library example prints what its comment says', { timeout: 120_000 }, async () => {
  const [example] = blocks.filter(({ language, kind }) => language === 'ts' && kind === 'run')
  const file = join(folder, 'example.ts')
  await writeFile(file, example!.text.replace(`'codeferry'`, `'${pathToFileURL(join(root, 'src/index.ts')).href}'`))
  const { stdout } = await exec(process.execPath, [file], { cwd: folder })
  expect(stdout.trim()).toBe(/console\.log\(.*\) \/\/ (.+)$/m.exec(example!.text)?.[1])
})

test('the client configuration starts a server that offers run_code', { timeout: 120_000 }, async () => {
  const [block] = blocks.filter(({ kind }) => kind === 'client')
  const { mcpServers } = JSON.parse(block!.text) as { mcpServers: Record<string, { command: string; args: string[] }> }
  const { command, args } = mcpServers.codeferry!
  expect(command).toBe('npx')
  expect(args[0]).toBe('codeferry')
  const config = join(folder, 'client.json')
  const here = args.slice(1).map((argument) => (argument.startsWith('/') ? join(folder, 'mcp.json') : argument))
  await writeFile(
    config,
    JSON.stringify({ mcpServers: { codeferry: { command: process.execPath, args: [cli, ...here] } } }),
  )
  // Codeferry is itself the client: a server like any other.
  const { stdout } = await exec(process.execPath, [cli, 'tools', '--config', config, '--json'], { cwd: folder })
  expect(stdout).toContain('codeferry.run_code')
})
