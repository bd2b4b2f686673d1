import { isRecord } from '../data/json.ts'
import { isSignal } from './fused-signal.ts'

/**
 * What is wrong with a request itself; nothing if it is one. Types rule it out, and callers in JavaScript have none:
 * without this a slip of theirs would look like a fault of the runtime, or be taken for another kind of call.
 */
export function requestFault(request: unknown): string | undefined {
  if (!isRecord(request)) return `a call must be an object; got ${shown(request)}`
  const { name, scope, entry, arguments: args, signal } = request
  if (typeof name !== 'string') return `"name" must be a string; got ${shown(name)}`
  if (typeof scope !== 'string') return `"scope" must be a string; got ${shown(scope)}`
  if (entry !== 'model' && entry !== 'program' && entry !== 'host')
    return `"entry" must be "model", "program" or "host"; got ${shown(entry)}`
  if (signal !== undefined && !isSignal(signal)) return `"signal" must be an AbortSignal; got ${shown(signal)}`
  if (isRecord(args) && ('raw' in args ? typeof args['raw'] === 'string' : 'value' in args)) return undefined
  return '"arguments" must be { raw: string } or { value }'
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : value === null ? 'null' : typeof value
}
