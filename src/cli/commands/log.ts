import { existsSync } from 'node:fs'
import { cardsOf } from '../../cards.ts'
import { CodedError } from '../../data/failure.ts'
import { sessionId } from '../../data/ids.ts'
import type { StoredEvent } from '../../session/events.ts'
import type { SessionSummary } from '../../session/log.ts'
import { callTree } from '../../session/replay.ts'
import { openSqliteReader } from '../../session/sqlite-log.ts'
import { EXIT } from '../exit-codes.ts'
import { approvalText } from '../format/approval.ts'
import { callTreeLines } from '../format/call-tree.ts'
import { writeCards } from '../format/cards.ts'
import { paletteFor, safe, writeJson, type Io } from '../io.ts'

export interface LogCommandOptions {
  readonly session?: string
  readonly json?: boolean
  readonly replay?: boolean
}

/** Lists the sessions of a database, or shows the events and the tree of calls (or the cards) of one. Only reads. */
export async function logCommand(path: string, options: LogCommandOptions, io: Io): Promise<number> {
  if (!existsSync(path))
    throw new CodedError('CONFIG_INVALID', `${safe(path)} does not exist; give the file that run --db wrote`)
  using reader = openSqliteReader(path)
  const sessions = await reader.list()
  if (options.session === undefined && sessions.length !== 1) {
    if (options.json === true) writeJson(io, { sessions })
    else writeSessions(io, sessions)
    return EXIT.ok
  }
  const id = options.session ?? sessions[0]?.sessionId ?? ''
  const summary = sessions.find((session) => session.sessionId === id)
  if (summary === undefined) {
    const known = sessions.slice(-10).map((session) => safe(session.sessionId))
    throw new CodedError(
      'CONFIG_INVALID',
      `there is no session ${safe(id)} in ${safe(path)}; the last ones are: ${known.join(', ') || 'none'}`,
    )
  }
  const events = await reader.read(sessionId(id))
  if (options.replay === true) {
    // No tool is at hand here: what a card shows, it shows from the log alone.
    const cards = cardsOf(events)
    if (options.json === true) writeJson(io, { session: summary, cards })
    else writeCards(io, cards)
  } else if (options.json === true) writeJson(io, { session: summary, events, calls: callTree(events) })
  else writeSession(io, summary, events)
  return EXIT.ok
}

function writeSessions(io: Io, sessions: readonly SessionSummary[]): void {
  if (sessions.length === 0) {
    io.stdout.write('There are no sessions.\n')
    return
  }
  const { bold, dim } = paletteFor(io.stdout, io.env)
  const lines = sessions.map(
    ({ sessionId: id, scope, openedAtMs, events }) =>
      `${bold(safe(id))}  ${formatTime(openedAtMs)}  ${dim(`${safe(scope)}, ${events} events`)}`,
  )
  io.stdout.write(`${lines.join('\n')}\n\nOne of them: log <db> --session <id>\n`)
}

function writeSession(io: Io, summary: SessionSummary, events: readonly StoredEvent[]): void {
  const { bold, dim } = paletteFor(io.stdout, io.env)
  const lines = [
    `${bold(safe(summary.sessionId))}  ${formatTime(summary.openedAtMs)}  ${dim(safe(summary.scope))}`,
    '',
    bold('Events'),
  ]
  for (const event of events)
    lines.push(`  ${String(event.sequence).padStart(4)}  ${formatTime(event.atMs)}  ${eventText(event)}`)
  lines.push('', bold('Calls'), ...callTreeLines(io, callTree(events)))
  io.stdout.write(`${lines.join('\n')}\n`)
}

function eventText(event: StoredEvent): string {
  switch (event.type) {
    case 'session/opened':
      return `${event.type}  ${safe(event.scope)}`
    case 'tool/call':
    case 'tool/code-dispatch-start':
      return `${event.type}  ${safe(event.name)}  ${safe(event.callId)}`
    case 'tool/result':
    case 'tool/code-dispatch':
      return `${event.type}  ${safe(event.name)}  ${event.isError ? safe(event.errorInfo?.code ?? 'error') : 'ok'}${approvalText(event.approval)}`
    case 'context/added':
      return `${event.type}  from ${safe(event.message.source)}`
  }
}

function formatTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').replace('Z', '')
}
