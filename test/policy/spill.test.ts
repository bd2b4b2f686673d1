import { describe, expect, test } from 'vitest'
import { utf8ByteLength } from '../../src/data/bytes.ts'
import type { ContentBlock } from '../../src/data/content.ts'
import { createSpillPolicy } from '../../src/policy/spill.ts'
import { createRig, textOf, tool } from '../pipeline/rig.ts'

const MAX = 1_000

async function spilled(content: readonly ContentBlock[], keeps = true) {
  const rig = createRig()
  const kept: string[] = []
  rig.registry.register(tool({ name: 't', execute: () => 'the value', output: { render: () => content } }))
  rig.runtime.use(
    createSpillPolicy({
      maxBytes: MAX,
      keep: async (text) => (kept.push(text), keeps ? `art-${kept.length}` : undefined),
    }),
  )
  const outcome = await rig.call('t')
  const bytes = outcome.content.reduce(
    (sum, block) => sum + utf8ByteLength(block.type === 'text' ? block.text : JSON.stringify(block)),
    0,
  )
  return { outcome, kept, bytes }
}
const text = (length: number, unit = 'x'): ContentBlock => ({ type: 'text', text: unit.repeat(length) })

describe('content', () => {
  test('at the limit stays as it is; one byte more becomes a preview and an artifact', async () => {
    const fits = await spilled([text(MAX)])
    expect(fits.kept).toEqual([])
    expect(fits.outcome.content).toEqual([text(MAX)])
    const over = await spilled([text(MAX + 1)])
    expect(over.kept).toEqual(['x'.repeat(MAX + 1)])
    expect(textOf(over.outcome)).toContain('art-1')
    expect(over.bytes).toBeLessThanOrEqual(MAX)
    expect(over.outcome).toMatchObject({ value: 'the value' })
  })

  test('is counted in bytes, and cut between characters', async () => {
    const { kept, outcome, bytes } = await spilled([text(600, '€')])
    expect(kept).toEqual(['€'.repeat(600)])
    expect(textOf(outcome)).not.toContain('\ufffd')
    expect(bytes).toBeLessThanOrEqual(MAX)
  })

  test('loses its largest block first and keeps the small ones whole', async () => {
    const { outcome, kept, bytes } = await spilled([text(100, 'a'), text(5_000, 'b'), text(100, 'c')])
    expect(kept).toEqual(['b'.repeat(5_000)])
    expect(outcome.content[0]).toEqual(text(100, 'a'))
    expect(outcome.content[2]).toEqual(text(100, 'c'))
    expect(bytes).toBeLessThanOrEqual(MAX)
  })

  test('of other kinds is replaced by a line that says what it was', async () => {
    const { outcome, kept } = await spilled([{ type: 'image', data: 'A'.repeat(4_000), mimeType: 'image/png' }])
    expect(textOf(outcome)).toMatch(/image of \d+ bytes left out.*art-1/)
    expect(JSON.parse(kept[0] ?? '')).toMatchObject({ type: 'image' })
  })

  test('that cannot be kept says so', async () => {
    const { outcome } = await spilled([text(5_000)], false)
    expect(textOf(outcome)).toContain('could not be kept')
  })
})
