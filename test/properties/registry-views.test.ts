import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Disposer } from '../../src/registry/disposer.ts'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { GLOBAL_SCOPE, RUN_CODE, type Mode } from '../../src/registry/scope.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import { tool } from '../registry/sample-tools.ts'

/**
 * A model as naive as the words of the rule: flat lists of what is in force, and no cache. Each command does the same to
 * both sides; after each, every scope's view must be what the model says.
 */
interface Naive {
  readonly scopes: { readonly name: string; readonly parent: string | undefined; mode: Mode | undefined }[]
  tools: { readonly scope: string; readonly definition: ToolDefinition }[]
  restrictions: {
    readonly id: number
    readonly scope: string
    readonly allow?: readonly string[]
    readonly deny?: readonly string[]
    readonly sealed: boolean
  }[]
  hasRunCode: boolean
}

const matches = (entry: string, name: string) =>
  entry === name || (entry.endsWith('.*') && name.startsWith(entry.slice(0, entry.length - 1)))

function naiveView(model: Naive, scope: string) {
  const chain: string[] = []
  for (let at: string | undefined = scope; at !== undefined;) {
    const found = model.scopes.find(({ name }) => name === at)
    if (found === undefined) return { mode: 'code', tools: [], hidden: [], runCode: false }
    chain.unshift(found.name)
    at = found.parent
  }
  const allNames = [...new Set(model.tools.filter((t) => chain.includes(t.scope)).map((t) => t.definition.name))].sort()
  const tools: [string, string][] = []
  const hidden: string[] = []
  for (const name of allNames) {
    // The nearest registration, walking up from the scope itself.
    const owner = chain.toReversed().find((at) => model.tools.some((t) => t.scope === at && t.definition.name === name))
    const definition = model.tools.find((t) => t.scope === owner && t.definition.name === name)?.definition
    const refused = model.restrictions.some(
      (restriction) =>
        chain.includes(restriction.scope) &&
        (restriction.sealed || owner !== scope) &&
        ((restriction.deny ?? []).some((entry) => matches(entry, name)) ||
          (restriction.allow !== undefined && !restriction.allow.some((entry) => matches(entry, name)))),
    )
    if (refused) hidden.push(name)
    else tools.push([name, definition?.description ?? ''])
  }
  const modes = chain
    .map((at) => model.scopes.find(({ name }) => name === at)?.mode)
    .filter((mode) => mode !== undefined)
  const mode = modes.at(-1) ?? 'code'
  return { mode, tools, hidden, runCode: model.hasRunCode && mode !== 'native' }
}

function realView(registry: ToolRegistry, scope: string) {
  const view = registry.view(scope)
  return {
    mode: view.mode,
    tools: [...view.toolsByName].map(([name, { description }]) => [name, description]),
    hidden: [...view.hiddenNames].sort(),
    runCode: view.runCode !== undefined,
  }
}

const SCOPES = [GLOBAL_SCOPE, 'a', 'b', 'c', 'd']
const NAMES = ['x', 'y', 'ns.x', 'ns.y', 'nsx', '__proto__', 'constructor']
const ENTRIES = [...NAMES, 'ns.*', 'unknown']
const scope = fc.constantFrom(...SCOPES)
const entries = fc.option(fc.uniqueArray(fc.constantFrom(...ENTRIES), { maxLength: 4 }), { nil: undefined })
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('register' as const), scope, name: fc.constantFrom(...NAMES) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('restrict' as const),
      scope,
      allow: entries,
      deny: entries,
      sealed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('declare' as const), scope, parent: scope }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('mode' as const), scope, mode: fc.constantFrom('native', 'code', 'both') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('run-code' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('dispose' as const), at: fc.nat() }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

/** A disposer and what it means to the model. Kept after use: a second disposal must change nothing. */
interface Held {
  readonly dispose: Disposer
  readonly undo: () => void
}

