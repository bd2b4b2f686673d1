import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { CodedError, thrownMessage } from '../data/failure.ts'
import { EmbeddedBerth, type CreateEmbeddedChild } from './embedded-berth.ts'
import type { Executor, ExecutorLoad, ExecutorReport, Run, RunHost, RunRequest } from './executor.ts'
import { LiveRun, type LiveRunOptions } from './live-run.ts'
import { findAddon, findBundle } from './sandbox-files.ts'

export interface InProcessExecutorOptions {
  /** Programs that may be under way at a time. Default 128. */
  readonly maxRuns?: number
  /** Programs that may wait for one of these to end. Default 512. */
  readonly maxQueue?: number
}

/** What is given up, in words for a report and for whoever asked for it. */
export const IN_PROCESS_WARNING =
  'programs run inside the host process: no process wall stands. A program that breaks out of V8 has everything the ' +
  'host has; one that exhausts memory or hangs a built-in takes the host with it; and while one computes, the host stands still'

/**
 * **Not a sandbox for hostile programs.** Isolates in the host's own process: the guest, the wire checks and the limits
 * of V8 are those of the process executor, but the process wall does not stand, and neither does anything that needs
 * it: confinement, the kill from outside, the memory watch, the separation of tenants. Each slice blocks the host's
 * event loop for as long as it lasts (at most `cpuMs`), so a run cannot be cancelled while it computes.
 *
 * For tests, for trusted programs, and where no process may be started. Refused with `SANDBOX_UNAVAILABLE` where this
 * Node cannot hold isolates (an older one may need `--no-node-snapshot`).
 */
export async function createInProcessExecutor(options: InProcessExecutorOptions = {}): Promise<Executor> {
  const addon = findAddon()
  await probeInProcess(addon)
  // Loaded here and not before: a host that uses child processes never has isolated-vm in it.
  const bundle: { readonly createEmbeddedChild: CreateEmbeddedChild } = await import(
    pathToFileURL(findBundle('embedded.mjs')).href
  )
  const berth = new EmbeddedBerth({
    createChild: bundle.createEmbeddedChild,
    addon,
    maxRuns: options.maxRuns ?? 128,
    maxQueue: options.maxQueue ?? 512,
  })
  return new InProcessExecutor(berth, {
    isolation: 'in-process',
    node: { path: process.execPath, version: process.version },
    isolatedVm: { ok: true, detail: addon },
    confinement: { level: 'none', walls: [{ name: 'process', stands: false, detail: IN_PROCESS_WARNING }] },
  })
}

const PROBE = `
const ivm = require(process.argv[1])
const isolate = new ivm.Isolate({ memoryLimit: 16 })
if (isolate.createContextSync().evalSync('1 + 1') !== 2) process.exit(1)
isolate.dispose()`

/** Makes an isolate in a process like this one, as trying it here could crash the host. Throws when it does not work. */
export async function probeInProcess(addon = findAddon()): Promise<void> {
  const flags = process.execArgv.filter((flag) => flag.includes('node-snapshot') || flag === '--jitless')
  const { NODE_OPTIONS } = process.env
  try {
    await promisify(execFile)(process.execPath, [...flags, '-e', PROBE, addon], {
      timeout: 20_000,
      env: NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS },
    })
  } catch (thrown) {
    const [reason = ''] = thrownMessage(thrown)
      .split('\n')
      .filter((line) => /error/i.test(line))
      .slice(-1)
    throw new CodedError(
      'SANDBOX_UNAVAILABLE',
      `isolation "in-process": Node ${process.version} cannot hold isolates when started like this` +
        `${reason === '' ? '' : ` (${reason.trim()})`}; start it with --no-node-snapshot, use Node 24 or newer, or use isolation "process"`,
    )
  }
}

/** No second isolate could go on where the first was lost: what is lost here is lost with the host. */
const RUN_OPTIONS: LiveRunOptions = {
  maxResumes: 0,
  maxReplayBytes: 0,
  graceMs: 250,
  sharedSliceMs: Infinity,
  // There is no record to go on from.
  parkAfterMs: 2 ** 31 - 1,
}

class InProcessExecutor implements Executor {
  readonly #berth: EmbeddedBerth
  readonly #report: ExecutorReport
  readonly #runs = new Set<LiveRun>()

  constructor(berth: EmbeddedBerth, report: ExecutorReport) {
    this.#berth = berth
    this.#report = report
  }

  expect(): void {
    this.#berth.expect()
  }

  start(request: RunRequest, host: RunHost): Run {
    const run = new LiveRun(request, host, this.#berth, RUN_OPTIONS)
    this.#runs.add(run)
    void run.ending.then(() => this.#runs.delete(run))
    return run
  }

  report(): Promise<ExecutorReport> {
    return Promise.resolve(this.#report)
  }

  load(): ExecutorLoad {
    return { children: 0, runs: this.#runs.size, waiting: this.#runs.size - this.#berth.load }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const endings = [...this.#runs].map((run) => (run.cancel('the executor was closed'), run.ending))
    await Promise.all(endings)
    this.#berth.close()
  }
}
