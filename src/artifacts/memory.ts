import { utf8ByteLength } from '../data/bytes.ts'
import type { ArtifactStore } from './store.ts'

export interface ArtifactLimits {
  readonly maxBytesPerOwner: number
  /** Over all owners: whoever opens session after session must not fill the host. The oldest go first. */
  readonly maxBytes: number
  readonly maxAgeMs: number
}

interface Kept {
  readonly owner: string
  readonly text: string
  readonly bytes: number
  readonly expiresAtMs: number
}

/** Artifacts in this process's memory: they end with it. Ids are random, so that one cannot be guessed. */
export function createMemoryArtifacts(options: {
  readonly limits: ArtifactLimits
  readonly nowMs: () => number
  readonly newId: () => string
}): ArtifactStore {
  const { limits, nowMs, newId } = options
  // In order of insertion, which is the order of age: ids of everyone, and of each owner.
  const keptById = new Map<string, Kept>()
  const idsByOwner = new Map<string, Set<string>>()
  const bytesByOwner = new Map<string, number>()
  let totalBytes = 0

  function drop(id: string, { owner, bytes }: Kept): void {
    keptById.delete(id)
    totalBytes -= bytes
    bytesByOwner.set(owner, (bytesByOwner.get(owner) ?? 0) - bytes)
    const ids = idsByOwner.get(owner)
    ids?.delete(id)
    if (ids?.size !== 0) return
    idsByOwner.delete(owner)
    bytesByOwner.delete(owner)
  }

  function dropExpired(): void {
    const now = nowMs()
    for (const [id, kept] of keptById) {
      if (kept.expiresAtMs > now) return
      drop(id, kept)
    }
  }

  function makeRoom(owner: string, bytes: number): void {
    for (const id of idsByOwner.get(owner) ?? []) {
      if ((bytesByOwner.get(owner) ?? 0) + bytes <= limits.maxBytesPerOwner) break
      const kept = keptById.get(id)
      if (kept !== undefined) drop(id, kept)
    }
    for (const [id, kept] of keptById) {
      if (totalBytes + bytes <= limits.maxBytes) break
      drop(id, kept)
    }
  }

  return {
    put(owner, text) {
      const bytes = utf8ByteLength(text)
      if (bytes > limits.maxBytesPerOwner || bytes > limits.maxBytes) return undefined
      dropExpired()
      makeRoom(owner, bytes)
      const id = `artifact-${newId()}`
      keptById.set(id, { owner, text, bytes, expiresAtMs: nowMs() + limits.maxAgeMs })
      const ids = idsByOwner.get(owner) ?? new Set<string>()
      idsByOwner.set(owner, ids.add(id))
      bytesByOwner.set(owner, (bytesByOwner.get(owner) ?? 0) + bytes)
      totalBytes += bytes
      return { id, length: text.length }
    },
    release(owner) {
      for (const id of idsByOwner.get(owner) ?? []) {
        const kept = keptById.get(id)
        if (kept !== undefined) drop(id, kept)
      }
    },
    read(owner, id, { offset, length }) {
      dropExpired()
      const kept = keptById.get(id)
      if (kept === undefined || kept.owner !== owner) return undefined
      return { text: kept.text.slice(offset, offset + length), offset, length: kept.text.length }
    },
  }
}
