import { describe, expect, test } from 'vitest'
import type { ArtifactLimits } from '../../src/artifacts/memory.ts'
import type { ArtifactStore } from '../../src/artifacts/store.ts'

const ALL = { offset: 0, length: 1_000 }

export interface StoreParts {
  readonly limits: ArtifactLimits
  readonly nowMs: () => number
  readonly newId: () => string
}

/** What holds for artifacts wherever they are kept. */
export function artifactTests(where: string, create: (parts: StoreParts) => ArtifactStore): void {
  function storeWith(limits: Partial<ArtifactLimits> = {}) {
    let now = 0
    let id = 0
    const store = create({
      limits: { maxBytesPerOwner: 10, maxBytes: 20, maxAgeMs: 1_000, ...limits },
      nowMs: () => now,
      newId: () => String(++id),
    })
    return { store, pass: (ms: number) => void (now += ms) }
  }

  describe(`artifacts ${where}`, () => {
    test('are read in parts, by their owner alone', () => {
      const { store } = storeWith()
      expect(store.put('a', 'hello')).toEqual({ id: 'artifact-1', length: 5 })
      expect(store.read('a', 'artifact-1', { offset: 1, length: 3 })).toEqual({ text: 'ell', offset: 1, length: 5 })
      expect(store.read('b', 'artifact-1', ALL)).toBeUndefined()
      expect(store.read('a', 'artifact-9', ALL)).toBeUndefined()
    })

    test('that were just read are still their owner’s alone, and gone when they are', () => {
      const { store, pass } = storeWith()
      store.put('a', 'one')
      store.put('a', 'other')
      const read = (owner: string, id: number) => store.read(owner, `artifact-${id}`, ALL)?.text
      expect([read('a', 1), read('a', 1), read('b', 1), read('a', 2), read('a', 1)]).toEqual([
        'one',
        'one',
        undefined,
        'other',
        'one',
      ])
      store.put('a', '12345') // The oldest makes room.
      expect([read('a', 1), read('a', 2), read('a', 2)]).toEqual([undefined, 'other', 'other'])
      pass(1_000)
      expect(read('a', 2)).toBeUndefined()
    })

    test('over the bytes of an owner, that owner’s oldest go', () => {
      const { store } = storeWith()
      for (const text of ['1234', '5678', '90ab']) store.put('a', text)
      store.put('b', 'other')
      expect(['1', '2', '3'].map((id) => store.read('a', `artifact-${id}`, ALL)?.text)).toEqual([
        undefined,
        '5678',
        '90ab',
      ])
      expect(store.read('b', 'artifact-4', ALL)?.text).toBe('other')
    })

    test('over the bytes of all, the oldest go whoever owns them: session after session cannot fill the host', () => {
      const { store } = storeWith()
      for (let n = 1; n <= 100; n++) store.put(`session-${n}`, 'x'.repeat(10))
      const left = Array.from({ length: 100 }, (_, n) =>
        store.read(`session-${n + 1}`, `artifact-${n + 1}`, ALL),
      ).filter(Boolean)
      expect(left).toHaveLength(2)
      expect(store.read('session-100', 'artifact-100', ALL)?.length).toBe(10)
    })

    test('bytes are counted as UTF-8, at the limit and one over it', () => {
      const { store } = storeWith()
      expect(store.put('a', 'é'.repeat(5))).toBeDefined()
      expect(store.put('a', 'é'.repeat(5) + 'x')).toBeUndefined()
    })

    test('are gone after their time', () => {
      const { store, pass } = storeWith()
      store.put('a', 'old')
      pass(600)
      store.put('a', 'new')
      pass(500)
      expect(store.read('a', 'artifact-1', ALL)).toBeUndefined()
      expect(store.read('a', 'artifact-2', ALL)?.text).toBe('new')
    })
  })
}
