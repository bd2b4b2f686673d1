import type { ServerSettings } from '../../settings/settings.ts'

/** Sizes and times that no configuration file speaks of. */
export interface ServiceTuning {
  /** Runs, steps and calls that are under way at the same time; those that wait for a person do not count. */
  readonly maxRunning: number
  readonly maxRunningPerTenant: number
  /** That wait, of all tenants together. */
  readonly maxWaiting: number
  /** How long a run that has ended can be looked at in memory, … */
  readonly keepRunsMs: number
  /** … how many of them, … */
  readonly maxRuns: number
  /** … and how much text they may have together. */
  readonly maxRunChars: number
  /** How long an idle session stays in memory, and how many. */
  readonly keepSessionsMs: number
  readonly maxSessions: number
  /** Answers kept for an `Idempotency-Key`, for each tenant. */
  readonly keepAnswersMs: number
  readonly maxKeysPerTenant: number
  readonly maxAnswerCharsPerTenant: number
  readonly maxStreamsPerTenant: number
  readonly heartbeatMs: number
  /** See `slow-readers.ts`. */
  readonly stallMs: number
  readonly maxUnreadBytes: number
  readonly sweepMs: number
  readonly maxJsonDepth: number
  /** For tests: an answer that is not what its route promises is a fault. */
  readonly checksAnswers: boolean
}

const DEFAULTS: ServiceTuning = {
  maxRunning: 64,
  maxRunningPerTenant: 48,
  maxWaiting: 4_096,
  keepRunsMs: 10 * 60_000,
  maxRuns: 1_000,
  maxRunChars: 256 * 1024 * 1024,
  keepSessionsMs: 30 * 60_000,
  maxSessions: 1_000,
  keepAnswersMs: 60 * 60_000,
  maxKeysPerTenant: 500,
  maxAnswerCharsPerTenant: 16 * 1024 * 1024,
  maxStreamsPerTenant: 100,
  heartbeatMs: 15_000,
  stallMs: 60_000,
  maxUnreadBytes: 256 * 1024 * 1024,
  sweepMs: 30_000,
  maxJsonDepth: 200,
  checksAnswers: false,
}

export function resolveTuning(settings: ServerSettings, given: Partial<ServiceTuning> = {}): ServiceTuning {
  const tuning = { ...DEFAULTS, ...given }
  return { ...tuning, maxWaiting: Math.max(tuning.maxWaiting, settings.maxQueuePerTenant) }
}
