import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Reference figures stand beside the measured ones; nothing here judges. */
export interface Target {
  readonly p50?: number
  readonly p99?: number
}

export interface Row {
  readonly name: string
  readonly samples: number
  readonly min: number
  readonly p50: number
  readonly p99: number
  /** p50 against that of the first row of the table: the figure to trust between machines. */
  readonly ratio: number
  readonly target?: Target
}

export interface Table {
  readonly title: string
  readonly unit: Unit
  /** What one sample is. */
  readonly sample: string
  readonly rows: readonly Row[]
}

export type Unit = 'ns' | 'ns per tool' | 'µs' | 'ms' | 'bytes' | 'MB' | 'tokens' | 'errors' | 'arguments' | 'tools'

export interface Variant {
  readonly name: string
  readonly target?: Target
  /** One round: its samples, in the unit of the table. */
  round(): Promise<readonly number[]>
}

export type Size = 'full' | 'tiny'

export interface BenchmarkOptions {
  /** A folder of tool catalogs to measure with. */
  readonly corpus?: string
}

/** How it measures, in words, and its tables. The first table becomes the chart. */
export interface Benchmark {
  readonly method: readonly string[]
  measure(size: Size, options?: BenchmarkOptions): Promise<readonly Table[]>
}

export interface Rounds {
  readonly warmUp: number
  readonly measured: number
}

/**
 * Measures the variants against each other: every round runs all of them, each time beginning with another one, so that
 * a busy moment of the machine and the growth of the heap fall on all alike.
 */
export async function compare(
  title: string,
  unit: Unit,
  sample: string,
  rounds: Rounds,
  variants: readonly Variant[],
): Promise<Table> {
  const samplesByVariant = variants.map((): number[] => [])
  for (let round = -rounds.warmUp; round < rounds.measured; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const index = (turn + round + rounds.warmUp) % variants.length
      collectGarbage('young')
      const samples = (await variants[index]?.round()) ?? []
      if (round >= 0) samplesByVariant[index]?.push(...samples)
    }
    note(`${title}: round ${round + rounds.warmUp + 1} of ${rounds.warmUp + rounds.measured}`)
  }
  return {
    title,
    unit,
    sample,
    rows: toRows(variants.map(({ name, target }, index) => ({ name, target, samples: samplesByVariant[index] ?? [] }))),
  }
}

/** Rows of samples that were taken elsewhere. */
export function toRows(
  measured: readonly {
    readonly name: string
    readonly samples: readonly number[]
    readonly target?: Target | undefined
  }[],
): readonly Row[] {
  const sorted = measured.map(({ samples }) => samples.toSorted((a, b) => a - b))
  const base = quantile(sorted[0] ?? [], 0.5)
  return measured.map(({ name, target }, index) => {
    const samples = sorted[index] ?? []
    if (samples.length === 0) throw new Error(`benchmark: "${name}" gave no samples`)
    const p50 = quantile(samples, 0.5)
    return {
      name,
      samples: samples.length,
      min: quantile(samples, 0),
      p50,
      p99: quantile(samples, 0.99),
      // Nothing is as much as nothing.
      ratio: p50 === base ? 1 : p50 / base,
      ...(target !== undefined && { target }),
    }
  })
}

/** Of sorted samples; the sample itself, never a mean of two. */
function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

/**
 * `young`: between variants, so that what one leaves behind is not collected in the time of the next. `all`: before the
 * heap is read, and only there: a full collection makes V8 shrink its nursery and forget code, and calls then take
 * twice as long for a while.
 */
export function collectGarbage(what: 'young' | 'all'): void {
  if (globalThis.gc === undefined) {
    throw new Error('benchmarks need --expose-gc: start them with "npm run bench -- <name>"')
  }
  if (what === 'young') globalThis.gc({ type: 'minor' })
  else globalThis.gc()
}

/** For whoever waits at a terminal; never in the way of the output. */
export function note(text: string): void {
  if (process.stderr.isTTY) writeSync(process.stderr.fd, `\r\u001b[K${text}`)
}

export function clearNotes(): void {
  if (process.stderr.isTTY) writeSync(process.stderr.fd, '\r\u001b[K')
}

/** Lets the timers and pipes of the product have their turn. */
export async function rest(ms: number): Promise<void> {
  await sleep(ms)
}
