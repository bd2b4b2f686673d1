import type { WireEvent } from '../../sandbox/wire.ts'
import type { GuestEvent, LogLine, Notice } from './executor.ts'

/** Bytes that a line costs besides its text: a million empty lines are not free for the host. */
const LINE_BYTES = 16
/** The guest cuts first and adds a marker; the host's own cut is only for a guest that does not. */
const SLACK_BYTES = 64 * 1024
const MAX_NOTICES = 1_000
const MAX_NOTICE_CHARS = 4_000
const MAX_PROGRESS_CHARS = 1_000

type OutputEvent = Extract<WireEvent, { e: 'log' | 'notice' | 'show' | 'progress' }>

export interface OutputLimits {
  readonly maxLogBytes: number
  readonly maxResultBytes: number
}

/** What a run has printed, noted and shown, bounded whatever the child says. */
export class RunOutput {
  readonly logs: LogLine[] = []
  readonly notices: Notice[] = []
  readonly shown: string[] = []
  readonly #limits: OutputLimits
  readonly #onEvent: (event: GuestEvent) => void
  #logBytes = 0
  #shownBytes = 0
  #areLogsCut = false
  #areShownCut = false

  constructor(limits: OutputLimits, onEvent: (event: GuestEvent) => void) {
    this.#limits = limits
    this.#onEvent = onEvent
  }

  take(event: OutputEvent): void {
    switch (event.e) {
      case 'log':
        return this.#log({ level: event.level, atMs: event.at, text: event.text })
      case 'notice':
        return this.notice(event.code, event.text)
      case 'show':
        return this.#show(event.json)
      case 'progress':
        this.#onEvent({
          type: 'progress',
          ...(event.message !== undefined && { message: event.message.slice(0, MAX_PROGRESS_CHARS) }),
          ...(event.fraction !== undefined && { fraction: event.fraction }),
        })
    }
  }

  notice(code: string, message: string): void {
    if (this.notices.length >= MAX_NOTICES) return
    const notice = { code, message: message.slice(0, MAX_NOTICE_CHARS) }
    this.notices.push(notice)
    this.#onEvent({ type: 'notice', notice })
  }

  #log(line: LogLine): void {
    if (this.#areLogsCut) return
    this.#logBytes += Buffer.byteLength(line.text)
    const isOver = this.#logBytes > this.#limits.maxLogBytes + SLACK_BYTES
    const areTooMany = this.logs.length * LINE_BYTES > this.#limits.maxLogBytes + SLACK_BYTES
    if (isOver || areTooMany) {
      this.#areLogsCut = true
      this.notice('LOGS_CUT', `The program printed more than ${this.#limits.maxLogBytes} bytes; the rest was dropped.`)
      return
    }
    this.logs.push(line)
    this.#onEvent({ type: 'log', line })
  }

  #show(json: string): void {
    if (this.#areShownCut) return
    this.#shownBytes += Buffer.byteLength(json) + LINE_BYTES
    if (this.#shownBytes > this.#limits.maxResultBytes) {
      this.#areShownCut = true
      this.notice(
        'SHOWN_CUT',
        `The program showed more than ${this.#limits.maxResultBytes} bytes of blocks; the rest was dropped.`,
      )
      return
    }
    this.shown.push(json)
    this.#onEvent({ type: 'show', json })
  }
}
