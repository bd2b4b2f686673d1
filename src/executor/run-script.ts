import type { DeliverItem, SliceState, WireEvent } from '../../sandbox/wire.ts'

export interface Delivery {
  readonly nowMs: number
  readonly items: readonly DeliverItem[]
}

/** What both sides said where a replay left the record; texts are cut. */
export interface Divergence {
  readonly recorded: string
  readonly replayed: string
}
export type Heard = 'new' | 'known' | Divergence

const NOTHING_MORE = 'nothing more'
const MAX_SHOWN_CHARS = 400

/**
 * One run as a list: what was delivered, and what the program said after each delivery. A program is a function of its
 * start and these deliveries, so a fresh isolate that gets them again is where the lost one was. While it catches up,
 * nothing it says is new: it is compared and dropped, so that no call is made twice.
 */
export class RunScript {
  readonly #maxBytes: number
  #deliveries: Delivery[] = []
  #said: WireEvent[] = []
  /** Per answered slice (the first answers the start): how much had been said by then, and how it ended. */
  #answers: { readonly saidCount: number; readonly state: string }[] = []
  #bytes = 0
  #isKept = true
  /** Of the isolate at hand: deliveries that it got, slices that it answered, events that it said. */
  #given = 0
  #answered = 0
  #heard = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** False once the record has grown over its bound: the run goes on, but is lost with its child. */
  get isKept(): boolean {
    return this.#isKept
  }
  get isReplaying(): boolean {
    return this.#isKept && this.#given < this.#deliveries.length
  }

  /** A fresh isolate begins from the start. */
  rewind(): void {
    this.#given = 0
    this.#answered = 0
    this.#heard = 0
  }

  /** The next recorded delivery for an isolate that is behind. */
  next(): Delivery | undefined {
    const delivery = this.#deliveries[this.#given]
    if (delivery !== undefined) this.#given += 1
    return delivery
  }

  /** A live delivery, recorded before it is sent. */
  record(delivery: Delivery): void {
    if (!this.#isKept) return
    this.#deliveries.push(delivery)
    this.#given += 1
    for (const item of delivery.items) this.#charge(item.t === 'timer' ? 0 : item.json.length)
  }

  hear(event: WireEvent): Heard {
    if (!this.#isKept) return 'new'
    const limit = this.#answers[this.#answered]?.saidCount ?? Infinity
    const recorded = this.#said[this.#heard]
    if (this.#heard >= limit) return { recorded: NOTHING_MORE, replayed: shorten(event) }
    this.#heard += 1
    if (recorded === undefined) {
      this.#said.push(event)
      this.#charge(eventSize(event))
      return 'new'
    }
    return isSame(recorded, event) ? 'known' : { recorded: shorten(recorded), replayed: shorten(event) }
  }

  /** The slice is over. `new`: nothing like it is on record, the run is live. */
  answer(state: SliceState): Heard {
    if (!this.#isKept) return 'new'
    const recorded = this.#answers[this.#answered]
    const unsaid = this.#said[this.#heard]
    if (unsaid !== undefined && (recorded === undefined || this.#heard < recorded.saidCount)) {
      return { recorded: shorten(unsaid), replayed: NOTHING_MORE }
    }
    this.#answered += 1
    const text = JSON.stringify(state)
    if (recorded === undefined) {
      this.#answers.push({ saidCount: this.#heard, state: text })
      return 'new'
    }
    return recorded.state === text ? 'known' : { recorded: shorten(recorded.state), replayed: shorten(text) }
  }

  #charge(bytes: number): void {
    this.#bytes += bytes + 64
    if (this.#bytes <= this.#maxBytes) return
    // Only a live run adds to the record, so nothing is compared any more.
    this.#isKept = false
    this.#deliveries = []
    this.#said = []
    this.#answers = []
  }
}

function eventSize(event: WireEvent): number {
  switch (event.e) {
    case 'call':
      return event.args.length + event.name.length
    case 'log':
    case 'notice':
      return event.text.length
    case 'show':
      return event.json.length
    case 'timer':
    case 'clear':
    case 'progress':
      return 0
  }
}

function isSame(a: WireEvent, b: WireEvent): boolean {
  // Both were built by the frame check, so their keys are in one order.
  return JSON.stringify(a) === JSON.stringify(b)
}

function shorten(value: WireEvent | string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`
}
