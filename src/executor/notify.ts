import type { GuestEvent, RunHost } from './executor.ts'

export function notify(host: RunHost, event: GuestEvent): void {
  try {
    host.onEvent?.(event)
  } catch {
    // An observer's bug; the ending holds the event all the same.
  }
}
