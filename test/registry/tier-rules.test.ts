import { describe, expect, test } from 'vitest'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { member, tool } from './sample-tools.ts'

function tierOf(registry: ToolRegistry, scope: string, name: string): string | undefined {
  return registry.view(scope).toolsByName.get(name)?.tier
}

describe('the tier that a scope gives a tool', () => {
  test('holds there and below, and the nearest word counts', () => {
    const registry = new ToolRegistry()
    registry.register(tool('a'))
    registry.declareScope('team')
    registry.declareScope('desk', { parent: 'team' })
    const lift = registry.setTier('team', 'a', 'native')
    expect(['global', 'team', 'desk'].map((scope) => tierOf(registry, scope, 'a'))).toEqual([
      undefined,
      'native',
      'native',
    ])
    registry.setTier('desk', 'a', 'code')
    expect(tierOf(registry, 'desk', 'a')).toBe('code')
    lift()
    expect(tierOf(registry, 'team', 'a')).toBeUndefined()
  })

  test('goes before the tool’s own word, a name before a pattern, and the last before the first', () => {
    const registry = new ToolRegistry()
    registry.registerAll([member('ns', 'a'), { ...member('ns', 'b'), tier: 'native' }])
    registry.setTier('global', 'ns.a', 'native')
    registry.setTier('global', 'ns.*', 'both')
    registry.setTier('global', 'ns.*', 'code')
    expect([tierOf(registry, 'global', 'ns.a'), tierOf(registry, 'global', 'ns.b')]).toEqual(['native', 'code'])
  })

  test('makes nothing visible that a restriction hides', () => {
    const registry = new ToolRegistry()
    registry.register(tool('a'))
    registry.declareScope('team')
    registry.restrict('team', { deny: ['a'] })
    registry.setTier('team', 'a', 'native')
    expect(registry.view('team').toolsByName.has('a')).toBe(false)
  })

  test('applies to tools that appear later, and gives the same definition each time', () => {
    const registry = new ToolRegistry()
    registry.setTier('global', 'late', 'code')
    registry.register(tool('late'))
    const first = registry.view('global').toolsByName.get('late')
    registry.register(tool('other'))
    expect(first?.tier).toBe('code')
    expect(registry.view('global').toolsByName.get('late')).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
  })

  test.each([
    ['run_code', 'native'],
    ['*', 'native'],
    ['a b', 'native'],
    ['a', 'sometimes'],
  ])('is refused for %j, %j', (tools, tier) => {
    const registry = new ToolRegistry()
    expect(() => registry.setTier('global', tools, tier as 'code')).toThrow(/^tier in "global": /)
  })
})
