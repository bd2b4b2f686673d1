import { expect, test } from 'vitest'
import { createMemoryArtifacts } from '../../src/artifacts/memory.ts'
import { artifactTests } from './store-tests.ts'

artifactTests('in memory', createMemoryArtifacts)

test('what an owner has in memory can be let go of, and nothing else', () => {
  const store = createMemoryArtifacts({
    limits: { maxBytesPerOwner: 10, maxBytes: 20, maxAgeMs: 1_000 },
    nowMs: () => 0,
    newId: () => 'x',
  })
  store.put('a', 'of a')
  store.release?.('b')
  expect(store.read('a', 'artifact-x', { offset: 0, length: 9 })?.text).toBe('of a')
  store.release?.('a')
  expect(store.read('a', 'artifact-x', { offset: 0, length: 9 })).toBeUndefined()
})
