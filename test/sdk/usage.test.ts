import { describe, expect, test } from 'vitest'
import { renderSdk } from '../../src/sdk/render.ts'
import { fillTemplate } from '../../src/sdk/templates.ts'
import { runCodeDescription, systemPrompt } from '../../src/sdk/usage.ts'
import { render, viewOf } from './sdk-fixtures.ts'
import { FACTS, TEMPLATES } from './template-fixtures.ts'

const tools = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `t${at}`,
    description: 'Does things. '.repeat(10),
    inputSchema: { type: 'object' },
  }))

describe('what a model reads about programs', () => {
  test('carries the SDK, the limits and an example that is a real call', () => {
    const text = runCodeDescription(render(tools(2)), FACTS, TEMPLATES)
    expect(text).toContain('await tools.srv.t0(args)')
    expect(text).toContain('10 s of computing, 120 s in all, 128 MB of memory, 1000 calls, 32 KiB')
    expect(text).toContain(`\`\`\`ts\n${render(tools(2)).text}\`\`\``)
    expect(text).not.toMatch(/\{\{|\}\}/)
  })

  test('speaks of search and describe only when the SDK is an index', () => {
    expect(runCodeDescription(render(tools(2)), FACTS, TEMPLATES)).not.toContain('sdk.describe(["name"])`')
    const index = runCodeDescription(render(tools(60), { level: 'L1' }), FACTS, TEMPLATES)
    expect(index).toContain('await sdk.search("words")')
    expect(index).toContain('sdk.describe(["name"])')
  })

  test('speaks of tools.full unless a tool has that name', () => {
    const named = (name: string) => {
      const { view, names } = viewOf([{ ...tools(1)[0], name }])
      return runCodeDescription(renderSdk(view, names), FACTS, TEMPLATES)
    }
    expect(named('other')).toContain('await tools.full("exact name", args)')
    expect(named('full')).not.toContain('tools.full("exact name"')
    expect(named('full')).toContain('`show(block)` passes on an image or another content block.')
  })

  test('says of type checks what is true', () => {
    const said = (typecheck: 'error' | 'notice' | 'off') =>
      runCodeDescription(render(tools(1)), { ...FACTS, typecheck }, TEMPLATES)
    expect(said('error')).toContain('one with a type error does not start')
    expect(said('notice')).toContain('type errors come back as notices')
    expect(said('off')).not.toContain('type-checked')
  })

  test('says in the system prompt whether tools can be called directly', () => {
    expect(systemPrompt(render(tools(1)), FACTS, TEMPLATES)).toContain('The tools cannot be called directly.')
    expect(systemPrompt(render(tools(1)), { ...FACTS, mode: 'both' }, TEMPLATES)).toContain(
      'You can also call the tools directly',
    )
  })

  test('costs little beside the SDK itself', () => {
    const rendered = render(tools(1))
    expect(runCodeDescription(rendered, FACTS, TEMPLATES).length - rendered.text.length).toBeLessThan(2_800)
  })

  test('is the same text for the same facts', () => {
    const text = () => systemPrompt(render(tools(5)), FACTS, TEMPLATES)
    expect(text()).toBe(text())
  })

  test('a template that names something nobody gives is a bug', () => {
    expect(() => fillTemplate('a {{b}}', {}, {})).toThrow('it names "b"')
    expect(() => fillTemplate('{{#c}}\nx\n{{/c}}\n', {}, {})).toThrow('it names "c"')
  })
})
