import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { sessionId } from '../src/data/ids.ts'
import {
  CallBatch,
  GLOBAL_SCOPE,
  STAGES,
  ToolRegistry,
  ToolRuntime,
  createMemoryStore,
  createSqliteStore,
  type Policy,
  type SessionLog,
  type SessionStore,
  type ToolDefinition,
} from '../src/index.ts'
import { systemClock } from '../src/pipeline/system-clock.ts'
import {
  collectGarbage,
  compare,
  toRows,
  type Benchmark,
  type Rounds,
  type Size,
  type Table,
  type Variant,
} from './_runner.ts'
import { createEmptyTool, fiveIdlePolicies, fivePolicies } from './_tools.ts'

interface Sizes extends Rounds {
  readonly groupsPerRound: number
  readonly sessionLengths: readonly number[]
  readonly toolCounts: readonly number[]
  readonly cachedViews: number
}

const SIZES: Readonly<Record<Size, Sizes>> = {
  full: {
    warmUp: 6,
    measured: 12,
    groupsPerRound: 60,
    sessionLengths: [100, 1_000, 10_000],
    toolCounts: [100, 1_000, 10_000],
    cachedViews: 10_000,
  },
  tiny: {
    warmUp: 1,
    measured: 1,
    groupsPerRound: 2,
    sessionLengths: [10, 20],
    toolCounts: [10, 100],
    cachedViews: 10,
  },
}

/** Calls in one sample; with a log they are one session, and SQLite commits them together. */
const GROUP = 50
/** Model steps in one sample of a session that has grown: few, as they make it grow further. */
const STEPS = 3

export const pipelineBenchmark: Benchmark = {
  method: [
    'The tool does nothing, so what is measured is the pipeline: both schemas are checked, arguments and value are copied and frozen. Without a log the call is `ToolRuntime.execute`; with one it is a model step of one call through `CallBatch` (`tool/call` and `tool/result` are appended).',
    `Variants of one table alternate in every round, young garbage is collected before each. A sample is the mean of ${GROUP} calls in a row; with SQLite their common commit (WAL, synchronous=FULL) is in it.`,
    'The five policies: annotations, approval rules, rate (calls per second and concurrency), time-out, redaction of values.',
    'Stage times come from `CallReport.stageNs`: the observer and the clock reads between stages are in them, so they add up to more than a call without observers.',
    'Targets are for a quiet machine and are not asserted anywhere.',
  ],
  async measure(size) {
    const sizes = SIZES[size]
    return [
      await measureCalls(sizes),
      await measureStages(sizes),
      await measureMemory(sizes),
      await measureSessionGrowth(sizes),
      ...(await measureViews(sizes)),
    ]
  },
}

// --- one call -------------------------------------------------------------------------------------------------------

async function measureCalls(sizes: Sizes): Promise<Table> {
  await using sqlite = await openSqlite()
  await using memory = createMemoryStore({ now: () => systemClock.nowMs() })
  const builtIn = fivePolicies()
  const variant = (name: string, policies: readonly Policy[], target: number, store?: SessionStore): Variant => ({
    name,
    target: { p50: target },
    round: groups(sizes, store === undefined ? directCalls(policies) : loggedCalls(policies, store)),
  })
  return await compare('One empty call', 'µs', `a sample is the mean of ${GROUP} calls`, sizes, [
    variant('no policy, no log', [], 15),
    variant('five idle policies, no log', fiveIdlePolicies(), 15),
    variant('five policies, no log', builtIn, 15),
    variant('five policies, memory log', builtIn, 40, memory),
    variant('five policies, SQLite log', builtIn, 40, sqlite.store),
  ])
}

type Group = () => Promise<void>

/** A round of groups; the samples are µs per call. */
function groups(sizes: Sizes, group: Group): () => Promise<readonly number[]> {
  return async () => {
    const samples: number[] = []
    for (let i = 0; i < sizes.groupsPerRound; i++) {
      const startedAt = performance.now()
      await group()
      samples.push(((performance.now() - startedAt) * 1_000) / GROUP)
    }
    return samples
  }
}

function createRuntime(policies: readonly Policy[]): ToolRuntime {
  const registry = new ToolRegistry()
  registry.setMode(GLOBAL_SCOPE, 'native')
  registry.register(createEmptyTool())
  let ids = 0
  const runtime = new ToolRuntime({ registry, clock: systemClock, ids: () => String(++ids) })
  for (const policy of policies) runtime.use(policy)
  return runtime
}

