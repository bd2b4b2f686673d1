import { createHash } from 'node:crypto'

/** Keeps the newest results by the text they were made of, within a number of entries and of characters. */
export interface TextCache<T> {
  get(text: string): T | undefined
  set(text: string, value: T, size: number): void
}

export function createTextCache<T>(limits: { maxEntries: number; maxSize: number }): TextCache<T> {
  // A Map iterates in the order of insertion: the first key is the one that was not asked for the longest.
  const entriesByHash = new Map<string, { readonly value: T; readonly size: number }>()
  let total = 0
  const drop = (hash: string) => {
    total -= entriesByHash.get(hash)?.size ?? 0
    entriesByHash.delete(hash)
  }
  return {
    get(text) {
      const hash = hashOf(text)
      const entry = entriesByHash.get(hash)
      if (entry === undefined) return undefined
      entriesByHash.delete(hash)
      entriesByHash.set(hash, entry)
      return entry.value
    },
    set(text, value, size) {
      const hash = hashOf(text)
      drop(hash)
      if (size > limits.maxSize) return
      entriesByHash.set(hash, { value, size })
      total += size
      for (const oldest of entriesByHash.keys()) {
        if (entriesByHash.size <= limits.maxEntries && total <= limits.maxSize) break
        drop(oldest)
      }
    },
  }
}

/** Over the UTF-16 units: in UTF-8 all lone surrogates are the same text. */
function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('base64')
}
