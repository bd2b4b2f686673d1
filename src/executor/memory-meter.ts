import { readFileSync } from 'node:fs'
import { processLine } from './process-tree.ts'

const PAGE_BYTES = 4_096
const GLANCE_MS = 25

export interface MemoryReading {
  readonly rssBytes: number
  /** Since the first look within the same slice. */
  readonly growthBytes: number
}

/** Resident memory of one child, seen from outside, and how it grows within a slice. */
export class MemoryMeter {
  readonly #pid: number
  #slice: number | undefined
  #baseBytes = 0
  /** The last reading between slices or in the one before: better than the first within. */
  #lastBytes: number | undefined
  #glancedAt = -Infinity
  #glancedBytes = 0

  constructor(pid: number) {
    this.#pid = pid
  }

  /** Resident memory as it was some milliseconds ago: for choices that are made often. */
  glance(): number {
    const now = performance.now()
    if (now - this.#glancedAt >= GLANCE_MS) {
      this.#glancedAt = now
      this.#glancedBytes = readLineRssBytes(this.#pid) ?? 0
    }
    return this.#glancedBytes
  }

  /** Undefined: the process is gone, or there is no /proc. */
  look(slice: number): MemoryReading | undefined {
    const rssBytes = readLineRssBytes(this.#pid)
    if (rssBytes === undefined) return undefined
    if (this.#slice !== slice) {
      this.#slice = slice
      this.#baseBytes = Math.min(this.#lastBytes ?? rssBytes, rssBytes)
    }
    this.#lastBytes = rssBytes
    return { rssBytes, growthBytes: rssBytes - this.#baseBytes }
  }
}

/** With what a wrapper started. */
function readLineRssBytes(pid: number): number | undefined {
  const own = readRssBytes(pid)
  if (own === undefined) return undefined
  return processLine(pid)
    .slice(1)
    .reduce((total, child) => total + (readRssBytes(child) ?? 0), own)
}

/** Resident memory of one process. */
export function readRssBytes(pid: number): number | undefined {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]
    return pages === undefined ? undefined : Number(pages) * PAGE_BYTES
  } catch {
    return undefined
  }
}
