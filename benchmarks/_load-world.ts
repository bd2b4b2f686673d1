import { faultOf, type Answers, type LoadProgram } from './_load-programs.ts'

/** What the service promises: all must be 0. */
export interface Broken {
  /** Requests and runs that failed, but for declared backpressure and an upstream that was killed. */
  failed: number
  /** Runs with another value than the right one, or calls made twice. */
  wrong: number
  /** Streams that lost an event, gave one twice, or ended without the last one. */
  streams: number
  /** More processes than there may be, or some that were left. */
  processes: number
  /** The service's memory, its last words, its exit code. */
  service: number
}

const MAX_COMPLAINTS = 40

/** When the frail upstream was killed, and when a process that took its place had answered. */
interface Outage {
  readonly fromMs: number
  untilMs: number
  readonly pid: number
}

/** The judge: what was seen from outside, against what must be. */
export class LoadWorld {
  readonly broken: Broken = { failed: 0, wrong: 0, streams: 0, processes: 0, service: 0 }
  readonly complaints: string[] = []
  readonly latencies: Readonly<Record<'north' | 'south' | 'told' | 'cold', number[]>> = {
    north: [],
    south: [],
    told: [],
    cold: [],
  }
  runs = 0
  events = 0
  returns = 0
  /** Runs that an upstream's end took along, as it may. */
  excused = 0
  /** Runs that the upstream has answered since it was killed. */
  recovered = 0
  #outage: Outage | undefined

  complain(kind: keyof Broken, text: string): void {
    this.broken[kind] += 1
    if (this.complaints.length < MAX_COMPLAINTS) this.complaints.push(`${kind}: ${text}`)
  }

  frailKilled(pid: number): void {
    this.#outage = { fromMs: performance.now(), untilMs: Number.POSITIVE_INFINITY, pid }
  }

  /** A run that ended, as its client sees it. */
  runEnded(program: LoadProgram, run: Readonly<Record<string, unknown>>, fromMs: number): void {
    this.runs += 1
    const error = run.error as { code?: unknown; message?: unknown } | undefined // As the API has it.
    if (error !== undefined) {
      if (this.#isExcused(program, fromMs) && JSON.stringify(error).includes('UPSTREAM_UNAVAILABLE')) this.excused += 1
      else this.complain('failed', `a run ended as ${String(error.code)}: ${String(error.message).slice(0, 500)}`)
      return
    }
    const fault = faultOf(program, run.result)
    if (fault !== undefined) this.complain('wrong', `a run ${fault}`)
    if (program.usesFrail) this.#frailAnswered((run.result as Answers | undefined)?.pids ?? [])
  }

  /** Only what was under way while the upstream was gone. */
  #isExcused({ usesFrail }: LoadProgram, fromMs: number): boolean {
    const outage = this.#outage
    return usesFrail && outage !== undefined && fromMs <= outage.untilMs && performance.now() >= outage.fromMs
  }

  #frailAnswered(pids: readonly number[]): void {
    const outage = this.#outage
    if (outage === undefined || pids.every((pid) => pid === outage.pid)) return
    this.recovered += 1
    outage.untilMs = Math.min(outage.untilMs, performance.now())
  }

  judgeOutage(): void {
    if (this.#outage !== undefined && this.recovered === 0)
      this.complain('failed', 'the upstream that was killed never answered again')
  }
}
