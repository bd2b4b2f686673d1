import { describe, expect, test } from 'vitest'
import { declareScopes, type ScopesOptions } from '../src/declare-scopes.ts'
import { createEngine } from '../src/engine.ts'
import { ToolRegistry } from '../src/registry/registry.ts'
import { createMemoryStore } from '../src/session/memory-log.ts'
import { tool } from './registry/sample-tools.ts'

function declared(scopes: ScopesOptions): ToolRegistry {
  const registry = new ToolRegistry()
  registry.registerAll([tool('a'), tool('b')])
  declareScopes(registry, scopes)
  return registry
}
const namesOf = (registry: ToolRegistry, scope: string) => [...registry.view(scope).toolsByName.keys()]

describe('scopes of an engine', () => {
  test('are declared parents first, whatever their order', () => {
    const registry = declared({
      leaf: { parent: 'branch' },
      branch: { parent: 'root', restrictions: [{ deny: ['a'] }] },
      root: { mode: 'both', tiers: { b: 'code' } },
    })
    expect(namesOf(registry, 'leaf')).toEqual(['b'])
    expect(namesOf(registry, 'root')).toEqual(['a', 'b'])
    expect(registry.view('leaf')).toMatchObject({ mode: 'both' })
    expect(registry.view('leaf').toolsByName.get('b')?.tier).toBe('code')
  })

  test('may say things about the global scope, which has no parent', () => {
    const registry = declared({ global: { mode: 'native', restrictions: [{ allow: ['a'], sealed: true }] }, x: {} })
    expect(namesOf(registry, 'global')).toEqual(['a'])
    expect(registry.view('x').mode).toBe('native')
    expect(() => declared({ global: { parent: 'x' }, x: {} })).toThrow(/it is the root and has no parent/)
  })

  test('whose parents lead nowhere are named, with the nearest name', () => {
    expect(() => declared({ a: { parent: 'raeder' }, reader: {} })).toThrow(/its parent "raeder" is not declared/)
    expect(() => declared({ a: { parent: 'b' }, b: { parent: 'a' } })).toThrow(/its parents go in a circle/)
    expect(() => declared(new Map([['a', { parent: 'a' }]]))).toThrow(/its parents go in a circle/)
  })
})

test('a store that an engine is given stays open when it ends, and another engine goes on with it', async () => {
  await using store = createMemoryStore({ now: () => 0 })
  const options = { store, requireConfinement: 'none', typecheck: 'off' } as const
  const first = await createEngine(options)
  const { sessionId } = await first.run('return 1')
  const second = await createEngine(options)
  await first[Symbol.asyncDispose]()
  const session = second.openSession({ id: sessionId })
  expect((await second.run('return 2', { session })).value?.result).toBe(2)
  await second[Symbol.asyncDispose]()
  const kept = (await store.read(sessionId)).filter((event) => event.type === 'tool/result')
  expect(kept).toHaveLength(2)
  const [event] = kept
  expect(() => store.open(sessionId, 'global').append(event!)).not.toThrow(/disposed/)
})

test('what an engine is given to own ends with it, also when it does not start', async () => {
  const ended: string[] = []
  const part = (name: string) => ({ [Symbol.asyncDispose]: () => Promise.resolve(void ended.push(name)) })
  const engine = await createEngine({ owned: [part('a')], requireConfinement: 'none', typecheck: 'off' })
  expect(ended).toEqual([])
  await engine[Symbol.asyncDispose]()
  await expect(createEngine({ owned: [part('b')], limits: { cpuMs: 0 } })).rejects.toThrow('cpuMs')
  expect(ended).toEqual(['a', 'b'])
})
