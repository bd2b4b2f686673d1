import { EXIT } from './exit-codes.ts'

/** Thrown by `race` when a signal came first. */
export class Interrupted extends Error {
  readonly exitCode: number
  constructor(exitCode: number) {
    super('interrupted')
    this.exitCode = exitCode
  }
}

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal
  /** Set once a signal came. */
  readonly exitCode: number | undefined
  /** Waits for work that knows no signal; a signal ends the waiting. */
  race<T>(work: Promise<T>): Promise<T>
}

/** The first Ctrl-C (or SIGTERM) asks for an orderly end, the second one does not ask. */
export function watchInterrupt(): Interrupt {
  const controller = new AbortController()
  let exitCode: number | undefined
  const onSignal = (name: NodeJS.Signals) => {
    if (exitCode !== undefined) process.exit(exitCode)
    exitCode = name === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted
    controller.abort(new Interrupted(exitCode))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
    race(work) {
      const { promise, reject } = Promise.withResolvers<never>()
      const onAbort = () => reject(controller.signal.reason as Error) // Always an `Interrupted`.
      if (controller.signal.aborted) onAbort()
      controller.signal.addEventListener('abort', onAbort, { once: true })
      return Promise.race([work, promise]).finally(() => controller.signal.removeEventListener('abort', onAbort))
    },
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
