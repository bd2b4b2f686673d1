/** Upper bounds in seconds: from a call inside this process to a question that a person thinks about. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const

/** How long things took, in the buckets of Prometheus. */
export class Histogram {
  readonly #counts = Array.from({ length: BOUNDS.length + 1 }, () => 0)
  #sumSeconds = 0

  add(seconds: number): void {
    const index = BOUNDS.findIndex((bound) => seconds <= bound)
    const bucket = index === -1 ? BOUNDS.length : index
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sumSeconds += seconds
  }

  merge(other: Histogram): void {
    for (const [index, count] of other.#counts.entries()) this.#counts[index] = (this.#counts[index] ?? 0) + count
    this.#sumSeconds += other.#sumSeconds
  }

  /** Lines of the text format. `label` is one rendered label, or empty. */
  lines(name: string, label: string): readonly string[] {
    const labels = label === '' ? '' : `{${label}}`
    const lines: string[] = []
    let total = 0
    for (const [index, count] of this.#counts.entries()) {
      total += count
      const bound = `le="${BOUNDS[index] ?? '+Inf'}"`
      lines.push(`${name}_bucket{${label === '' ? bound : `${label},${bound}`}} ${total}`)
    }
    lines.push(`${name}_sum${labels} ${Number(this.#sumSeconds.toFixed(6))}`, `${name}_count${labels} ${total}`)
    return lines
  }
}
