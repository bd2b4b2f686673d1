import { describe, expect, test } from 'vitest'
import { hasCode } from '../../src/data/failure.ts'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { GLOBAL_SCOPE, RUN_CODE } from '../../src/registry/scope.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import { member, tool } from './sample-tools.ts'

function refusal(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (thrown) {
    expect(hasCode(thrown, 'CONFIG_INVALID')).toBe(true)
    return (thrown as Error).message.split('\n')
  }
  return []
}
function names(registry: ToolRegistry, scope: string): readonly string[] {
  return [...registry.view(scope).toolsByName.keys()]
}
/** global → team → agent. */
function chain(): ToolRegistry {
  const registry = new ToolRegistry()
  registry.declareScope('team')
  registry.declareScope('agent', { parent: 'team' })
  return registry
}

describe('inheritance', () => {
  test('a scope sees the tools of its chain, a nearer one shadows a farther one, and siblings see nothing of it', () => {
    const registry = chain()
    registry.declareScope('other')
    registry.registerAll([tool('a', { description: 'global a' }), tool('b')])
    registry.register(tool('a', { description: 'team a' }), { scope: 'team' })
    registry.register(tool('c'), { scope: 'agent' })
    expect(names(registry, 'agent')).toEqual(['a', 'b', 'c'])
    expect(registry.view('agent').toolsByName.get('a')?.description).toBe('team a')
    expect(registry.view(GLOBAL_SCOPE).toolsByName.get('a')?.description).toBe('global a')
    expect(names(registry, 'other')).toEqual(['a', 'b'])
  })

  test('tools stand in byte order of their names, whatever the order of registration', () => {
    const registry = new ToolRegistry()
    registry.registerAll(['b', 'a_', 'a', 'B', 'a.b', '__proto__', 'constructor'].map((name) => tool(name)))
    expect(names(registry, GLOBAL_SCOPE)).toEqual(['B', '__proto__', 'a', 'a.b', 'a_', 'b', 'constructor'])
    expect(registry.view(GLOBAL_SCOPE).toolsByName.get('toString')).toBeUndefined()
  })

  test('a scope that is not declared sees nothing, and the warning says so', () => {
    const registry = new ToolRegistry()
    registry.register(tool('a'))
    registry.installRunCode(tool(RUN_CODE))
    expect(registry.view('misspelt')).toMatchObject({ scope: 'misspelt', toolsByName: new Map() })
    expect(registry.view('misspelt').runCode).toBeUndefined()
    expect(registry.modelTools('misspelt')).toEqual([])
    expect(registry.warnings('misspelt')).toEqual([expect.stringContaining('"misspelt": it is not declared')])
    expect(refusal(() => registry.register(tool('b'), { scope: 'misspelt' }))).toEqual([
      expect.stringContaining('declareScope first'),
    ])
  })

  test('disposing a scope takes its tools and the scopes below it along, and lets the name be declared anew', () => {
    const registry = new ToolRegistry()
    const team = registry.declareScope('team')
    registry.declareScope('agent', { parent: 'team' })
    registry.restrict('team', { allow: [] })
    const own = registry.register(tool('x'), { scope: 'team' })
    registry.register(tool('a'))
    team()
    expect([registry.hasScope('team'), registry.hasScope('agent'), names(registry, 'agent')]).toEqual([
      false,
      false,
      [],
    ])
    registry.declareScope('team')
    registry.register(tool('x', { description: 'new' }), { scope: 'team' })
    own()
    team()
    expect(names(registry, 'team')).toEqual(['a', 'x'])
  })
})

