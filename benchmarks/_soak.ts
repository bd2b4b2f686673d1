import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine, defineTool, type Engine, type RunResult, type SessionLog } from '../src/index.ts'
import { descendantsMb, sandboxPids } from './_processes.ts'
import { HOSTILES, INNOCENTS } from './_soak-programs.ts'

export interface SoakOptions {
  readonly durationMs: number
  /** Runs at a time, over all tenants. */
  readonly concurrency: number
  readonly everyMs: number
  /** Kills a sandbox process from outside so often, as the kernel or an operator might. */
  readonly killEveryMs: number
  onFigures(figures: SoakFigures): void
}

/** What the product promises: all must be 0. */
export interface Broken {
  /** Innocent runs that ended as failures. */
  lost: number
  /** Innocent runs with another value than the right one, or with calls that were not made. */
  wrong: number
  /** Calls whose body was entered more than once. */
  twice: number
  /** Hostile runs that ended in a way that is not theirs. */
  surprises: number
  /** Sandbox processes that outlived the engine. */
  left: number
}

export interface SoakFigures {
  readonly elapsedMs: number
  readonly innocents: number
  readonly hostiles: number
  readonly calls: number
  /** Since the last figures. */
  readonly runsPerSecond: number
  readonly killed: number
  readonly broken: Readonly<Broken>
  /** Resident memory of this process. */
  readonly hostMb: number
  /** Its heap, after a collection. */
  readonly heapMb: number
  /** Share of all processes below it; absent without /proc. */
  readonly childrenMb: number | undefined
  readonly children: number
  /** Delay of the event loop since the last figures. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number }
}

export interface SoakReport {
  readonly figures: readonly SoakFigures[]
  readonly broken: Readonly<Broken>
  /** One line each: the first breaches in detail, and memory that grew. */
  readonly complaints: readonly string[]
}

const MAX_COMPLAINTS = 40
/** One hostile program in so many runs. */
const HOSTILE_EVERY = 4
const RUNS_PER_SESSION = 50
const TENANTS = ['north', 'south']
/** Memory is judged only of soaks this long: before, the pool still fills. */
const JUDGED_MS = 120_000

/**
 * Good and hostile programs side by side, in the same sandbox processes, while some of these are killed from outside.
 * Every value is compared, and every call is counted where it arrives.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const world = new World()
  const folder = await mkdtemp(join(tmpdir(), 'codeferry-soak-'))
  const before = new Set(sandboxPids())
  const figures: SoakFigures[] = []
  const startedAt = performance.now()
  try {
    await using engine = await createEngine({
      tools: world.tools(),
      store: { sqlite: join(folder, 'sessions.sqlite') },
      limits: { memoryMb: 48, maxResultBytes: 4 * 2 ** 20, maxLogBytes: 256 * 1024 },
      tenantOf: ({ scope }) => scope,
      requireConfinement: 'none',
    })
    for (const tenant of TENANTS) engine.registry.declareScope(tenant)
    const end = new AbortController()
    const lag = monitorEventLoopDelay({ resolution: 5 })
    lag.enable()
    const watching = watch(world, { ...options, signal: end.signal, startedAt, lag }, (taken) => {
      figures.push(taken)
      options.onFigures(taken)
    })
    const killing = killNowAndThen(world, before, options.killEveryMs, end.signal)
    const until = startedAt + options.durationMs
    await Promise.all(Array.from({ length: options.concurrency }, (_, worker) => work(engine, world, worker, until)))
    end.abort()
    await Promise.all([watching, killing])
    lag.disable()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const left = sandboxPids().filter((pid) => !before.has(pid)).length
  world.broken.left = left
  if (left > 0) world.complain(`${left} sandbox processes live on after the engine was closed`)
  if (options.durationMs >= JUDGED_MS) judgeMemory(world, figures)
  return { figures, broken: world.broken, complaints: world.complaints }
}

/** Runs one program after the other until the time is over. */
async function work(engine: Engine, world: World, worker: number, until: number): Promise<void> {
  const scope = TENANTS[worker % TENANTS.length] ?? ''
  let session: SessionLog | undefined
  for (let n = 0; performance.now() < until; n++) {
    if (session === undefined || n % RUNS_PER_SESSION === 0) {
      if (session !== undefined) {
        await session.flush()
        engine.closeSession(session.sessionId)
      }
      session = engine.openSession({ scope })
    }
    const key = `${worker}-${n}`
    // Workers are out of step, so that every kind meets every other.
    const turn = n + worker * 3
    if (turn % HOSTILE_EVERY === HOSTILE_EVERY - 1) {
      const hostile = pick(HOSTILES, Math.floor(turn / HOSTILE_EVERY) + worker)(key, n)
      const result = await engine.run(hostile.code, {
        session,
        // What is wrong with these programs is to be found by running them.
        typecheck: 'off',
        ...(hostile.limits !== undefined && { limits: hostile.limits }),
      })
      world.hostileEnded(hostile.kind, hostile.endings, result)
    } else {
      const innocent = pick(INNOCENTS, turn)(key, n)
      const result = await engine.run(innocent.code, { session })
      world.innocentEnded(key, innocent, result)
    }
  }
}

