export interface Preference {
  readonly isAsync: boolean
  /** How long an asynchronous answer may wait for the end all the same. */
  readonly waitMs: number
}

const MAX_WAIT_SECONDS = 300

/** RFC 7240, of which `respond-async` and `wait` mean something here; the rest is passed over, as it says. */
export function parsePrefer(header: string | null): Preference {
  const preferences = (header ?? '').toLowerCase().split(/[,;]/, 20)
  const isAsync = preferences.some((preference) => preference.trim() === 'respond-async')
  const wait = preferences
    .map((preference) => /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/.exec(preference)?.[1])
    .find((found) => found !== undefined)
  return { isAsync, waitMs: isAsync && wait !== undefined ? Math.min(Number(wait), MAX_WAIT_SECONDS) * 1_000 : 0 }
}
