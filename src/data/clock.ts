/** Time as an argument: nothing below the composition root reads the world's clock. */
export interface Clock {
  /** Milliseconds since 1970; may jump. */
  nowMs(): number
  /** Milliseconds since some fixed moment; never goes back. */
  monotonicMs(): number
  /** Calls `fn` once after `ms`, never synchronously. Disposing it before then means it is not called. */
  after(ms: number, fn: () => void): Disposable
}
