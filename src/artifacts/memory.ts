import { utf8ByteLength } from '../data/bytes.ts'
import type { ArtifactStore } from './store.ts'

export interface ArtifactLimits {
  readonly maxBytesPerOwner: number
  readonly maxAgeMs: number
}

interface Kept {
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
  const byOwner = new Map<string, Map<string, Kept>>()

  function livingOf(owner: string): Map<string, Kept> {
    const kept = byOwner.get(owner) ?? new Map<string, Kept>()
    byOwner.set(owner, kept)
    for (const [id, artifact] of kept) if (artifact.expiresAtMs <= nowMs()) kept.delete(id)
    return kept
  }

  return {
    put(owner, text) {
      const bytes = utf8ByteLength(text)
      if (bytes > limits.maxBytesPerOwner) return undefined
      const kept = livingOf(owner)
      let total = bytes
      for (const artifact of kept.values()) total += artifact.bytes
      // Map order is order of insertion: the oldest go first.
      for (const [id, artifact] of kept) {
        if (total <= limits.maxBytesPerOwner) break
        kept.delete(id)
        total -= artifact.bytes
      }
      const id = `artifact-${newId()}`
      kept.set(id, { text, bytes, expiresAtMs: nowMs() + limits.maxAgeMs })
      return { id, length: text.length }
    },
    read(owner, id, { offset, length }) {
      const artifact = livingOf(owner).get(id)
      if (artifact === undefined) return undefined
      return { text: artifact.text.slice(offset, offset + length), offset, length: artifact.text.length }
    },
  }
}
