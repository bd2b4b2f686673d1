import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { LoadClient } from './_load-client.ts'
import { FLOWS } from './_load-flows.ts'
import { MAX_CHILDREN, startLoadService, type LoadService, type Tenant } from './_load-service.ts'
import { LoadWorld, type Broken } from './_load-world.ts'
import { rssMb } from './_processes.ts'

export interface LoadOptions {
  readonly durationMs: number
  /** Clients, each with one run at a time: three in four are the first tenant's. */
  readonly concurrency: number
  /** Runs begun in a second, over all clients; absent: as many as come. */
  readonly rps: number | undefined
  onSample?(sample: LoadSample): void
}

export interface LoadSample {
  readonly elapsedMs: number
  readonly runs: number
  readonly refusals: number
  readonly rssMb: number | undefined
  /** After a collection; only now and then, as that takes time. */
  readonly heapMb: number | undefined
  /** Runs that the service keeps in memory, by its own metrics. */
  readonly kept: number
  readonly sandboxes: number
}

export interface Latency {
  readonly runs: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface LoadReport {
  readonly broken: Readonly<Broken>
  readonly complaints: readonly string[]
  readonly runs: number
  readonly runsPerSecond: number
  /** From the order to the value, by tenant; apart from these the runs that were told to come later, and those of the first moments. */
  readonly latencyMs: Readonly<Record<Tenant | 'told' | 'cold', Latency>>
  /** Events that followers got, and how often a client came back to a run by its key. */
  readonly events: number
  readonly returns: number
  readonly refusals: number
  readonly killedSandboxes: number
  readonly killedUpstreams: number
  /** Runs that a killed upstream took along. */
  readonly excused: number
  /** How memory was judged; undefined: too short to be. */
  readonly memory: string | undefined
  readonly maxSandboxes: number
  readonly samples: readonly LoadSample[]
  readonly clientLagMs: number
}

const SAMPLE_MS = 1_000
/** One sample in so many looks at the heap. */
const HEAP_EVERY = 5
/** The service keeps so many runs that have ended; before it has them, its heap has to grow. */
const FULL = 1_000
/** A killed sandbox process may still be seen beside the one that takes its place. */
const MAX_SEEN = MAX_CHILDREN + 2

/** Clients of two tenants against a real service, while a sandbox process and an upstream are killed. */
export async function load(options: LoadOptions): Promise<LoadReport> {
  const world = new LoadWorld()
  const agent = new Agent({ connections: options.concurrency * 3, headersTimeout: 120_000, bodyTimeout: 120_000 })
  const lag = monitorEventLoopDelay({ resolution: 5 })
  await using service = await startLoadService()
  const clients = Array.from({ length: options.concurrency }, (_, worker) => {
    const tenant: Tenant = worker % 4 === 3 ? 'south' : 'north'
    return { tenant, client: new LoadClient(service.url, service.secrets[tenant], agent) }
  })
  const refusals = () => clients.reduce((sum, { client }) => sum + client.refusals, 0)
  const over = new AbortController()
  const startedAt = performance.now()
  const samples: LoadSample[] = []
  const pace = createPace(options.rps)
  lag.enable()
  const until = startedAt + options.durationMs
  // All clients come at once, to a process that has compiled nothing yet: what that costs is another question.
  const warmAt = startedAt + options.durationMs / 6
  const watching = watch({ service, world, startedAt, signal: over.signal, refusals, agent }, (sample) => {
    samples.push(sample)
    options.onSample?.(sample)
  })
  const killing = killSome(service, world, options.durationMs, over.signal)
  await Promise.all(
    clients.map(({ tenant, client }, worker) => work({ client, tenant, world, worker, until, warmAt, pace })),
  )
  const tookMs = performance.now() - startedAt
  over.abort()
  await watching
  const killed = await killing
  world.judgeOutage()
  const memory = judgeMemory(world, samples)
  await agent.destroy()
  await judgeEnd(service, world)
  return {
    broken: world.broken,
    complaints: world.complaints,
    runs: world.runs,
    runsPerSecond: (world.runs * 1_000) / tookMs,
    latencyMs: {
      north: latencyOf(world.latencies.north),
      south: latencyOf(world.latencies.south),
      told: latencyOf(world.latencies.told),
      cold: latencyOf(world.latencies.cold),
    },
    events: world.events,
    returns: world.returns,
    refusals: refusals(),
    ...killed,
    excused: world.excused,
    memory,
    maxSandboxes: samples.reduce((most, { sandboxes }) => Math.max(most, sandboxes), 0),
    samples,
    clientLagMs: lag.percentile(99) / 1e6,
  }
}

interface Worker {
  readonly client: LoadClient
  readonly tenant: Tenant
  readonly world: LoadWorld
  readonly worker: number
  readonly until: number
  readonly warmAt: number
  readonly pace: () => Promise<number>
}

async function work({ client, tenant, world, worker, until, warmAt, pace }: Worker): Promise<void> {
  for (let n = 0; ; n++) {
    const fromMs = await pace()
    if (performance.now() >= until) return
    const turn = n + worker
    const refused = client.refusals
    try {
      // Flows and programs turn at different speeds, so that each meets each.
      await FLOWS[turn % FLOWS.length]?.(client, world, `${tenant}-${worker}-${n}`, n + Math.floor(turn / FLOWS.length))
      const wasTold = client.refusals > refused
      const kind = wasTold ? 'told' : fromMs < warmAt ? 'cold' : tenant
      world.latencies[kind].push(performance.now() - fromMs)
    } catch (thrown) {
      const text = String(thrown)
      world.complain(text.includes('event') ? 'streams' : 'failed', text.slice(0, 500))
    }
  }
}

/** When the next run is due: its latency counts from then on, whether or not a client was free. */
function createPace(rps: number | undefined): () => Promise<number> {
  let next = performance.now()
  return async () => {
    const now = performance.now()
    if (rps === undefined) return now
    // After a standstill nothing is made up for beyond one second.
    const due = Math.max(next, now - 1_000)
    next = due + 1_000 / rps
    if (due > now) await sleep(due - now)
    return due
  }
}

async function killSome(service: LoadService, world: LoadWorld, durationMs: number, signal: AbortSignal) {
  const killed = { killedSandboxes: 0, killedUpstreams: 0 }
  const kill = (pid: number | undefined) => pid !== undefined && process.kill(pid, 'SIGKILL')
  const plan = [
    () => (killed.killedSandboxes += Number(kill(service.sandboxes()[0]))),
    () => {
      const [pid] = service.upstreams('frail')
      if (pid === undefined) return world.complain('processes', 'the upstream that is to be killed does not live')
      world.frailKilled(pid)
      killed.killedUpstreams += Number(kill(pid))
    },
    () => (killed.killedSandboxes += Number(kill(service.sandboxes().at(-1)))),
  ]
  for (const strike of plan) {
    if (!(await pause(durationMs / 4, signal))) break
    try {
      strike()
    } catch {
      // It had ended in this very moment.
    }
  }
  return killed
}

interface Watch {
  readonly service: LoadService
  readonly world: LoadWorld
  readonly startedAt: number
  readonly signal: AbortSignal
  readonly agent: Agent
  readonly refusals: () => number
}

async function watch(watched: Watch, take: (sample: LoadSample) => void): Promise<void> {
  const { service, world, startedAt, signal, refusals } = watched
  for (let n = 1; ; n++) {
    const isOver = !(await pause(SAMPLE_MS, signal))
    const sandboxes = service.sandboxes().length
    const upstreams = service.upstreams('steady').length + service.upstreams('frail').length
    if (sandboxes > MAX_SEEN) world.complain('processes', `${sandboxes} sandbox processes live; ${MAX_SEEN} may`)
    if (upstreams > 2) world.complain('processes', `${upstreams} upstream processes live; 2 were configured`)
    take({
      elapsedMs: performance.now() - startedAt,
      runs: world.runs,
      refusals: refusals(),
      rssMb: rssMb(service.pid),
      heapMb: isOver || n % HEAP_EVERY === 0 ? await service.heap.liveMb() : undefined,
      kept: await readKept(watched),
      sandboxes,
    })
    if (isOver) return
  }
}

async function readKept({ service }: Watch): Promise<number> {
  const headers = { authorization: `Bearer ${service.secrets.north}` }
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text()
  return Number(/^codeferry_runs_in_memory (\d+)/m.exec(text)?.[1])
}

/** What lives in the heap when the table of runs is full, against what lives at the end. */
function judgeMemory(world: LoadWorld, samples: readonly LoadSample[]): string | undefined {
  const full = samples.filter(({ kept }) => kept >= FULL)
  const heaps = full.flatMap(({ heapMb }) => heapMb ?? [])
  const [first] = heaps
  const last = heaps.at(-1)
  if (first === undefined || last === undefined || heaps.length < 3) return undefined
  const half = Math.floor(full.length / 2)
  const early = median(full.slice(0, half).flatMap((sample) => sample.rssMb ?? []))
  const late = median(full.slice(half).flatMap((sample) => sample.rssMb ?? []))
  const words = `live heap ${first.toFixed(0)} MB when ${FULL} ended runs were kept, ${last.toFixed(0)} MB at the end; resident (median of the halves since) ${early.toFixed(0)} and ${late.toFixed(0)} MB`
  if (last > first * 1.15 + 8 || late > early * 1.2 + 64) world.complain('service', `memory grew: ${words}`)
  return words
}

async function judgeEnd(service: LoadService, world: LoadWorld): Promise<void> {
  const { code, left } = await service.end()
  if (code !== 0) world.complain('service', `it ended with ${code} after SIGTERM`)
  if (left > 0) world.complain('processes', `${left} processes live on after the service has ended`)
  for (const trouble of service.troubles) world.complain('service', `it wrote ${trouble}`)
}

function latencyOf(values: readonly number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { runs: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** False: it is over. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch {
    return false
  }
}