function directCalls(policies: readonly Policy[]): Group {
  const runtime = createRuntime(policies)
  return async () => {
    for (let n = 0; n < GROUP; n++) await call(runtime, n)
  }
}

async function call(runtime: ToolRuntime, n: number): Promise<void> {
  const outcome = await runtime.execute({
    name: 'empty',
    arguments: { raw: `{"n":${n}}` },
    scope: GLOBAL_SCOPE,
    entry: 'model',
  })
  if (outcome.isError) throw new Error(outcome.error.message)
}

function loggedCalls(policies: readonly Policy[], store: SessionStore): Group {
  const runtime = createRuntime(policies)
  let opened = 0
  return async () => {
    const session = store.open(sessionId(`group-${++opened}`), GLOBAL_SCOPE)
    for (let n = 0; n < GROUP; n++) await step(runtime, session, n)
    await session.flush()
  }
}

/** A model step of one call. */
async function step(runtime: ToolRuntime, session: SessionLog, n: number): Promise<void> {
  const batch = new CallBatch({ runtime, session, scope: GLOBAL_SCOPE, clock: systemClock })
  const { results } = await batch.run([{ name: 'empty', arguments: `{"n":${n}}` }])
  if (results[0]?.outcome.isError !== false) throw new Error('the empty call failed')
}

// --- where the time goes --------------------------------------------------------------------------------------------

async function measureStages(sizes: Sizes): Promise<Table> {
  const runtime = createRuntime(fivePolicies())
  const nsByStage = new Map<string, number[]>()
  const totals: number[] = []
  let isMeasured = false
  runtime.observe({
    settled(_call, _outcome, { stageNs }) {
      if (!isMeasured) return
      totals.push(Object.values(stageNs).reduce((sum, ns) => sum + ns, 0))
      for (const [stage, ns] of Object.entries(stageNs)) {
        const samples = nsByStage.get(stage) ?? []
        samples.push(ns)
        nsByStage.set(stage, samples)
      }
    },
  })
  const calls = GROUP * sizes.groupsPerRound
  for (let n = 0; n < sizes.warmUp * calls; n++) await call(runtime, n)
  isMeasured = true
  collectGarbage('young')
  for (let n = 0; n < sizes.measured * calls; n++) await call(runtime, n)
  const rows = STAGES.flatMap((stage) => {
    const samples = nsByStage.get(stage)
    return samples === undefined ? [] : [{ name: stage, samples }]
  })
  return {
    title: 'Time in each stage, five policies, no log',
    unit: 'ns',
    sample:
      'a sample is one call; `around` ends where the body begins, and the way back out through the wrappers is in `render`',
    rows: toRows([{ name: 'all stages', samples: totals }, ...rows]),
  }
}

async function measureMemory(sizes: Sizes): Promise<Table> {
  await using memory = createMemoryStore({ now: () => systemClock.nowMs() })
  const allocating = groupBytes(sizes, directCalls(fivePolicies()), () => getHeapStatistics().total_allocated_bytes)
  const retaining = groupBytes(sizes, directCalls(fivePolicies()), heapInUse)
  const logging = groupBytes(sizes, loggedCalls(fivePolicies(), memory), heapInUse)
  return await compare(
    'Memory of one empty call, five policies',
    'bytes',
    `a sample is the mean over ${GROUP * sizes.groupsPerRound} calls`,
    sizes,
    [
      { name: 'allocated, no log', round: allocating },
      { name: 'still held afterwards, no log', round: retaining },
      { name: 'still held afterwards, memory log', round: logging },
    ],
  )
}

function heapInUse(): number {
  collectGarbage('all')
  return process.memoryUsage().heapUsed
}

/** One sample a round: a few calls would drown in what the collector rounds to. */
function groupBytes(sizes: Sizes, group: Group, read: () => number): () => Promise<readonly number[]> {
  return async () => {
    await group()
    const before = read()
    for (let i = 0; i < sizes.groupsPerRound; i++) await group()
    return [Math.max(0, read() - before) / (GROUP * sizes.groupsPerRound)]
  }
}

// --- growth ---------------------------------------------------------------------------------------------------------