class World {
  readonly broken: Broken = { lost: 0, wrong: 0, twice: 0, surprises: 0, left: 0 }
  readonly complaints: string[] = []
  innocents = 0
  hostiles = 0
  calls = 0
  killed = 0
  /** Bodies entered, by run and `i`. */
  readonly #counts = new Map<string, Map<number, number>>()

  complain(text: string): void {
    if (this.complaints.length < MAX_COMPLAINTS) this.complaints.push(text)
  }

  innocentEnded(key: string, run: { kind: string; expected: unknown; calls: number }, { outcome, value }: RunResult) {
    this.innocents += 1
    const counts = this.#counts.get(key) ?? new Map<number, number>()
    this.#counts.delete(key)
    if (outcome.isError) {
      this.broken.lost += 1
      this.complain(`lost: "${run.kind}" ended as ${outcome.error.code}: ${outcome.error.message}`)
      return
    }
    const isWhole =
      counts.size === run.calls && Array.from({ length: run.calls }, (_, i) => i).every((i) => counts.has(i))
    if (isWhole && isDeepStrictEqual(value?.result, run.expected)) return
    this.broken.wrong += 1
    const found = JSON.stringify(value?.result)?.slice(0, 200)
    this.complain(`wrong: "${run.kind}" gave ${found} after ${counts.size} of ${run.calls} calls`)
  }

  hostileEnded(kind: string, endings: readonly string[], { outcome }: RunResult): void {
    this.hostiles += 1
    const code = outcome.isError ? outcome.error.code : 'OK'
    if (endings.includes(code)) return
    this.broken.surprises += 1
    const message = outcome.isError ? `: ${outcome.error.message.slice(0, 300)}` : ''
    this.complain(`surprise: "${kind}" ended as ${code}${message}; awaited: ${endings.join(' or ')}`)
  }

