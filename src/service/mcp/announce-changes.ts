import type { Engine } from '../../engine.ts'

/** A server upstream that replaces its tools changes the registry once for each of them: clients are told once. */
const GATHER_MS = 50

/** Calls `announce` some time after the tools of the engine have changed, in any scope. */
export function announceChanges({ registry }: Engine, announce: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined
  const changes = registry.onChange(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      announce()
    }, GATHER_MS)
  })
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      changes[Symbol.dispose]()
    },
  }
}
