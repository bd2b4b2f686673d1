import type { ServiceParts } from './service-parts.ts'

/** What did not end within the drain. */
export interface CutWork {
  readonly runs: readonly { readonly runId: string; readonly tenant: string }[]
  /** Requests that were under way besides: steps, single calls, mounted protocols. */
  readonly requests: number
}

export interface DrainOptions {
  readonly drainMs: number
  /** Answers that are not there yet. */
  readonly inFlight: ReadonlySet<Promise<unknown>>
  /** Ends what is left. */
  cut(): void
}

/** How long work that was cut may take to say so. The engine fences what ignores it. */
const CUT_MS = 10_000

/**
 * Lets what is under way end, and cuts the rest. What was cut is in the log of the service, and each run of it in the
 * log of its session: as a run that was aborted.
 */
export async function drain(parts: ServiceParts, options: DrainOptions): Promise<CutWork> {
  parts.queue.close()
  const quiet = async () => {
    await parts.runs.idle()
    while (options.inFlight.size > 0) await Promise.allSettled(options.inFlight)
  }
  if (await isWithin(quiet(), options.drainMs)) return { runs: [], requests: 0 }
  const runs = parts.runs.open.map(({ ids, tenant }) => ({ runId: ids.runId, tenant }))
  const requests = options.inFlight.size
  for (const run of runs) parts.log.warn(run, 'run cut by the end of the service')
  parts.log.warn({ runs: runs.length, requests }, 'the drain is over; what is under way is cut')
  for (const record of parts.runs.open) parts.runs.cancel(record, 'the service ended before the run did')
  options.cut()
  await isWithin(quiet(), CUT_MS)
  return { runs, requests }
}

async function isWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), promise])
  } finally {
    clearTimeout(timer)
  }
}