describe('restrictions', () => {
  test('all along the chain apply together, and each is lifted on its own', () => {
    const registry = chain()
    registry.registerAll(['a', 'b', 'c', 'd'].map((name) => tool(name)))
    const far = registry.restrict(GLOBAL_SCOPE, { deny: ['a'] })
    const middle = registry.restrict('team', { allow: ['a', 'b', 'c'] })
    const near = registry.restrict('agent', { deny: ['b'] })
    expect(names(registry, 'agent')).toEqual(['c'])
    expect([...registry.view('agent').hiddenNames].sort()).toEqual(['a', 'b', 'd'])
    middle()
    middle()
    expect(names(registry, 'agent')).toEqual(['c', 'd'])
    near[Symbol.dispose]()
    far()
    expect(names(registry, 'agent')).toEqual(['a', 'b', 'c', 'd'])
    expect(registry.view('agent').hiddenNames.size).toBe(0)
  })

  test('deny goes before allow, allow: [] hides everything inherited, and ns.* names a namespace', () => {
    const registry = chain()
    registry.registerAll([member('gh', 'read'), member('gh', 'write'), tool('ghx'), tool('gh')])
    const first = registry.restrict('team', { allow: ['gh.*'], deny: ['gh.write'] })
    expect(names(registry, 'team')).toEqual(['gh.read'])
    first()
    registry.restrict('agent', { allow: [] })
    expect(names(registry, 'agent')).toEqual([])
    expect(names(registry, 'team')).toHaveLength(4)
  })

  test('a scope’s own tools are exempt where they are registered, not where they are inherited', () => {
    const registry = chain()
    registry.restrict('team', { allow: [] })
    registry.register(tool('own'), { scope: 'team' })
    expect(names(registry, 'team')).toEqual(['own'])
    expect(names(registry, 'agent')).toEqual([])
  })

  test('a sealed one also covers what is registered at its scope and below', () => {
    const registry = chain()
    const seal = registry.restrict('team', { deny: ['danger'], sealed: true })
    registry.register(tool('danger'), { scope: 'agent' })
    registry.register(tool('fine'), { scope: 'agent' })
    registry.register(tool('danger'), { scope: 'team' })
    expect(names(registry, 'agent')).toEqual(['fine'])
    expect(names(registry, 'team')).toEqual([])
    expect([...registry.view('agent').hiddenNames]).toEqual(['danger'])
    seal()
    expect(names(registry, 'agent')).toEqual(['danger', 'fine'])
  })

  test('what was given is copied: changing the arrays later changes nothing', () => {
    const registry = chain()
    registry.registerAll([tool('a'), tool('b')])
    const allow = ['a']
    registry.restrict('agent', { allow })
    allow.push('b')
    expect(names(registry, 'agent')).toEqual(['a'])
  })

  test('a name that means nothing yet is kept, warned about with the nearest one, and applies when it appears', () => {
    const registry = chain()
    registry.registerAll([member('github', 'issue_read'), tool('weather')])
    registry.restrict('team', { deny: ['github.issue_raed', 'githib.*', 'zzz'] })
    expect(registry.warnings('agent').filter((warning) => warning.startsWith('restriction'))).toEqual([
      expect.stringMatching(/"githib\.\*" now; it applies when one appears; did you mean "github\.\*"\?/),
      expect.stringMatching(/did you mean "github\.issue_read"/),
      expect.stringMatching(/nothing of a similar name/),
    ])
    registry.register(tool('zzz'))
    expect(names(registry, 'agent')).not.toContain('zzz')
    expect(registry.warnings('agent').join()).not.toContain('zzz')
  })

  test('run_code, patterns of other kinds and nonsense are refused, all at once', () => {
    const registry = chain()
    expect(
      refusal(() => registry.restrict('agent', { allow: [RUN_CODE, '*', 'a b'], deny: ['', 7 as never] })),
    ).toHaveLength(5)
    expect(refusal(() => registry.restrict('agent', { deny: [RUN_CODE] }))[0]).toContain('cannot be restricted')
    expect(refusal(() => registry.restrict('agent', {}))[0]).toContain('allow: []')
    expect(refusal(() => registry.restrict('agent', { allow: 'a' as never }))[0]).toContain('allow must be an array')
    expect(names(registry, 'agent')).toEqual([])
  })
})

