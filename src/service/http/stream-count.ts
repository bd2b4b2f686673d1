/** How many event streams each tenant has open. */
export class StreamCount {
  readonly #max: number
  readonly #countByTenant = new Map<string, number>()

  constructor(maxPerTenant: number) {
    this.#max = maxPerTenant
  }

  get total(): number {
    return [...this.#countByTenant.values()].reduce((sum, count) => sum + count, 0)
  }

  /** What ends the stream's place, or undefined when the tenant has too many. */
  begin(tenant: string): (() => void) | undefined {
    const count = this.#countByTenant.get(tenant) ?? 0
    if (count >= this.#max) return undefined
    this.#countByTenant.set(tenant, count + 1)
    return () => {
      const left = (this.#countByTenant.get(tenant) ?? 1) - 1
      if (left > 0) this.#countByTenant.set(tenant, left)
      else this.#countByTenant.delete(tenant)
    }
  }
}
