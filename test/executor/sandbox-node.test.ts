import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveSandboxNode } from '../../src/executor/sandbox-node.ts'

let scratch: string
let old: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'sandbox-node-'))
  old = join(scratch, 'node')
  writeFileSync(old, '#!/bin/sh\necho v20.19.0\n')
  chmodSync(old, 0o755)
})
afterAll(() => rmSync(scratch, { recursive: true }))

describe('the Node of the children', () => {
  test('an option wins over the environment', () => {
    const found = resolveSandboxNode({ explicit: process.execPath, env: { CODEFERRY_NODE: old } })
    expect(found).toEqual({ path: process.execPath, version: process.version, source: 'option' })
  })

  test('the environment wins over the pinned package', () => {
    const found = resolveSandboxNode({ env: { CODEFERRY_NODE: process.execPath } })
    expect(found).toMatchObject({ path: process.execPath, source: 'CODEFERRY_NODE' })
  })

  test('without a choice it is the pinned package or the running Node, at least 24', () => {
    const { version, source } = resolveSandboxNode({ env: {} })
    expect(['pinned package', 'running Node']).toContain(source)
    expect(Number(/^v(\d+)/.exec(version)?.[1])).toBeGreaterThanOrEqual(24)
  })

  test.each<[string, () => string, RegExp]>([
    ['too old', () => old, /must be version 24 or newer; it says "v20\.19\.0"/],
    ['not there', () => join(scratch, 'missing'), /does not start/],
  ])('a chosen Node that is %s is refused, not replaced by another', (_name, path, message) => {
    const resolve = () => resolveSandboxNode({ env: { CODEFERRY_NODE: path() } })
    expect(resolve).toThrow(
      expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE', message: expect.stringMatching(message) }),
    )
  })
})
