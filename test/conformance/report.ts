/** What one part of the conformance run found. */
export interface ConformanceReport {
  readonly subject: string
  /** For people. */
  readonly lines: readonly string[]
  /** For machines. */
  readonly figures: Readonly<Record<string, unknown>>
  /** Whatever is not as it must be. */
  readonly breaches: readonly string[]
}
