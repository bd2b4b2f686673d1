import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * Executes the pages: a block `ts run` prints what its last comment says. The loops that need a client of a provider
 * are executed as examples; here they are held against those.
 */
const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)
const ENTRIES = new Map([
  ['codeferry', 'src/index.ts'],
  ['codeferry/ai-sdk', 'src/adapters/ai-sdk.ts'],
])

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codeferry-docs-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(['telemetry.md', 'adapters.md'])('docs/%s', async (page) => {
  const text = await readFile(join(root, 'docs', page), 'utf8')
  const blocks = [...text.matchAll(/^```ts run\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

  test('has blocks to run', () => expect(blocks.length).toBeGreaterThan(0))

  test.each(blocks.map((block, index) => [index + 1, block] as const))(
    'block %i prints what it says',
    async (index, block) => {
      const file = join(folder, `${page}-${index}.ts`)
      const here = block.replaceAll(/from '(codeferry[^']*)'/g, (_all, entry: string) => {
        const source = ENTRIES.get(entry)
        if (source === undefined) throw new Error(`the page imports ${entry}, which this test does not know`)
        return `from '${pathToFileURL(join(root, source)).href}'`
      })
      await writeFile(file, here)
      const { stdout } = await exec(process.execPath, [file], { cwd: folder })
      expect(stdout.trim()).toBe(/console\.log\(.*\)\s*\/\/ (.+)$/m.exec(block)?.[1])
    },
  )

  test('links lead to files that are there', async () => {
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)\)/g))
      if (!target.startsWith('https:')) await expect(readFile(join(root, 'docs', target), 'utf8')).resolves.not.toBe('')
  })
})

test('names of the loops on the page are those of the examples that run them', async () => {
  const page = await readFile(join(root, 'docs/adapters.md'), 'utf8')
  for (const [file, names] of [
    [
      'openai-agent.ts',
      ['toOpenAiTools(engine', 'runOpenAiToolCalls(engine, session, output)', 'items', 'concludesTurn'],
    ],
    ['anthropic-agent.ts', ['toAnthropicTools(engine', 'runAnthropicToolCalls(engine, session, content)', 'message === undefined', 'concludesTurn']], // prettier-ignore
  ] as const) {
    const example = await readFile(join(root, 'examples', file), 'utf8')
    for (const name of names) {
      expect(page).toContain(name)
      expect(example).toContain(name)
    }
  }
})
