import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CardProjection, cardsOf, defineTool, presentersOf, watchLog, type Card } from '../../src/index.ts'
import { openSqliteReader } from '../../src/session/sqlite-log.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'

const edit = defineTool({
  namespace: 'files',
  name: 'edit',
  description: 'Changes a line of a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' }, line: { type: 'string' } } },
  output: { presentationMeta: (_args, value) => value as string },
  execute: ({ line }) => `old\n${line}`,
  isConcurrencySafe: () => true,
  presentCall: ({ path }) => ({ kind: 'diff', path: path ?? 'no path' }),
  presentResult: ({ path }, { meta }) => ({ kind: 'diff', path: path ?? 'no path', patch: JSON.stringify(meta) }),
})
const ask = defineTool({
  name: 'ask',
  description: 'Fails.',
  parameters: { type: 'object', properties: {} },
  execute: () => {
    throw new Error('nobody is there')
  },
  presentResult: () => {
    throw new Error('a bug of the presenter')
  },
})

test('the cards of a run are the same live and from the stored log, to the last field', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cards-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'log.db')
  let live: readonly Card[]
  let find: ReturnType<typeof presentersOf>
  {
    await using engine = await createCheckedEngine({
      tools: [edit, ask],
      store: { sqlite: path },
      requireConfinement: 'none',
    })
    find = presentersOf(engine.registry.view('global'))
    const projection = new CardProjection(find)
    const states: (string | undefined)[] = []
    const session = watchLog(engine.openSession({ id: 's' }), (event) => {
      projection.take(event)
      states.push(projection.cards()[0]?.state)
    })
    const result = await engine.run(
      `await Promise.all([1, 2, 3].map((n) => tools.files.edit({ path: 'a.txt', line: String(n) })))
       try { await tools.ask() } catch {}
       await tools['files.edit']({ path: 7 as any })`,
      { session },
    )
    expect(result.outcome).toMatchObject({ isError: true, error: { code: 'PROGRAM_ERROR' } })
    live = projection.cards()
    expect(states.slice(0, -1).every((state) => state === 'running')).toBe(true)
  }
  expect(live).toMatchObject([
    {
      name: 'run_code',
      state: 'failed',
      code: 'PROGRAM_ERROR',
      call: { kind: 'terminal', command: 'Call files.edit, ask' },
      result: { kind: 'terminal', exitCode: 1 },
      children: [
        { name: 'files.edit', state: 'done', result: { kind: 'diff', path: 'a.txt', patch: '"old\\n1"' } },
        { name: 'files.edit', state: 'done', result: { kind: 'diff', path: 'a.txt', patch: '"old\\n2"' } },
        { name: 'files.edit', state: 'done', result: { kind: 'diff', path: 'a.txt', patch: '"old\\n3"' } },
        { name: 'ask', state: 'failed', code: 'TOOL_FAILED', result: { kind: 'generic', title: 'ask' } },
        // A path that is no path is nonsense in a card, too.
        { name: 'files.edit', state: 'failed', code: 'INVALID_ARGS', call: { kind: 'generic', detail: '{"path":7}' } },
      ],
    },
  ])
  using reader = openSqliteReader(path)
  const events = await reader.read((await reader.list())[0]!.sessionId)
  const replayed = cardsOf(events, find)
  expect(replayed).toEqual(live)
  expect(JSON.stringify(replayed)).toBe(JSON.stringify(live))
  // Without the definitions the same cards look generic, but for the run, whose look is built in.
  expect(cardsOf(events)).toMatchObject([
    {
      ...live[0],
      children: live[0]?.children.map(({ name }) => ({ call: { kind: 'generic', title: name } })),
    },
  ])
})