describe('modes', () => {
  const shown = (registry: ToolRegistry, scope: string) => registry.modelTools(scope).map(({ name }) => name)

  test('the nearest declaration wins, and decides what the model is shown', () => {
    const registry = chain()
    registry.installRunCode(tool(RUN_CODE))
    registry.registerAll([member('gh', 'read'), tool('a')])
    expect(registry.view('agent').mode).toBe('code')
    expect(shown(registry, 'agent')).toEqual([RUN_CODE])
    registry.setMode('team', 'native')
    expect(shown(registry, 'agent')).toEqual(['a', 'gh_read'])
    expect(registry.view('agent').runCode).toBeUndefined()
    registry.setMode('agent', 'both')
    expect(shown(registry, 'agent')).toEqual(['a', 'gh_read', RUN_CODE])
    expect(shown(registry, GLOBAL_SCOPE)).toEqual([RUN_CODE])
    expect(refusal(() => registry.setMode('agent', 'codes' as never))).toHaveLength(1)
  })

  test('a tier goes before the mode', () => {
    const registry = new ToolRegistry()
    registry.installRunCode(tool(RUN_CODE))
    registry.registerAll([tool('n', { tier: 'native' }), tool('c', { tier: 'code' }), tool('b', { tier: 'both' })])
    expect(shown(registry, GLOBAL_SCOPE)).toEqual(['n', RUN_CODE])
    registry.setMode(GLOBAL_SCOPE, 'both')
    expect(shown(registry, GLOBAL_SCOPE)).toEqual(['b', 'n', RUN_CODE])
    registry.setMode(GLOBAL_SCOPE, 'native')
    expect(shown(registry, GLOBAL_SCOPE)).toEqual(['b', 'n'])
    expect(registry.warnings(GLOBAL_SCOPE)).toEqual([
      expect.stringMatching(/^c: its tier is code and the mode of "global" is native/),
    ])
  })

  test('a model is shown an allow-list of fields, and a root that providers accept', () => {
    const registry = new ToolRegistry()
    registry.setMode(GLOBAL_SCOPE, 'native')
    const annotations = { readOnlyHint: true }
    registry.register(tool('a', { title: 'A\ud800', parameters: { properties: { x: {} } }, annotations, timeoutMs: 5 }))
    expect(registry.modelTools(GLOBAL_SCOPE)).toEqual([
      {
        name: 'a',
        title: 'A\ufffd',
        description: 'does a',
        parameters: { type: 'object', properties: { x: {} } },
        annotations,
      },
    ])
    expect(registry.view(GLOBAL_SCOPE).toolsByName.get('a')?.parameters).toEqual({ properties: { x: {} } })
  })

  test('run_code comes in by its own door only, once, and can be taken out', () => {
    const registry = chain()
    expect(refusal(() => registry.register(tool(RUN_CODE), { scope: 'agent' }))[0]).toContain('reserved in every mode')
    expect(registry.warnings('agent')[0]).toContain('no run_code is installed')
    expect(refusal(() => registry.installRunCode(tool('other')))[0]).toContain('the name must be run_code')
    const installed = registry.installRunCode(tool(RUN_CODE))
    expect(registry.view('agent').runCode?.name).toBe(RUN_CODE)
    expect(registry.view('agent').toolsByName.has(RUN_CODE)).toBe(false)
    expect(refusal(() => registry.installRunCode(tool(RUN_CODE)))[0]).toContain('installed already')
    installed()
    expect(registry.view('agent').runCode).toBeUndefined()
  })
})

