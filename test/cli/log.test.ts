import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { logCommand, type LogCommandOptions } from '../../src/cli/commands/log.ts'
import { sessionId } from '../../src/data/ids.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { createSqliteStore } from '../../src/session/sqlite-log.ts'
import { call, dispatchEnd, dispatchStart, result } from '../session/sample-events.ts'

async function shown(events: readonly SessionEvent[], options: LogCommandOptions = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cli-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'sessions.sqlite')
  {
    await using store = createSqliteStore({ path, now: () => 1_000 })
    const log = store.open(sessionId('s'), 'global')
    for (const event of events) log.append(event)
    await log.flush()
  }
  const stdout = new PassThrough()
  const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: {}, cwd: folder }
  expect(await logCommand(path, options, io)).toBe(0)
  return String(stdout.read())
}

test('who approved or refused a call stands behind it, among the events, in the tree and on the cards', async () => {
  const refused = dispatchEnd('call-1/2', 'pay', 'call-1', 'call-1', 'APPROVAL_REJECTED')
  const events = [
    call('call-1'),
    dispatchStart('call-1/1', 'pay'),
    { ...dispatchEnd('call-1/1', 'pay'), approval: { answer: 'approve', by: 'mia' } } as SessionEvent,
    dispatchStart('call-1/2', 'pay'),
    // Names of people are not ours either.
    { ...refused, approval: { answer: 'reject', by: 'b\u001b[31mob' } } as SessionEvent,
    { ...result('call-1'), approval: { answer: 'approve' } } as SessionEvent,
  ]
  const text = await shown(events)
  expect(text).toMatch(/tool\/code-dispatch {2}pay {2}ok {2}approved by mia\n/)
  expect(text).toMatch(/tool\/code-dispatch {2}pay {2}APPROVAL_REJECTED {2}refused by b.*ob\n/)
  expect(text).toMatch(/tool\/result {2}run_code {2}ok {2}approved by a person\n/)
  expect(text).toMatch(/✓ pay .*approved by mia/)
  expect(text).not.toContain('\u001b')
  const cards = await shown(events, { replay: true })
  expect(cards).toMatch(/✗ pay .*APPROVAL_REJECTED {2}refused by b.*ob\n/)
  const document = JSON.parse(await shown(events, { json: true })) as { calls: { children: unknown }[] }
  expect(document.calls[0]?.children).toMatchObject([{ approval: { by: 'mia' } }, { approval: { answer: 'reject' } }])
})
