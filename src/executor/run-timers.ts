/** More than a program needs; a flood of timers would otherwise grow the host, not the guest. */
export const MAX_TIMERS = 50_000
const MAX_TIMER_MS = 2 ** 31 - 1

interface Timer {
  readonly id: number
  readonly dueMs: number
  isCleared: boolean
}

/** The timers of one run, in guest time. They belong to the host: the guest only learns that one is due. */
export class RunTimers {
  readonly #timersById = new Map<number, Timer>()
  /** Binary heap by due time, then id. Cleared timers stay in it until they surface. */
  readonly #heap: Timer[] = []

  get size(): number {
    return this.#timersById.size
  }

  /** False: the id is taken, so the guest's half is not the one that we wrote. */
  set(id: number, nowMs: number, delayMs: number): boolean {
    if (this.#timersById.has(id)) return false
    const timer = { id, dueMs: nowMs + Math.min(Math.max(1, delayMs), MAX_TIMER_MS), isCleared: false }
    this.#timersById.set(id, timer)
    this.#heap.push(timer)
    this.#siftUp(this.#heap.length - 1)
    return true
  }

  clear(id: number): void {
    const timer = this.#timersById.get(id)
    if (timer === undefined) return
    timer.isCleared = true
    this.#timersById.delete(id)
    // A program that sets and clears in a loop must not fill the heap with dead entries.
    if (this.#heap.length > 64 && this.#heap.length > 4 * this.#timersById.size) this.#rebuild()
  }

  clearAll(): void {
    this.#timersById.clear()
    this.#heap.length = 0
  }

  /** Due time of the next timer. */
  get nextDueMs(): number | undefined {
    this.#dropCleared()
    return this.#heap[0]?.dueMs
  }

  /** Ids that are due, in order. They are gone then: an interval is set anew by the guest. */
  takeDue(nowMs: number): number[] {
    const due: number[] = []
    for (;;) {
      this.#dropCleared()
      const next = this.#heap[0]
      if (next === undefined || next.dueMs > nowMs) return due
      this.#pop()
      this.#timersById.delete(next.id)
      due.push(next.id)
    }
  }

  #dropCleared(): void {
    while (this.#heap[0]?.isCleared === true) this.#pop()
  }

  #rebuild(): void {
    const living = [...this.#timersById.values()].toSorted(compareDue)
    this.#heap.length = 0
    // A sorted list is a heap.
    this.#heap.push(...living)
  }

  #pop(): void {
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#siftDown()
  }

  #siftUp(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#swapIfBefore(at, parent)) return
      at = parent
    }
  }

  #siftDown(): void {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      const child = this.#isBefore(right, left) ? right : left
      if (!this.#swapIfBefore(child, at)) return
      at = child
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]]
    return first !== undefined && second !== undefined && compareDue(first, second) < 0
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]]
    if (first === undefined || second === undefined || compareDue(first, second) >= 0) return false
    this.#heap[a] = second
    this.#heap[b] = first
    return true
  }
}

function compareDue(a: Timer, b: Timer): number {
  return a.dueMs - b.dueMs || a.id - b.id
}
