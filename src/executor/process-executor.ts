import { CodedError, thrownMessage } from '../data/failure.ts'
import { ChildLink, type ChildLinkOptions } from './child-link.ts'
import { probeConfinement, type ConfinementLevel } from './confinement.ts'
import { findTool } from './confinement-ladder.ts'
import type { Executor, ExecutorLoad, ExecutorReport, Run, RunHost, RunRequest } from './executor.ts'
import { LiveRun } from './live-run.ts'
import { Pool } from './pool.ts'
import { createPrivateRoot } from './private-root.ts'
import { MAX_SPARE_ISOLATES } from './spare-orders.ts'
import { watchRss } from './rss-watch.ts'
import { findAddon, findBundle } from './sandbox-files.ts'
import { resolveSandboxNode } from './sandbox-node.ts'

export interface ProcessExecutorOptions {
  /** Path of the Node that runs children; otherwise `CODEFERRY_NODE`, the pinned package, or the running Node. */
  readonly node?: string
  readonly requireConfinement?: ConfinementLevel
  readonly maxChildren?: number
  readonly childrenPerTenant?: number
  readonly maxRunsPerChild?: number
  readonly maxQueue?: number
  readonly maxResumes?: number
  /** Record kept per run to resume it from; a run over it is lost with its child. */
  readonly maxReplayBytes?: number
  /** Resident memory of one child, over all runs in it. */
  readonly childRssMb?: number
  /** How long after the end of a slice the host waits before it kills. */
  readonly graceMs?: number
  readonly sharedSliceMs?: number
  readonly parkAfterMs?: number
  readonly recycleAfterRuns?: number
  readonly recycleAfterMs?: number
  readonly hasWarmSpare?: boolean
  /** V8 without its compilers: a class of V8 bugs less, and slow. */
  readonly isHardened?: boolean
}

type Config = Required<Omit<ProcessExecutorOptions, 'node'>> & { readonly node: string | undefined }

function resolveConfig(options: ProcessExecutorOptions): Config {
  return {
    node: options.node,
    requireConfinement: options.requireConfinement ?? 'basic',
    maxChildren: options.maxChildren ?? 8,
    childrenPerTenant: options.childrenPerTenant ?? 2,
    maxRunsPerChild: options.maxRunsPerChild ?? 128,
    maxQueue: options.maxQueue ?? 512,
    maxResumes: options.maxResumes ?? 3,
    maxReplayBytes: options.maxReplayBytes ?? 64 * 2 ** 20,
    childRssMb: options.childRssMb ?? 1_024,
    graceMs: options.graceMs ?? 250,
    sharedSliceMs: options.sharedSliceMs ?? 250,
    parkAfterMs: options.parkAfterMs ?? 30_000,
    recycleAfterRuns: options.recycleAfterRuns ?? 2_000,
    recycleAfterMs: options.recycleAfterMs ?? 3_600_000,
    hasWarmSpare: options.hasWarmSpare ?? true,
    isHardened: options.isHardened ?? false,
  }
}

const READY_MS = 15_000
const BUSY_MS = 50

/**
 * The executor of the service: isolates in a pool of confined child processes. Refused with `SANDBOX_UNAVAILABLE` when
 * no child can be started here, or none that is confined as required.
 */
