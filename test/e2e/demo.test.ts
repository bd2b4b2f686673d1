import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { StoredEvent } from '../../src/session/events.ts'
import { checkEvents } from '../../src/session/invariants.ts'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)

interface DemoOutput {
  folder: string
  databaseFile: string
  direct: { result: unknown; calls: { name: string; isError: boolean; code?: string }[]; content: Block[] }
  throughMcp: { isError: boolean; content: Block[] }
}
interface Block {
  type: string
  text?: string
  mimeType?: string
}

async function demo(...args: string[]): Promise<DemoOutput> {
  const { stdout } = await exec(process.execPath, [join(root, 'examples/demo.ts'), '--json', ...args], {
    maxBuffer: 64 * 1024 * 1024,
  })
  const output = JSON.parse(stdout) as DemoOutput
  onTestFinished(() => rm(dirname(output.folder), { recursive: true, force: true }))
  return output
}

test(
  'the demo’s sums are those of the files, and an outside MCP client gets the same',
  { timeout: 120_000 },
  async () => {
    const output = await demo()
    const shops = await Promise.all(
      (await readdir(output.folder)).toSorted().map(async (file) => {
        const rows = (await readFile(join(output.folder, file), 'utf8')).trim().split('\n').slice(1)
        // In hundredths, so that this sum owes nothing to the program's own arithmetic.
        const cents = rows.reduce((sum, row) => sum + Number(row.split(',')[2]!.replace('.', '')), 0)
        return { shop: file.replace('.csv', ''), orders: rows.length, cents }
      }),
    )
    const total = shops.reduce((sum, { cents }) => sum + cents, 0)
    const best = shops.toSorted((a, b) => b.cents - a.cents)[0]?.shop
    const expected = {
      shops: shops.map(({ cents, ...shop }) => ({ ...shop, total: cents / 100 })),
      total: total / 100,
      best,
      remembered: shops.length,
      budget: 'no budget file',
    }
    expect(output.direct.result).toEqual(expected)
    expect(output.throughMcp.isError).toBe(false)
    expect(JSON.parse(output.throughMcp.content[0]!.text!)).toEqual(expected)
    for (const content of [output.direct.content, output.throughMcp.content])
      expect(content.filter((block) => block.type === 'image')).toHaveLength(1)

    const failing = output.direct.calls.filter((call) => call.isError)
    expect(failing).toMatchObject([{ name: 'filesystem.read_text_file', code: 'TOOL_FAILED' }])

    const { stdout } = await exec(process.execPath, [
      join(root, 'src/cli/main.ts'),
      'log',
      output.databaseFile,
      '--json',
    ])
    const { events } = JSON.parse(stdout) as {
      events: { type: string; callId?: string; errorInfo?: { code: string } }[]
    }
    expect(checkEvents(events as unknown as StoredEvent[], { isEnded: true })).toEqual([])
    const types = events.map((event) => event.type)
    expect(types.indexOf('tool/call')).toBeLessThan(types.indexOf('tool/code-dispatch-start'))
    expect(types.at(-1)).toBe('tool/result')
    const started = events.filter((event) => event.type === 'tool/code-dispatch-start').map((event) => event.callId)
    const settled = events.filter((event) => event.type === 'tool/code-dispatch').map((event) => event.callId)
    expect(started).toHaveLength(output.direct.calls.length)
    expect(new Set(settled)).toEqual(new Set(started))
    expect(settled).toHaveLength(started.length)
    expect(events.filter((event) => event.type === 'tool/code-dispatch' && event.errorInfo)).toMatchObject([
      { errorInfo: { code: 'TOOL_FAILED' } },
    ])
  },
)

test('the demo runs any program over the same servers', { timeout: 120_000 }, async () => {
  const program = join(tmpdir(), `codeferry-demo-${process.pid}.ts`)
  await writeFile(program, 'return (await tools.everything["get-sum"]({ a: 40, b: 2 }))')
  onTestFinished(() => rm(program, { force: true }))
  const output = await demo('--program', program)
  expect(output.direct.result).toBe('The sum of 40 and 2 is 42.')
  expect(output.throughMcp.content[0]!.text).toBe('The sum of 40 and 2 is 42.')
})
