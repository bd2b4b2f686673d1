import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CardProjection, cardsOf, type FindPresenter } from '../../src/cards.ts'
import type { ContentBlock } from '../../src/data/content.ts'
import { callId, sessionId } from '../../src/data/ids.ts'
import type { Json } from '../../src/data/json.ts'
import type { Presenter } from '../../src/pipeline/present.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import type { SessionStore } from '../../src/session/log.ts'
import { createSqliteStore, openSqliteReader } from '../../src/session/sqlite-log.ts'
import { watchLog } from '../../src/session/watch-log.ts'

let folder: string
let path: string
let store: SessionStore
let clock = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cards-'))
  path = join(folder, 'log.db')
  store = createSqliteStore({ path, now: () => ++clock })
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Pure, each in its way: what they give depends on what they are given, down to the last byte. */
const PRESENTERS = new Map<string, Presenter>([
  [
    'edit',
    {
      presentCall: (args) => ({ kind: 'read', path: JSON.stringify(args) }),
      presentResult: (args, durable) => ({
        kind: 'diff',
        path: JSON.stringify([args, durable.meta ?? null]),
        patch: JSON.stringify(durable.content),
      }),
    },
  ],
  ['moody', { presentCall: (args) => ({ kind: 'web', url: args.url as string }), presentResult: () => 7 as never }],
  [
    'broken',
    {
      presentCall: () => {
        throw new Error('a bug')
      },
      presentResult: (_args, durable) => ({ kind: 'terminal', command: durable.errorInfo?.code ?? '', exitCode: 0 }),
    },
  ],
])
const find: FindPresenter = (name) => PRESENTERS.get(name)

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('\ud800', '__proto__', '\u0000'))
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('image' as const), data: fc.constant('AAAA'), mimeType: text }),
  fc.record({ type: fc.constant('resource_link' as const), uri: text, name: text }),
)
const rawArguments = fc.oneof(
  fc.dictionary(text, json, { maxKeys: 3 }).map((args) => JSON.stringify(args)),
  fc.constantFrom('', '{}', '[1]', '{"a": ', '{"a":1,"a":2}', '{"url":"u"}', '{"url":7}'),
)
const end = fc.record(
  {
    content: fc.array(block, { maxLength: 3 }),
    isError: fc.boolean(),
    meta: json,
    errorInfo: fc.record({
      code: fc.constantFrom('TOOL_FAILED', 'QUOTA'),
      message: text,
      phase: fc.constant('body' as const),
      bodyStarted: fc.boolean(),
      retryable: fc.boolean(),
    }),
  },
  { requiredKeys: ['content', 'isError'] },
)
/** Few ids, so that starts, ends, parents and repetitions meet. A damaged log is a log too. */
const id = fc.constantFrom('a', 'b', 'a/1', 'a/2', 'a/1/1', 'b/1').map(callId)
const name = fc.constantFrom('edit', 'moody', 'broken', 'run_code', 'nobody-knows', '__proto__')
const ms = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1_000)
const dispatch = { rootCallId: id, parentCallId: id, callId: id, name }
const event: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.record({ type: fc.constant('tool/call' as const), callId: id, name, arguments: rawArguments }),
  fc.record({ type: fc.constant('tool/code-dispatch-start' as const), ...dispatch, arguments: rawArguments }),
  fc
    .record({ type: fc.constant('tool/result' as const), callId: id, name, durationMs: ms, end })
    .map(({ end: ending, ...rest }) => ({ ...rest, ...ending })),
  fc
    .record({
      type: fc.constant('tool/code-dispatch' as const),
      ...dispatch,
      timings: fc.record({ queuedMs: ms, runMs: ms }),
      bodyStarted: fc.boolean(),
      end,
    })
    .map(({ end: ending, ...rest }) => ({ ...rest, ...ending })),
  fc.record({
    type: fc.constant('context/added' as const),
    callId: id,
    message: fc.record({
      role: fc.constant('user' as const),
      content: fc.array(block, { maxLength: 1 }),
      source: text,
    }),
  }),
)

test('a replay of the stored log shows the very cards that were seen live, at every moment', async () => {
  let cases = 0
  let cards = 0
  let presented = 0
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), async (events) => {
      const live = new CardProjection(find)
      const session = sessionId(`case-${++cases}`)
      const log = watchLog(store.open(session, 'global'), (stored) => void live.take(stored))
      const seen = events.map((each) => {
        log.append(each)
        return live.cards()
      })
      await log.flush()
      using reader = openSqliteReader(path)
      const kept = await reader.read(session)
      // The first event is the opening of the session.
      for (const [index, shown] of seen.entries()) {
        const replayed = cardsOf(kept.slice(0, index + 2), find)
        expect(replayed).toEqual(shown)
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(shown))
      }
      cards += seen.at(-1)?.length ?? 0
      presented += JSON.stringify(seen.at(-1)).includes('"kind":"diff"') ? 1 : 0
    }),
    { numRuns: 200 },
  )
  // Not a proof about nothing.
  expect(cards).toBeGreaterThan(100)
  expect(presented).toBeGreaterThan(0)
})
