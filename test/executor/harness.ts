import { execFileSync } from 'node:child_process'
import type {
  Binding,
  Executor,
  GuestCall,
  GuestReply,
  Run,
  RunLimits,
  RunRequest,
} from '../../src/executor/executor.ts'

export const LIMITS: RunLimits = {
  cpuMs: 5_000,
  wallMs: 20_000,
  drainMs: 500,
  memoryMb: 64,
  maxPendingCalls: 256,
  maxLogBytes: 1 << 20,
  maxResultBytes: 8 << 20,
  maxValueBytes: 16 << 20,
}

export interface Started {
  readonly run: Run
  /** Every call that reached the host, in order. */
  readonly calls: GuestCall[]
}
export type Tool = (args: unknown, call: GuestCall) => unknown
export interface StartOptions {
  readonly tenant?: string
  readonly limits?: Partial<RunLimits>
  readonly signal?: AbortSignal
  readonly tools?: Readonly<Record<string, Tool>>
}

/** Starts a program whose `tools` are plain functions; `echo` is always there. */
export function start(executor: Pick<Executor, 'start'>, program: string, options: StartOptions = {}): Started {
  const tools = new Map<string, Tool>(Object.entries({ echo: (args: unknown) => args, ...options.tools }))
  const calls: GuestCall[] = []
  const bindings: Binding[] = [...tools.keys()].map((name) => ({ name, path: [name], required: [] }))
  const request: RunRequest = {
    runId: 'run',
    tenant: options.tenant ?? 'tenant',
    code: `(async () => {${program}\n})`,
    bindings,
    limits: { ...LIMITS, ...options.limits },
    signal: options.signal ?? new AbortController().signal,
    startTimeMs: 1_700_000_000_000,
    seed: '000102030405060708090a0b0c0d0e0f',
  }
  const run = executor.start(request, {
    async call(call): Promise<GuestReply> {
      calls.push(call)
      const value = await tools.get(call.name)?.(JSON.parse(call.argumentsJson), call)
      return { ok: true, json: JSON.stringify(value ?? null) }
    },
  })
  return { run, calls }
}

export async function run(executor: Pick<Executor, 'start'>, program: string, options: StartOptions = {}) {
  const { run: started, calls } = start(executor, program, options)
  return { ...(await started.ending), calls }
}

/** Sandbox processes that this process has started and that still live, as the kernel lists them. */
export function livingChildren(parent = process.pid): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [pid, ppid, stat, ...args] = line.trim().split(/\s+/)
    const isOurs = Number(ppid) === parent && !stat?.startsWith('Z') && args.join(' ').includes('child.cjs')
    return isOurs ? [Number(pid)] : []
  })
}

export function never(): Promise<never> {
  return new Promise(() => {})
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}
