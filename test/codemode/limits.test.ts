import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_LIMITS, resolveLimits } from '../../src/codemode/limits.ts'

test('docs/limits.md gives every limit and its default', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map(([, name, value]) => [name, Number(value)])
  expect(Object.fromEntries(listed)).toEqual(DEFAULT_LIMITS)
})

test('a limit that is given replaces the default, and the others stay', () => {
  expect(resolveLimits(DEFAULT_LIMITS, { wallMs: 500 })).toEqual({ ...DEFAULT_LIMITS, wallMs: 500 })
})

test.each([
  ['zero', { cpuMs: 0 }, 'cpuMs must be an integer'],
  ['a fraction', { memoryMb: 1.5 }, 'memoryMb must be an integer'],
  ['not a number', { wallMs: Number.NaN }, 'wallMs must be an integer'],
  ['more than a timer can hold', { approvalMs: 2 ** 31 }, 'approvalMs must be an integer'],
  ['a name that is no limit', { walMs: 1 } as object, 'walMs is not a limit'],
])('%s is refused with the name of the limit', (_, overrides, message) => {
  expect(() => resolveLimits(DEFAULT_LIMITS, overrides)).toThrow(message)
})

test('all wrong limits are named at once', () => {
  expect(() => resolveLimits(DEFAULT_LIMITS, { cpuMs: -1, wallMs: 0 })).toThrow(/cpuMs.*wallMs/)
})
