/**
 * The child without its process, for `isolation: 'in-process'`: the same guest and the same handling of frames, worked
 * by direct calls. Nothing here stands between a program and its host but V8.
 */
import guestCode from 'codeferry:guest'
import { setFlagsFromString } from 'node:v8'
import { createIsolateSource, loadIvm, type GuestIsolate } from './isolate.ts'
import { createChild, type Child } from './run.ts'

export interface EmbeddedOptions {
  /** Directory of the isolated-vm package. */
  readonly addon: string
  readonly send: (type: number, run: number, body: string) => void
}

export function createEmbeddedChild({ addon, send }: EmbeddedOptions): Child {
  // As in `main.ts`: without it some loops obey no limit.
  setFlagsFromString('--no-turboshaft-loop-unrolling')
  const source = createIsolateSource(loadIvm(addon), ASK_ZONE + guestCode)
  return createChild({ createIsolate: (memoryMb) => inUtc(() => source.create(memoryMb)), send })
}

const ASK_ZONE = 'new Date(0).getTimezoneOffset();'

/**
 * An isolate takes the zone of its process when it is first asked for one, and keeps it. The host must not see its own
 * zone change, so it is lent for exactly that time.
 */
function inUtc(create: () => GuestIsolate): GuestIsolate {
  const own = process.env['TZ']
  if (own === 'UTC') return create()
  process.env['TZ'] = 'UTC'
  try {
    return create()
  } finally {
    if (own === undefined) delete process.env['TZ']
    else process.env['TZ'] = own
  }
}
