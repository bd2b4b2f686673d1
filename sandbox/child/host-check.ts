import type { DeliverBody, PrepareBody, StartBody } from '../wire.ts'

/** What V8's timer takes. */
const MAX_SLICE_MS = 2 ** 31 - 1
const MAX_SPARES = 256
const LIMIT_NAMES = ['memoryMb', 'maxPendingCalls', 'maxLogBytes', 'maxResultBytes', 'maxValueBytes'] as const

/*
 * The host is trusted, and may still have a bug: a slice without a limit would run until somebody kills this process,
 * and a time that is no number would come back in frames that nobody can read. What breaks a rule here ends the child.
 */

export function parseStart(text: string): StartBody {
  const body = JSON.parse(text) as StartBody
  checkSlice(body.sliceMs)
  if (typeof body.code !== 'string' || typeof body.seed !== 'string') throw new Error('a start without code or seed')
  const { places } = body
  if (places !== undefined && (typeof places.table !== 'string' || typeof places.ownSuffix !== 'string'))
    throw new Error('a start with odd places')
  if (!Number.isFinite(body.startTimeMs)) throw new Error('a start without a time')
  if (!Array.isArray(body.bindings) || !body.bindings.every(isBinding)) throw new Error('a start with odd bindings')
  for (const name of LIMIT_NAMES) {
    if (!Number.isInteger(body.limits?.[name])) throw new Error(`a start without the limit ${name}`)
  }
  return body
}

const DELIVER_PREFIX = /^\{"nowMs":\d+,"sliceMs":(\d+),/

/** `sliceMs` of a delivery, without parsing megabytes of values when the host writes its fields in order. */
export function sliceOfDelivery(text: string): number {
  const found = DELIVER_PREFIX.exec(text)
  if (found !== null) return checkSlice(Number(found[1]))
  const body = JSON.parse(text) as DeliverBody
  if (!Number.isFinite(body.nowMs)) throw new Error('a delivery without a time')
  return checkSlice(body.sliceMs)
}

export function parsePrepare(text: string): number {
  const { spares } = JSON.parse(text) as PrepareBody
  if (Number.isInteger(spares) && spares >= 0 && spares <= MAX_SPARES) return spares
  throw new Error(`${JSON.stringify(spares)} spare isolates; 0 to ${MAX_SPARES} are allowed`)
}

function checkSlice(sliceMs: number): number {
  if (Number.isInteger(sliceMs) && sliceMs >= 1 && sliceMs <= MAX_SLICE_MS) return sliceMs
  throw new Error(`a slice of ${JSON.stringify(sliceMs)} ms; whole ones from 1 to ${MAX_SLICE_MS} are allowed`)
}

function isBinding(binding: StartBody['bindings'][number] | undefined): boolean {
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'string')
  return typeof binding?.name === 'string' && areTexts(binding.path) && areTexts(binding.required)
}