function apply(step: Command, serial: number, registry: ToolRegistry, model: Naive, held: Held[]): void {
  const isDeclared = (name: string) => model.scopes.some((at) => at.name === name)
  switch (step.do) {
    case 'register': {
      const definition = tool(step.name, { description: `${serial}` })
      const act = () => registry.register(definition, { scope: step.scope })
      const isTaken = model.tools.some((t) => t.scope === step.scope && t.definition.name === step.name)
      if (isTaken || !isDeclared(step.scope)) return refused(act)
      const entry = { scope: step.scope, definition }
      held.push({ dispose: act(), undo: () => (model.tools = model.tools.filter((t) => t !== entry)) })
      model.tools.push(entry)
      return
    }
    case 'restrict': {
      const { allow, deny, sealed } = step
      const rule = { ...(allow && { allow }), ...(deny && { deny }), sealed }
      const act = () => registry.restrict(step.scope, rule)
      if (!isDeclared(step.scope) || (allow === undefined && deny === undefined)) return refused(act)
      held.push({
        dispose: act(),
        undo: () => (model.restrictions = model.restrictions.filter(({ id }) => id !== serial)),
      })
      model.restrictions.push({ id: serial, scope: step.scope, ...rule })
      return
    }
    case 'declare': {
      const act = () => registry.declareScope(step.scope, { parent: step.parent })
      if (isDeclared(step.scope) || !isDeclared(step.parent)) return refused(act)
      const entry = { name: step.scope, parent: step.parent, mode: undefined }
      held.push({ dispose: act(), undo: () => removeScope(model, entry) })
      model.scopes.push(entry)
      return
    }
    case 'mode': {
      const mode = step.mode as Mode
      const found = model.scopes.find(({ name }) => name === step.scope)
      if (found === undefined) return refused(() => registry.setMode(step.scope, mode))
      registry.setMode(step.scope, mode)
      found.mode = mode
      return
    }
    case 'run-code': {
      if (model.hasRunCode) return refused(() => registry.installRunCode(tool(RUN_CODE)))
      held.push({ dispose: registry.installRunCode(tool(RUN_CODE)), undo: once(() => (model.hasRunCode = false)) })
      model.hasRunCode = true
      return
    }
    case 'dispose': {
      const chosen = held[step.at % Math.max(1, held.length)]
      chosen?.dispose()
      chosen?.undo()
      return
    }
  }
}

function removeScope(model: Naive, entry: Naive['scopes'][number]): void {
  if (!model.scopes.includes(entry)) return
  for (const below of model.scopes.filter(({ parent }) => parent === entry.name)) removeScope(model, below)
  model.scopes.splice(model.scopes.indexOf(entry), 1)
  model.tools = model.tools.filter((t) => t.scope !== entry.name)
  model.restrictions = model.restrictions.filter((restriction) => restriction.scope !== entry.name)
}

function refused(act: () => unknown): void {
  expect(act).toThrow()
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

test('whatever is registered, restricted, declared and taken back, every view is what the rule says', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), fc.array(scope, { maxLength: 40 }), (steps, looks) => {
      const registry = new ToolRegistry()
      const model: Naive = {
        scopes: [{ name: GLOBAL_SCOPE, parent: undefined, mode: undefined }],
        tools: [],
        restrictions: [],
        hasRunCode: false,
      }
      const held: Held[] = []
      // Deep enough from the start that inheritance and cascades matter: global → a → b → c, and d beside them.
      const declared = [
        ['a', GLOBAL_SCOPE],
        ['b', 'a'],
        ['c', 'b'],
        ['d', GLOBAL_SCOPE],
      ] as const
      for (const [name, parent] of declared) apply({ do: 'declare', scope: name, parent }, 0, registry, model, held)
      for (const [serial, step] of steps.entries()) {
        // Looking at some view between changes: a cache that outlives what it depends on would show here.
        const looked = looks[serial]
        const before = looked === undefined ? undefined : registry.view(looked)
        const told = looked === undefined ? undefined : naiveView(model, looked)
        apply(step, serial, registry, model, held)
        for (const name of SCOPES) expect(realView(registry, name)).toEqual(naiveView(model, name))
        if (before !== undefined && told !== undefined && registry.view(before.scope) === before) {
          expect(naiveView(model, before.scope)).toEqual(told)
        }
      }
    }),
    { numRuns: 300 },
  )
})
