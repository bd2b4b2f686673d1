import { setFlagsFromString } from 'node:v8'
import { setTimeout as pause } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect } from 'vitest'
import { createEngine, defineTool } from '../../src/index.ts'
import type { Engine, EngineOptions, Json, Limits, RunOptions, RunResult, StoredEvent } from '../../src/index.ts'
import { checkEvents } from '../../src/session/invariants.ts'
import { sandboxPids } from './sandbox-pids.ts'

/** Small enough that an attack which uses up a budget is over in a second or two. */
export const BUDGETS: Partial<Limits> = {
  cpuMs: 700,
  wallMs: 5_000,
  drainMs: 200,
  memoryMb: 64,
  maxCalls: 500,
  maxLogBytes: 256 * 1024,
  maxResultBytes: 1024 * 1024,
  maxValueBytes: 2 * 1024 * 1024,
  approvalMs: 3_000,
}

/** One for the tenant, one for a program that must be alone, one that stands by, one that is just being replaced. */
const MOST_CHILDREN = 4
/** What the host may keep of all attacks of a file together, after a garbage collection. */
const MOST_HOST_GROWTH_MB = 300
const INNOCENT_CALLS = 50
/** The innocent makes so many before the attack begins, and its last ones only when the attack is over. */
const CALLS_BEFORE = 3
const CALLS_AFTER = 5

export interface Invocation {
  readonly run: string
  readonly name: string
  readonly args: Json
  /** Aborted when the run that made the call has ended. */
  readonly signal: AbortSignal
}

export interface Attacked {
  /** Failure code of the run, or `OK`. */
  readonly code: string
  readonly message: string
  /** What the program returned. */
  readonly value: Json | undefined
  readonly result: RunResult
  /** Tool bodies that this run's calls reached, in order. */
  readonly calls: readonly Invocation[]
  /** The session's log after the run. */
  readonly events: readonly StoredEvent[]
  readonly texts: readonly string[]
  readonly notices: readonly string[]
  /** Calls that the innocent run made while the attack went on. */
  readonly progress: number
}

export interface AttackOptions extends Omit<RunOptions, 'session' | 'limits'> {
  readonly limits?: Partial<Limits>
  /** Called when the attack has been started; what it gives is awaited with it. */
  readonly meanwhile?: (bench: Bench) => Promise<void>
}

export interface Bench {
  readonly engine: Engine
  /** Every tool body that was entered, by whatever run. */
  readonly invocations: readonly Invocation[]
  /** Runs a hostile program beside an innocent one in the same child, and holds the world against what must be. */
  attack(program: string, options?: AttackOptions): Promise<Attacked>
  /** Runs a program alone; for what comes after. */
  run(program: string, options?: RunOptions): Promise<RunResult>
  callsOf(run: string): readonly Invocation[]
}

export interface BenchOptions extends Omit<EngineOptions, 'limits'> {
  readonly limits?: Partial<Limits>
}

/** One engine for a file of attacks, with one child for all programs of its tenant: attacker and innocent share it. */
export function useBench(options: BenchOptions | ((record: Recorder) => BenchOptions) = {}): Bench {
  const invocations: Invocation[] = []
  const record: Recorder = (name, args, exec) => {
    invocations.push({ run: exec.rootCallId, name, args, signal: exec.signal })
  }
  let engine: Engine | undefined
  let startBytes = 0
  const innocents = createInnocents()

  beforeAll(async () => {
    const given = typeof options === 'function' ? options(record) : options
    engine = await createEngine({
      pool: { childrenPerTenant: 1 },
      checkInvariants: true,
      // The checker is for friends: an attacker writes `any`.
      typecheck: 'off',
      ...given,
      limits: { ...BUDGETS, ...given.limits },
      tools: [...basicTools(record), innocents.tool, ...(given.tools ?? [])],
    })
    await engine.run('return 1')
    startBytes = hostBytes()
  })
  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]()
    await noChildrenLeft()
  })
  const get = () => {
    if (engine === undefined) throw new Error('the engine is not started yet')
    return engine
  }
  const callsOf = (run: string) => invocations.filter((invocation) => invocation.run === run)

  const bench: Bench = {
    get engine() {
      return get()
    },
    invocations,
    callsOf,
    run: (program, runOptions) => get().run(program, runOptions),
    async attack(program, { meanwhile, limits, ...runOptions } = {}) {
      const innocent = innocents.start(get())
      await innocent.underWay
      const session = get().openSession()
      const before = innocent.made()
      const [result] = await Promise.all([
        get().run(program, { ...runOptions, session, ...(limits !== undefined && { limits }) }),
        meanwhile?.(bench),
      ])
      const progress = innocent.made() - before
      const calls = [...callsOf(result.callId)]
      innocent.release()

      // The world: the neighbour, the next program, the tools, the log, the processes, the host's memory.
      const neighbour = await innocent.result
      expect(neighbour.outcome.isError ? neighbour.outcome.error : undefined).toBeUndefined()
      expect(neighbour.value?.result).toEqual({ from: 'innocent', sum: (INNOCENT_CALLS * (INNOCENT_CALLS + 1)) / 2 })
      expect(innocent.made()).toBe(INNOCENT_CALLS)
      const next = await get().run('return (await tools.echo({ n: 7 })).n + 1')
      expect(next.value?.result).toBe(8)
      await pause(30)
      expect(callsOf(result.callId)).toHaveLength(calls.length)
      expect(checkEvents(session.events(), { isEnded: true })).toEqual([])
      console.log(result.outcome.isError ? result.outcome.error.message : 'OK', progress)
      await expect.poll(() => sandboxPids().length, { timeout: 5_000 }).toBeLessThanOrEqual(MOST_CHILDREN)
      await expect.poll(() => toMb(hostBytes() - startBytes), { timeout: 5_000 }).toBeLessThan(MOST_HOST_GROWTH_MB)

      const { outcome } = result
      const seen = result.value ?? result.partial
      return {
        code: outcome.isError ? outcome.error.code : 'OK',
        message: outcome.isError ? outcome.error.message : '',
        value: result.value?.result,
        result,
        calls,
        events: session.events(),
        texts: seen?.logs.map(({ text }) => text) ?? [],
        notices: seen?.notices.map(({ message }) => message) ?? [],
        progress,
      }
    },
  }
  return bench
}

