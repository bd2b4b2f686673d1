/** Runs in a worker of `read-yaml.ts` and in nothing else: one text in, one message out. */
import { parentPort, workerData } from 'node:worker_threads'
import { normalize } from '@scalar/openapi-parser'
import { plainCopy } from './plain-copy.ts'
import type { ReadYaml } from './read-yaml.ts'

parentPort?.postMessage(read(workerData as string)) // Given by `readYaml`.

function read(text: string): ReadYaml {
  try {
    const value: unknown = normalize(text)
    // Shared parts become copies here, where many of them can only cost the worker's memory.
    const copied = plainCopy(value)
    if (!copied.ok) return copied
    return value === undefined ? { ok: false, reason: 'it holds no mapping' } : copied
  } catch (thrown) {
    const message = thrown instanceof Error ? (thrown.message.split('\n', 1)[0] ?? '') : 'it cannot be read'
    return { ok: false, reason: message.slice(0, 200) }
  }
}
