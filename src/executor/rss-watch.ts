import type { ChildLink } from './child-link.ts'
import { readRssBytes } from './memory-meter.ts'

const TICK_MS = 20
/** A slice this young has not had the time to fill memory; most never get older. */
const YOUNG_MS = 10

export interface RssWatch {
  /** False where there is no /proc: then only the limits of the kernel and of V8 hold. */
  readonly isWatching: boolean
  stop(): void
}

/**
 * Has children look at their memory while a run is inside. The heap limit of an isolate is not enough: some built-ins
 * allocate for seconds before it is looked at, and copies made outside it took a child past 1 GB with a limit of 16 MB.
 */
export function watchRss(links: () => Iterable<ChildLink>, maxBytes: number): RssWatch {
  if (readRssBytes(process.pid) === undefined) return { isWatching: false, stop() {} }
  const timer = setInterval(() => {
    for (const link of links()) if (link.slices.headMs >= YOUNG_MS) link.checkMemory(maxBytes)
  }, TICK_MS)
  timer.unref()
  return { isWatching: true, stop: () => clearInterval(timer) }
}
