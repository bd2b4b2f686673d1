import { isRecord } from '../data/json.ts'

/** How a mocked tool behaves, as data. `delayMs` next to any of these waits first. */
export type Mock = { readonly delayMs?: number } & (
  | { readonly returns: unknown }
  | { readonly echo: true }
  | { readonly returnsText: string; readonly repeat?: number }
  | { readonly content: readonly unknown[]; readonly structuredContent?: unknown; readonly isError?: boolean }
  | { readonly throws: string }
  | { readonly never: true }
  | {
      readonly byArg: { readonly arg: string; readonly cases: Readonly<Record<string, Mock>>; readonly default?: Mock }
    }
  | { readonly sequence: readonly Mock[] }
  | { readonly generate: { readonly count: number; readonly item: unknown; readonly under?: string } }
)

/** What a call gives: a bare value, or a `CallToolResult` as an MCP server sends it. */
export type Reply = { readonly value: unknown } | { readonly result: unknown }

const MAX_DEPTH = 16
const MAX_GENERATED = 1_000_000
const MAX_TEXT = 64 * 1024 * 1024

/** Plays one call. `nth` counts the calls of the tool from 0. Rejects as the mock says, or when the signal is aborted. */
export async function playMock(
  mock: Mock,
  args: Readonly<Record<string, unknown>>,
  nth: number,
  signal: AbortSignal,
): Promise<Reply> {
  if (mock.delayMs !== undefined && mock.delayMs > 0) await wait(mock.delayMs, signal)
  if ('sequence' in mock) {
    const step = mock.sequence[Math.min(nth, mock.sequence.length - 1)]
    return step === undefined ? { value: null } : playMock(step, args, 0, signal)
  }
  if ('byArg' in mock) {
    const { arg, cases } = mock.byArg
    const given = Object.hasOwn(args, arg) ? args[arg] : undefined
    const key = given === undefined || given === null ? '' : typeof given === 'string' ? given : JSON.stringify(given)
    const chosen = Object.hasOwn(cases, key) ? cases[key] : mock.byArg.default
    return playMock(chosen ?? { throws: `no such ${arg}: ${key}` }, args, 0, signal)
  }
  if ('never' in mock) return wait(undefined, signal)
  if ('throws' in mock) throw new Error(mock.throws)
  if ('echo' in mock) return { value: args }
  if ('generate' in mock) {
    const { count, item, under } = mock.generate
    const list = Array.from({ length: count }, (_, i) => fill(item, i))
    return { value: under === undefined ? list : { [under]: list } }
  }
  if ('returnsText' in mock) return { value: mock.returnsText.repeat(mock.repeat ?? 1) }
  if ('content' in mock) {
    const { content, structuredContent, isError } = mock
    return { result: structuredClone({ content, structuredContent, isError }) }
  }
  return { value: structuredClone(mock.returns) }
}

/** Says what is wrong with a mock, with its place; undefined when it is fine. */
export function mockProblem(mock: unknown, place: string, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `${place} is nested more than ${MAX_DEPTH} deep`
  if (!isRecord(mock)) return `${place} must be an object`
  const { delayMs } = mock
  if (delayMs !== undefined && (typeof delayMs !== 'number' || !(delayMs >= 0 && delayMs < 2 ** 31))) {
    return `${place}.delayMs must be a number of milliseconds`
  }
  const kinds = KINDS.filter((kind) => Object.hasOwn(mock, kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) return `${place} must have exactly one of ${KINDS.join(', ')}`
  switch (kind) {
    case 'returns':
      return undefined
    case 'echo':
    case 'never':
      return mock[kind] === true ? undefined : `${place}.${kind} must be true`
    case 'throws':
      return typeof mock.throws === 'string' ? undefined : `${place}.throws must be a text`
    case 'content':
      return Array.isArray(mock.content) ? undefined : `${place}.content must be an array of content blocks`
    case 'returnsText': {
      const repeat = mock.repeat ?? 1
      if (typeof mock.returnsText !== 'string') return `${place}.returnsText must be a text`
      if (!isCount(repeat) || mock.returnsText.length * repeat > MAX_TEXT)
        return `${place}.repeat is not a count, or gives too long a text`
      return undefined
    }
    case 'sequence':
      if (!Array.isArray(mock.sequence) || mock.sequence.length === 0)
        return `${place}.sequence must be an array of mocks`
      return first(mock.sequence.map((step: unknown, i) => mockProblem(step, `${place}.sequence[${i}]`, depth + 1)))
    case 'byArg': {
      const { byArg } = mock
      if (!isRecord(byArg) || typeof byArg.arg !== 'string' || !isRecord(byArg.cases)) {
        return `${place}.byArg must be { "arg": name, "cases": { value: mock }, "default"?: mock }`
      }
      const cases = Object.entries(byArg.cases).map(([key, step]) =>
        mockProblem(step, `${place}.byArg.cases.${key}`, depth + 1),
      )
      return (
        first(cases) ??
        (byArg.default === undefined ? undefined : mockProblem(byArg.default, `${place}.byArg.default`, depth + 1))
      )
    }
    case 'generate': {
      const { generate } = mock
      const ok =
        isRecord(generate) &&
        isCount(generate.count) &&
        generate.count <= MAX_GENERATED &&
        Object.hasOwn(generate, 'item')
      if (!ok) return `${place}.generate must be { "count": 0–${MAX_GENERATED}, "item": value, "under"?: key }`
      return generate.under === undefined || typeof generate.under === 'string'
        ? undefined
        : `${place}.generate.under must be a text`
    }
  }
}

const KINDS = ['returns', 'echo', 'returnsText', 'content', 'throws', 'never', 'byArg', 'sequence', 'generate'] as const

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined)
}

/** `"$i"` alone is the index as a number, inside a longer text its digits. */
function fill(template: unknown, index: number): unknown {
  if (template === '$i') return index
  if (typeof template === 'string') return template.replaceAll('$i', String(index))
  if (Array.isArray(template)) return template.map((item) => fill(item, index))
  if (isRecord(template))
    return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fill(item, index)]))
  return template
}

/** Resolves after the time (never, without one); rejects when the signal is aborted. */
function wait(ms: number | undefined, signal: AbortSignal): Promise<never> {
  const { promise, resolve, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = ms === undefined ? undefined : setTimeout(resolve as () => void, ms) // The value is not read.
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  })
}
