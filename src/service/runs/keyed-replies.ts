/** An answer as it went out, for the request that comes again. */
export interface KeptReply {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** Whether the work was done, well or badly; what was refused before it began may be sent again. */
  readonly isFinal: boolean
}

export type KeyedResult<T> = { readonly kind: 'reply'; readonly reply: T } | { readonly kind: 'mismatch' | 'full' }

export interface KeyedRepliesOptions {
  readonly now: () => number
  readonly keepMs: number
  readonly maxKeysPerTenant: number
  /** Text of the answers that are kept for one tenant. */
  readonly maxCharsPerTenant: number
}

interface Entry {
  readonly digest: string
  readonly reply: Promise<KeptReply>
  readonly madeAtMs: number
  chars: number
  isOpen: boolean
}

/**
 * `Idempotency-Key` for requests whose answer is all there is of them: the work is done once, and whoever asks again
 * with the same key and body, meanwhile or later, gets the same answer. Bounded for each tenant: the oldest go first,
 * and work that is under way is never forgotten.
 */
export class KeyedReplies {
  readonly #options: KeyedRepliesOptions
  readonly #entriesByTenant = new Map<string, Map<string, Entry>>()

  constructor(options: KeyedRepliesOptions) {
    this.#options = options
  }

  /** Rejects with what `make` threw. Only final answers are kept. */
  async once(
    tenant: string,
    key: string,
    digest: string,
    make: () => Promise<KeptReply>,
  ): Promise<KeyedResult<KeptReply>> {
    const entries = this.#entriesByTenant.get(tenant) ?? new Map<string, Entry>()
    this.#entriesByTenant.set(tenant, entries)
    this.#makeRoom(entries)
    const known = entries.get(key)
    if (known !== undefined) {
      if (known.digest !== digest) return { kind: 'mismatch' }
      return { kind: 'reply', reply: await known.reply }
    }
    if (entries.size >= this.#options.maxKeysPerTenant) return { kind: 'full' }
    const entry: Entry = { digest, reply: make(), madeAtMs: this.#options.now(), chars: 0, isOpen: true }
    entries.set(key, entry)
    let isKept = false
    try {
      const reply = await entry.reply
      entry.chars = reply.body.length
      isKept = reply.isFinal && entry.chars <= this.#options.maxCharsPerTenant
      return { kind: 'reply', reply }
    } finally {
      entry.isOpen = false
      if (!isKept) entries.delete(key)
      if (entries.size === 0) this.#entriesByTenant.delete(tenant)
    }
  }

  #makeRoom(entries: Map<string, Entry>): void {
    const { now, keepMs, maxKeysPerTenant, maxCharsPerTenant } = this.#options
    let chars = 0
    for (const entry of entries.values()) chars += entry.chars
    for (const [key, entry] of entries) {
      const isSurplus = entries.size >= maxKeysPerTenant || chars > maxCharsPerTenant
      if (entry.isOpen || (entry.madeAtMs > now() - keepMs && !isSurplus)) continue
      entries.delete(key)
      chars -= entry.chars
    }
  }
}