export async function createProcessExecutor(options: ProcessExecutorOptions = {}): Promise<Executor> {
  const config = resolveConfig(options)
  const node = resolveSandboxNode({ explicit: config.node, env: process.env })
  const addon = findAddon()
  const root = makeRoot(node.path, addon)
  try {
    const rssBytes = config.childRssMb * 2 ** 20
    const confinement = await probeConfinement({
      root,
      require: config.requireConfinement,
      dataBytes: rssBytes + reservedBytes(config),
      nodeFlags: [...memoryFlags(node.version), ...(config.isHardened ? ['--jitless'] : [])],
    })
    const mkfifo = findTool('mkfifo')
    let slot = 0
    const spawn = (events: Pick<ChildLinkOptions, 'onReady' | 'onChange' | 'onExit'>) => {
      slot += 1
      return new ChildLink({
        command: confinement.childCommand(slot),
        ...(mkfifo !== undefined && { fifo: { mkfifo, directory: root.fifoPath, name: String(slot) } }),
        readyMs: READY_MS,
        graceMs: config.graceMs,
        ...events,
      })
    }
    const pool = new Pool({ ...config, busyMs: BUSY_MS, spawn })
    const rss = watchRss(() => pool.links, rssBytes)
    await pool.warm().catch(async (thrown: unknown) => {
      rss.stop()
      await pool.close()
      throw new CodedError('SANDBOX_UNAVAILABLE', `the sandbox process does not start: ${thrownMessage(thrown)}`)
    })
    const report: ExecutorReport = {
      isolation: 'process',
      node: { path: node.path, version: node.version },
      isolatedVm: { ok: true, detail: confinement.addon },
      confinement: {
        level: confinement.report.level,
        walls: [
          ...confinement.report.walls,
          {
            name: 'memory watch',
            stands: rss.isWatching,
            detail: rss.isWatching
              ? `killed over ${config.childRssMb} MB`
              : 'no /proc here: resident memory is not watched',
          },
        ],
      },
    }
    return new ProcessExecutor({ config, pool, report, release: () => (rss.stop(), root.remove()) })
  } catch (thrown) {
    root.remove()
    throw thrown
  }
}

class ProcessExecutor implements Executor {
  readonly #parts: {
    readonly config: Config
    readonly pool: Pool
    readonly report: ExecutorReport
    readonly release: () => void
  }
  readonly #runs = new Set<LiveRun>()
  #closing: Promise<void> | undefined

  /** For a host that exits without closing: children that hang in an isolate do not see their pipe end. */
  readonly #onExit = () => {
    for (const link of this.#parts.pool.links) link.kill('closed', 'the host exited')
    this.#parts.release()
  }

  constructor(parts: { config: Config; pool: Pool; report: ExecutorReport; release: () => void }) {
    this.#parts = parts
    process.once('exit', this.#onExit)
  }

  expect(tenant: string): void {
    this.#parts.pool.expect(tenant)
  }

  start(request: RunRequest, host: RunHost): Run {
    const run = new LiveRun(request, host, this.#parts.pool, this.#parts.config)
    this.#runs.add(run)
    void run.ending.then(() => this.#runs.delete(run))
    return run
  }

  report(): Promise<ExecutorReport> {
    return Promise.resolve(this.#parts.report)
  }

  load(): ExecutorLoad {
    const { pool } = this.#parts
    return { children: [...pool.links].length, runs: this.#runs.size, waiting: pool.queueLength }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    for (const run of this.#runs) run.cancel('the executor was closed')
    await this.#parts.pool.close()
    process.off('exit', this.#onExit)
    this.#parts.release()
  }
}

/**
 * V8 reserves 512 MB of writable address space for the code of each isolate and touches next to nothing of it, but
 * `RLIMIT_DATA` counts all. So that limit only stops floods of mappings; resident memory is what the watch bounds.
 */
function reservedBytes({ maxRunsPerChild, isHardened }: Config): number {
  const isolates = isHardened ? 0 : maxRunsPerChild + MAX_SPARE_ISOLATES + 1
  return 256 * 2 ** 20 + isolates * 516 * 2 ** 20
}

/**
 * V8 14 hands the pages of an isolate that ends to the other isolates, to be released by tasks of theirs. A child runs no
 * tasks: without this flag it keeps most of what a burst took, for good. Other versions may not know it, and a Node with
 * an unknown flag does not start.
 */
function memoryFlags(version: string): readonly string[] {
  return version.startsWith('v26.') ? ['--no-memory-pool-share-memory-on-teardown'] : []
}

function makeRoot(node: string, addon: string) {
  const bundle = findBundle('child.cjs')
  const programs = ['setpriv', 'prlimit'].flatMap((name) => findTool(name) ?? [])
  try {
    return createPrivateRoot({ node, bundle, addon, programs })
  } catch (thrown) {
    throw new CodedError('SANDBOX_UNAVAILABLE', `the sandbox’s directory cannot be made: ${thrownMessage(thrown)}`)
  }
}
