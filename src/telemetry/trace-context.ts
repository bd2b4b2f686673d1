import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { isRecord } from '../data/json.ts'

/** The keys of W3C trace context and baggage: what a caller may say, and what is told to upstream servers. */
const KEYS = ['traceparent', 'tracestate', 'baggage'] as const
/** Longer than any of the three may be; what a stranger sends is looked at no further. */
const MAX_LENGTH = 8_192

/**
 * Does the work under the trace context that a caller sent: headers of a request, or the `_meta` of an MCP message.
 * Without a registered propagator and context manager this only calls `work`.
 */
export function withTraceContext<T>(carrier: unknown, work: () => T): T {
  const received = readCarrier(carrier)
  if (received.size === 0) return work()
  const parent = propagation.extract(ROOT_CONTEXT, received, {
    get: (map, key) => map.get(key.toLowerCase()),
    keys: (map) => [...map.keys()],
  })
  // What is not a trace context must not cut the work off from the one that it has.
  return trace.getSpanContext(parent) === undefined ? work() : context.with(parent, work)
}

/** The trace context of what goes on now, as members of an MCP `_meta`; undefined when there is none to tell. */
export function traceMeta(): Readonly<Record<string, string>> | undefined {
  const told: Record<string, string> = {}
  propagation.inject(context.active(), told, {
    // A propagator of another format has keys that `_meta` has no meaning for.
    set: (into, key, value) => void (KEYS.some((known) => known === key) && (into[key] = value)),
  })
  return Object.keys(told).length === 0 ? undefined : told
}

function readCarrier(carrier: unknown): ReadonlyMap<string, string> {
  const received = new Map<string, string>()
  for (const key of KEYS) {
    const value = carrier instanceof Headers ? carrier.get(key) : isRecord(carrier) ? own(carrier, key) : undefined
    if (typeof value === 'string' && value.length <= MAX_LENGTH) received.set(key, value)
  }
  return received
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
