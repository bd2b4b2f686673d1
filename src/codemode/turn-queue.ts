/** Turns of the event loop, one for each piece of work, in the order in which they were asked for. */
export interface TurnQueue {
  /** Resolves in a turn of its own: what is done right after it keeps only that one turn busy. */
  turn(): Promise<void>
}

/**
 * Shared by all runs of an engine: work that programs can ask for at will is done in pieces, between which frames,
 * timers and requests of everybody else are served, however many runs ask at once.
 */
export function createTurnQueue(): TurnQueue {
  const waiting: (() => void)[] = []
  const next = () => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  return {
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) setImmediate(next)
      }),
  }
}