/** What tools of a file call to be seen by `callsOf`. */
export type Recorder = (
  name: string,
  args: Json,
  exec: { readonly rootCallId: string; readonly signal: AbortSignal },
) => void

const ANY_ARGUMENTS = { type: 'object', additionalProperties: true, properties: {} } as const

/** A tool that takes any object, for attacks on what is between the program and it. */
export function looseTool(
  record: Recorder,
  name: string,
  execute: (args: Record<string, unknown>, exec: { readonly signal: AbortSignal; readonly callId: string }) => unknown,
  options: { readonly timeoutMs?: number; readonly description?: string } = {},
) {
  return defineTool({
    name,
    description: options.description ?? name,
    parameters: ANY_ARGUMENTS,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    isConcurrencySafe: () => true,
    execute(args, exec) {
      record(name, args as Json, exec) // Arguments are frozen JSON.
      return execute(args, exec)
    },
  })
}

function basicTools(record: Recorder) {
  return [
    looseTool(record, 'echo', (args) => args),
    looseTool(record, 'fails', () => {
      throw new Error('it broke at /srv/secret/path.ts:1:1')
    }),
    looseTool(record, 'slow', async (args) => {
      await pause(Number(args.ms))
      return 'slept'
    }),
    looseTool(record, 'never', (_args, { signal }) => untilAborted(signal)),
    looseTool(record, 'stubborn', () => new Promise(() => {})),
    looseTool(record, 'large', ({ bytes }) => 'x'.repeat(Number(bytes))),
  ]
}

/** Orphans fail the file: what the engine started is gone when it is closed. */
async function noChildrenLeft(): Promise<void> {
  for (let tries = 0; tries < 100 && sandboxPids().length > 0; tries++) await pause(20)
  expect(sandboxPids()).toEqual([])
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })
}

/** A program that makes fifty calls. It is under way when the attack begins and not over before the attack is. */
function createInnocents() {
  interface Innocent {
    made: number
    readonly underWay: PromiseWithResolvers<void>
    readonly over: PromiseWithResolvers<void>
  }
  const byKey = new Map<number, Innocent>()
  let lastKey = 0
  const tool = defineTool({
    name: 'tick',
    namespace: 'innocent',
    description: 'Counts for the innocent run.',
    parameters: {
      type: 'object',
      properties: { key: { type: 'integer' }, n: { type: 'integer' } },
      required: ['key', 'n'],
    },
    isConcurrencySafe: () => true,
    async execute({ key, n }) {
      const innocent = byKey.get(key)
      if (innocent === undefined) throw new Error('no such innocent')
      innocent.made += 1
      // A resumed run that made a call twice would break this order.
      if (innocent.made !== n) throw new Error(`call ${n} came as number ${innocent.made}`)
      if (n === CALLS_BEFORE) innocent.underWay.resolve()
      if (n > CALLS_BEFORE) await pause(5)
      if (n > INNOCENT_CALLS - CALLS_AFTER) await innocent.over.promise
      return n
    },
  })
  return {
    tool,
    start(engine: Engine) {
      const key = ++lastKey
      const innocent: Innocent = { made: 0, underWay: Promise.withResolvers(), over: Promise.withResolvers() }
      byKey.set(key, innocent)
      const result = engine.run(
        `let sum = 0
         for (let n = 1; n <= ${INNOCENT_CALLS}; n++) sum += await tools.innocent.tick({ key: ${key}, n })
         return { from: 'innocent', sum }`,
        { limits: { cpuMs: 10_000, wallMs: 60_000 } },
      )
      // Should it end early, nobody may wait for its calls; the assertions on its value say what happened.
      void result.then(() => innocent.underWay.resolve())
      return {
        result,
        underWay: innocent.underWay.promise,
        made: () => innocent.made,
        release: () => innocent.over.resolve(),
      }
    },
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function hostBytes(): number {
  collectGarbage()
  return process.memoryUsage().rss
}

function toMb(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}
