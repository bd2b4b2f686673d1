import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * Executes docs/sdk.md. `file=<name>` is written to a folder and `run` is executed there; the block behind it is what
 * that prints: `output` to the letter, `similar` but for the figures.
 */
const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)
const page = await readFile(join(root, 'docs/sdk.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, , kind = '', text = '']) => ({
  kind,
  text,
}))
const commands = blocks.flatMap(({ kind, text }, at) =>
  kind === 'run' ? [{ command: text.trim(), shown: blocks[at + 1] }] : [],
)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codeferry-docs-sdk-'))
  for (const { kind, text } of blocks)
    if (kind.startsWith('file=')) await writeFile(join(folder, kind.slice('file='.length)), text)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('every block of the page is a kind that this test knows', () => {
  expect(commands.length).toBeGreaterThan(4)
  for (const { kind, text } of blocks) expect(kind, text).toMatch(/^(file=\S+|run|output|similar)$/)
})

describe('each command prints what the page shows behind it', () => {
  test.each(commands)('$command', { timeout: 60_000 }, async ({ command, shown }) => {
    const line = command.replace('npm run -s cli --', `${process.execPath} ${join(root, 'src/cli/main.ts')}`)
    const { stdout, stderr } = await exec('sh', ['-c', line], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } })
    expect(stderr).toBe('')
    if (shown?.kind === 'similar') expect(withoutFigures(stdout)).toBe(withoutFigures(shown.text))
    else expect(asShown(stdout)).toBe(asShown(shown?.text ?? ''))
  })
})

test('every option of the page is one of the command, and the other way round', async () => {
  const { stdout } = await exec(process.execPath, [join(root, 'src/cli/main.ts'), 'sdk', '--help'])
  const offered = [...stdout.matchAll(/^ +(?:-\w, )?--(\w+)/gm)].map(([, option]) => option)
  const table = page.slice(0, page.indexOf('## A catalog'))
  const described = [...table.matchAll(/`--(\w+)/g)].map(([, option]) => option)
  expect(new Set([...described, 'help'])).toEqual(new Set(offered))
})

/** The formatter of this tree keeps JSON of a page in its own form. */
function asShown(text: string): string {
  return text.startsWith('[') ? JSON.stringify(JSON.parse(text)) : text.trimEnd()
}

function withoutFigures(text: string): string {
  return text.trimEnd().replaceAll(/ *[\d.]+/g, ' #')
}