describe('registration', () => {
  test('several are taken all or none, and every fault of every one is said', () => {
    const registry = new ToolRegistry()
    registry.register(tool('taken'))
    const problems = refusal(() =>
      registry.registerAll([
        tool('good'),
        tool('taken'),
        tool('good'),
        tool('bad name', { timeoutMs: 0, description: 7 as never }),
        null as never,
      ]),
    )
    expect(problems).toEqual([
      expect.stringContaining('tool "taken": scope "global" has a tool of that name'),
      expect.stringContaining('tool "good": stands twice'),
      expect.stringContaining('tool "bad name": name must consist of'),
      expect.stringContaining('tool "bad name": description must be a string'),
      expect.stringContaining('tool "bad name": timeoutMs must be a positive finite number; got 0'),
      expect.stringContaining('must be an object'),
    ])
    expect(names(registry, GLOBAL_SCOPE)).toEqual(['taken'])
  })

  test('the disposer takes out what came in with it, once, and nothing that came later', () => {
    const registry = new ToolRegistry()
    const first = registry.registerAll([tool('a'), tool('b')])
    first()
    expect(names(registry, GLOBAL_SCOPE)).toEqual([])
    registry.register(tool('a'))
    first()
    expect(names(registry, GLOBAL_SCOPE)).toEqual(['a'])
    {
      using _ = registry.register(tool('c'))
      expect(names(registry, GLOBAL_SCOPE)).toEqual(['a', 'c'])
    }
    expect(names(registry, GLOBAL_SCOPE)).toEqual(['a'])
  })

  test('what is registered is a frozen copy; its methods keep their own this', async () => {
    class Counter {
      readonly name = 'count'
      readonly description = 'counts'
      readonly parameters: { type: string; properties: Record<string, object> } = { type: 'object', properties: {} }
      readonly validateArguments = 'in-body' as const
      readonly output = { text: 'n', render: () => [{ type: 'text' as const, text: this.output.text }] }
      #n = 0
      execute() {
        return ++this.#n
      }
    }
    const registry = new ToolRegistry()
    const counter = new Counter()
    registry.register(counter as ToolDefinition)
    counter.parameters.properties['late'] = {}
    counter.execute = () => -1
    const held = registry.view(GLOBAL_SCOPE).toolsByName.get('count')
    expect(held?.parameters).toEqual({ type: 'object', properties: {} })
    expect(Object.isFrozen(held) && Object.isFrozen(held?.output) && Object.isFrozen(held?.parameters)).toBe(true)
    expect(held?.execute({}, {} as never)).toBe(1)
    expect(held?.output.render({}, null)).toEqual([{ type: 'text', text: 'n' }])
  })

  test('scopes are checked: declared once, under a declared parent, with a real mode', () => {
    const registry = chain()
    expect(refusal(() => registry.declareScope('team', { parent: 'nowhere', mode: 'x' as never }))).toHaveLength(3)
    expect(refusal(() => registry.declareScope(GLOBAL_SCOPE))[0]).toContain('declared already')
    expect(refusal(() => registry.declareScope(''))).toHaveLength(1)
  })
})

describe('views', () => {
  test('one view stays the same object until something it depends on changes', () => {
    const registry = chain()
    registry.declareScope('other')
    const before = registry.view('agent')
    expect(registry.view('agent')).toBe(before)
    registry.register(tool('elsewhere'), { scope: 'other' })
    expect(registry.view('agent')).toBe(before)

    const changes: (() => void)[] = [
      () => registry.register(tool('a')),
      () => registry.register(tool('a'), { scope: 'team' }),
      () => registry.setMode('team', 'both'),
      () => registry.restrict('agent', { deny: ['a'] }),
      () => registry.installRunCode(tool(RUN_CODE)),
    ]
    let last = before
    for (const change of changes) {
      change()
      const next = registry.view('agent')
      expect(next).not.toBe(last)
      expect(next.generation).toBeGreaterThan(last.generation)
      expect(registry.view('agent')).toBe(next)
      last = next
    }
    expect(before.toolsByName.size).toBe(0)
  })

  test('listeners hear each change after it was made; one that throws stops neither the change nor the others', () => {
    const heard: string[] = []
    const errors: unknown[] = []
    const registry = new ToolRegistry({ onListenerError: (error) => errors.push(error) })
    const failing = registry.onChange(() => {
      throw new Error('listener')
    })
    registry.onChange(({ scope, generation }) =>
      heard.push(`${scope} ${generation > 0} ${names(registry, scope).join()}`),
    )
    const taken = registry.register(tool('a'))
    failing()
    taken()
    taken()
    expect(heard).toEqual(['global true a', 'global true '])
    expect(errors).toEqual([new Error('listener')])
  })
})