  #count(key: string, i: number): void {
    this.calls += 1
    const counts = this.#counts.get(key) ?? new Map<number, number>()
    this.#counts.set(key, counts)
    const times = (counts.get(i) ?? 0) + 1
    counts.set(i, times)
    if (times === 1) return
    this.broken.twice += 1
    this.complain(`twice: call ${i} of run ${key} was made ${times} times`)
  }

  tools() {
    const number = { type: 'number' } as const
    const shared = { isConcurrencySafe: () => true }
    return [
      defineTool({
        ...shared,
        name: 'count',
        description: 'Counts.',
        parameters: { type: 'object', properties: { key: { type: 'string' }, i: number }, required: ['key', 'i'] },
        output: { schema: { type: 'object', properties: { i: number }, required: ['i'] } },
        execute: ({ key, i }) => {
          this.#count(key, i)
          return { i }
        },
      }),
      defineTool({
        ...shared,
        name: 'slow',
        description: 'Takes so long, and gives the time back.',
        parameters: { type: 'object', properties: { ms: number }, required: ['ms'] },
        output: { schema: number },
        execute: async ({ ms }) => {
          await sleep(ms)
          return ms
        },
      }),
      defineTool({
        ...shared,
        name: 'large',
        description: 'Gives a long text.',
        parameters: { type: 'object', properties: { bytes: number }, required: ['bytes'] },
        output: { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
        execute: ({ bytes }) => ({ text: 'x'.repeat(bytes) }),
      }),
      defineTool({
        ...shared,
        name: 'fails',
        description: 'Fails.',
        parameters: { type: 'object', properties: {} },
        execute: () => {
          throw new Error('as it always does')
        },
      }),
      defineTool({
        ...shared,
        name: 'never',
        description: 'Never ends by itself.',
        parameters: { type: 'object', properties: {} },
        execute: (_args, { signal }) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
          }),
      }),
    ]
  }
}

interface Watch {
  readonly everyMs: number
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly lag: ReturnType<typeof monitorEventLoopDelay>
}

async function watch(world: World, { everyMs, signal, startedAt, lag }: Watch, take: (figures: SoakFigures) => void) {
  let lastAt = performance.now()
  let lastRuns = 0
  for (;;) {
    const isOver = !(await pause(everyMs, signal))
    const now = performance.now()
    const runs = world.innocents + world.hostiles
    const lagMs = { p50: lag.percentile(50) / 1e6, p99: lag.percentile(99) / 1e6, max: lag.max / 1e6 }
    globalThis.gc?.()
    const { rss, heapUsed } = process.memoryUsage()
    take({
      elapsedMs: now - startedAt,
      innocents: world.innocents,
      hostiles: world.hostiles,
      calls: world.calls,
      runsPerSecond: ((runs - lastRuns) * 1_000) / Math.max(1, now - lastAt),
      killed: world.killed,
      broken: { ...world.broken },
      hostMb: rss / 2 ** 20,
      heapMb: heapUsed / 2 ** 20,
      childrenMb: descendantsMb(),
      children: sandboxPids().length,
      lagMs,
    })
    lastAt = now
    lastRuns = runs
    // The collection above is ours, and its pause is not the product's.
    lag.reset()
    if (isOver) return
  }
}

async function killNowAndThen(world: World, before: ReadonlySet<number>, everyMs: number, signal: AbortSignal) {
  for (let n = 0; await pause(everyMs, signal); n++) {
    const own = sandboxPids().filter((pid) => !before.has(pid))
    const victim = own[n % Math.max(1, own.length)]
    if (victim === undefined) continue
    try {
      process.kill(victim, 'SIGKILL')
      world.killed += 1
    } catch {
      // It was replaced in this very moment.
    }
  }
}

/** False: the soak is over. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch {
    return false
  }
}

/** The last quarter against the second: after the first the pool is full and code is compiled. */
function judgeMemory(world: World, figures: readonly SoakFigures[]): void {
  const quarter = Math.floor(figures.length / 4)
  if (quarter === 0) return
  const grew = (name: string, read: (figures: SoakFigures) => number, roomMb: number) => {
    const early = median(figures.slice(quarter, 2 * quarter).map(read))
    const late = median(figures.slice(-quarter).map(read))
    if (late > early * 1.2 + roomMb)
      world.complain(`memory: ${name} grew from ${Math.round(early)} to ${Math.round(late)} MB`)
  }
  grew('heap of the host', ({ heapMb }) => heapMb, 16)
  grew('resident memory of the host', ({ hostMb }) => hostMb, 64)
  grew('memory of the children', ({ childrenMb }) => childrenMb ?? 0, 64)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length]
  if (found === undefined) throw new RangeError('an empty list')
  return found
}
