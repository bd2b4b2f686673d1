import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createSqliteArtifacts } from '../../src/artifacts/sqlite.ts'
import { artifactTests } from './store-tests.ts'

const folder = mkdtempSync(join(tmpdir(), 'codeferry-artifacts-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const LIMITS = { maxBytesPerOwner: 100, maxBytes: 200, maxAgeMs: 1_000 }

artifactTests('in a file', (parts) => createSqliteArtifacts({ ...parts, path: join(folder, `${++files}.artifacts`) }))

test('the file is made with the first artifact, for its owner alone, and what is in it outlives the store', () => {
  const path = join(folder, 'kept.artifacts')
  const parts = { path, limits: LIMITS, nowMs: () => 0, newId: () => '7' }
  {
    using store = createSqliteArtifacts(parts)
    expect(existsSync(path)).toBe(false)
    store.put('a', 'añ🚀b')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  }
  using again = createSqliteArtifacts(parts)
  expect(again.read('a', 'artifact-7', { offset: 2, length: 2 })).toEqual({ text: '🚀', offset: 2, length: 5 })
  expect(again.read('b', 'artifact-7', { offset: 0, length: 9 })).toBeUndefined()
})

test('a store that is closed takes and gives nothing', () => {
  const store = createSqliteArtifacts({
    path: join(folder, 'closed.artifacts'),
    limits: LIMITS,
    nowMs: () => 0,
    newId: () => '1',
  })
  store.put('a', 'x')
  store[Symbol.dispose]()
  expect(store.put('a', 'y')).toBeUndefined()
  expect(store.read('a', 'artifact-1', { offset: 0, length: 1 })).toBeUndefined()
})
