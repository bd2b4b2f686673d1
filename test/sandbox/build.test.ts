import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildSandbox } from '../../sandbox/build.ts'

test('the committed bundles are what the sources give, byte for byte, twice', async () => {
  const [first, second] = [await buildSandbox(), await buildSandbox()]
  expect([...second]).toEqual([...first])
  for (const [path, text] of first)
    expect(readFileSync(path, 'utf8') === text, `${path}: run node sandbox/build.ts`).toBe(true)
})

test('the bundles name nothing of the machine they were made on', async () => {
  for (const [, text] of await buildSandbox()) {
    expect(text).not.toContain(process.cwd())
    expect(text).not.toMatch(/sourceMappingURL=data/)
  }
})