/** What a step costs once its session has grown: it must not be more. */
async function measureSessionGrowth(sizes: Sizes): Promise<Table> {
  await using sqlite = await openSqlite()
  await using memory = createMemoryStore({ now: () => systemClock.nowMs() })
  const variants = await Promise.all(
    [
      { label: 'memory', store: memory },
      { label: 'SQLite', store: sqlite.store },
    ].flatMap(({ label, store }) =>
      sizes.sessionLengths.map(async (length): Promise<Variant> => {
        const runtime = createRuntime([])
        const session = store.open(sessionId(`grown-${length}`), GLOBAL_SCOPE)
        while (session.append({ type: 'context/added', callId: runtime.newCallId(), message: NOTE }).sequence < length);
        await session.flush()
        return {
          name: `${label}, ${length.toLocaleString('en')} events`,
          async round() {
            const startedAt = performance.now()
            for (let n = 0; n < STEPS; n++) await step(runtime, session, n)
            await session.flush()
            return [((performance.now() - startedAt) * 1_000) / STEPS]
          },
        }
      }),
    ),
  )
  return await compare(
    'One step in a session that has grown, no policy',
    'µs',
    `a sample is the mean of ${STEPS} steps and their commit`,
    sizes,
    variants,
  )
}

const NOTE = {
  role: 'user',
  source: 'benchmark',
  content: [{ type: 'text', text: 'An event of ordinary size.' }],
} as const

async function measureViews(sizes: Sizes): Promise<readonly Table[]> {
  const count = sizes.toolCounts[1] ?? 1_000
  const resolve = await compare(
    `View of ${count.toLocaleString('en')} tools`,
    'µs',
    'a sample is one view; of the cached one, the mean of many',
    sizes,
    [
      { name: 'cold', round: async () => [coldView(sampleTools(count))] },
      { name: 'after one change', round: viewAfterChange(count) },
      { name: 'cached', target: { p50: 1 }, round: cachedView(count, sizes.cachedViews) },
    ],
  )
  const growth = await compare(
    'Cold view, growth',
    'ns per tool',
    'a sample is one view; equal ratios are linear growth',
    sizes,
    sizes.toolCounts.map((tools): Variant => {
      const definitions = sampleTools(tools)
      return {
        name: `${tools.toLocaleString('en')} tools`,
        round: async () => [(coldView(definitions) * 1_000) / tools],
      }
    }),
  )
  return [resolve, growth]
}

function sampleTools(count: number): readonly ToolDefinition[] {
  const tool = createEmptyTool()
  // Spread over names as a catalog of many servers has them, and not in the order of the view.
  return Array.from({ length: count }, (_, index) => {
    const namespace = `server${index % 40}`
    return { ...tool, name: `${namespace}.tool_${(index * 7_919) % count}_${index}`, namespace }
  })
}

function coldView(tools: readonly ToolDefinition[]): number {
  const registry = new ToolRegistry()
  registry.registerAll(tools)
  return timeView(registry, tools.length)
}

function viewAfterChange(count: number): () => Promise<readonly number[]> {
  const registry = new ToolRegistry()
  registry.registerAll(sampleTools(count))
  const extra = { ...createEmptyTool(), name: 'extra' }
  return async () => {
    registry.view(GLOBAL_SCOPE)
    using _registered = registry.register(extra)
    return [timeView(registry, count + 1)]
  }
}

function cachedView(count: number, times: number): () => Promise<readonly number[]> {
  const registry = new ToolRegistry()
  registry.registerAll(sampleTools(count))
  const view = registry.view(GLOBAL_SCOPE)
  return async () => {
    const startedAt = performance.now()
    for (let i = 0; i < times; i++) if (registry.view(GLOBAL_SCOPE) !== view) throw new Error('the view is not cached')
    return [((performance.now() - startedAt) * 1_000) / times]
  }
}

function timeView(registry: ToolRegistry, expected: number): number {
  const startedAt = performance.now()
  const view = registry.view(GLOBAL_SCOPE)
  const took = (performance.now() - startedAt) * 1_000
  if (view.toolsByName.size !== expected) throw new Error(`the view has ${view.toolsByName.size} tools`)
  return took
}

async function openSqlite(): Promise<{ readonly store: SessionStore } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'codeferry-bench-'))
  const store = createSqliteStore({ path: join(folder, 'sessions.sqlite'), now: () => systemClock.nowMs() })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
