import { CodedError } from '../data/failure.ts'
import { checkDefinition, definitionLabel } from './check-definition.ts'
import { createDisposer, type Disposer } from './disposer.ts'
import { modelToolsOf, type ModelTool } from './model-tools.ts'
import { parseRestriction, type Restriction, type RestrictionOptions } from './restriction.ts'
import { resolveView, DEFAULT_MODE, type ScopeLayer } from './resolve-view.ts'
import { GLOBAL_SCOPE, RUN_CODE, type Mode } from './scope.ts'
import { parseTierRule, type Tier, type TierRule } from './tier.ts'
import { quoted } from './tool-name.ts'
import type { ToolDefinition } from './tool.ts'
import type { ToolView } from './view.ts'
import { viewWarnings } from './view-warnings.ts'

export interface RegistryChange {
  /** Where something changed; every scope below may see it. `global` for `run_code`. */
  readonly scope: string
  readonly generation: number
}

interface Scope extends ScopeLayer {
  readonly parent: Scope | undefined
  mode: Mode | undefined
  readonly toolsByName: Map<string, ToolDefinition>
  readonly restrictions: Set<Restriction>
  readonly tierRules: Set<TierRule>
  /** Generation in which something was last changed here. */
  changedAt: number
  view: ToolView | undefined
  /** Generation in which `view` was last known to be right. */
  viewCheckedAt: number
}

/**
 * Who offers which tools to whom. Everything that is put in can be taken out again by the disposer that came back, and
 * everything is live: the next `view()` shows it. A view itself never changes, so a call that holds one holds still.
 */
export class ToolRegistry {
  readonly #scopesByName = new Map<string, Scope>()
  readonly #listeners = new Set<(change: RegistryChange) => void>()
  readonly #onListenerError: (error: unknown) => void
  #generation = 1
  #runCode: ToolDefinition | undefined
  #runCodeChangedAt = 1

  /** `onListenerError` hears what listeners of `onChange` throw; by default it is dropped, for a change must not fail by it. */
  constructor(options: { readonly onListenerError?: (error: unknown) => void } = {}) {
    this.#onListenerError = options.onListenerError ?? (() => {})
    this.#addScope(GLOBAL_SCOPE, undefined, DEFAULT_MODE)
  }

  /** Offers a tool to a scope and all below it. Throws `CONFIG_INVALID`, saying all that is wrong. */
  register(definition: ToolDefinition, options: { readonly scope?: string } = {}): Disposer {
    return this.registerAll([definition], options)
  }

  /** All or nothing. What comes back takes all of them out. */
  registerAll(definitions: readonly ToolDefinition[], options: { readonly scope?: string } = {}): Disposer {
    const scope = this.#scope(options.scope ?? GLOBAL_SCOPE)
    const accepted = new Map<string, ToolDefinition>()
    const problems: string[] = []
    for (const input of definitions) {
      const label = definitionLabel(input)
      const found = checkDefinition(input)
      if (!found.ok) {
        problems.push(...found.problems.map((problem) => `${label}: ${problem}`))
        continue
      }
      const { definition } = found
      if (definition.name === RUN_CODE) {
        problems.push(`${label}: the name is reserved in every mode and scope; choose another`)
      } else if (accepted.has(definition.name)) {
        problems.push(`${label}: stands twice in what is registered together; rename one`)
      } else if (scope.toolsByName.has(definition.name)) {
        problems.push(
          `${label}: scope ${quoted(scope.name)} has a tool of that name; dispose that one first, or rename`,
        )
      }
      accepted.set(definition.name, definition)
    }
    if (problems.length > 0) throw invalid(problems)
    for (const [name, definition] of accepted) scope.toolsByName.set(name, definition)
    this.#changed(scope)
    return createDisposer(() => {
      // Runs once, and only this takes these names out: they are still the ones that came in.
      for (const name of accepted.keys()) scope.toolsByName.delete(name)
      this.#changed(scope)
    })
  }

  /** Makes a scope that inherits from `parent`. Its disposer takes its registrations, restrictions and the scopes below it along. */
  declareScope(name: string, options: { readonly parent?: string; readonly mode?: Mode } = {}): Disposer {
    const problems: string[] = []
    if (typeof name !== 'string' || name.length === 0 || name.length > 256) {
      problems.push(`scope ${quoted(name)}: a name must be 1–256 characters`)
    } else if (this.#scopesByName.has(name)) {
      problems.push(
        `scope ${quoted(name)}: it is declared already; dispose that one first, or use setMode to change its mode`,
      )
    }
    const parent = this.#scopesByName.get(options.parent ?? GLOBAL_SCOPE)
    if (parent === undefined) problems.push(`scope ${quoted(name)}: ${undeclared(options.parent)}`)
    if (options.mode !== undefined) problems.push(...modeProblems(options.mode))
    if (problems.length > 0) throw invalid(problems)
    const scope = this.#addScope(name, parent, options.mode)
    this.#changed(scope)
    return createDisposer(() => this.#removeScope(scope))
  }

  hasScope(name: string): boolean {
    return this.#scopesByName.has(name)
  }

  /** The nearest declaration along the chain wins. */
  setMode(scopeName: string, mode: Mode): void {
    const problems = modeProblems(mode)
    if (problems.length > 0) throw invalid(problems)
    const scope = this.#scope(scopeName)
    scope.mode = mode
    this.#changed(scope)
  }

  /** Narrows what a scope and all below it inherit. Several restrictions intersect; each is lifted by its own disposer. */
  restrict(scopeName: string, options: RestrictionOptions): Disposer {
    const scope = this.#scope(scopeName)
    const parsed = parseRestriction(options)
    if (!parsed.ok) throw invalid(parsed.problems.map((problem) => `restriction of ${quoted(scopeName)}: ${problem}`))
    const { restriction } = parsed
    scope.restrictions.add(restriction)
    this.#changed(scope)
    return createDisposer(() => {
      scope.restrictions.delete(restriction)
      this.#changed(scope)
    })
  }

  /**
   * Gives tools (a name, or `ns.*`) another tier in a scope and all below it. The nearest scope's word counts; within one,
   * a name goes before a pattern, and what was said last before what was said first. It makes nothing visible.
   */
  setTier(scopeName: string, tools: string, tier: Tier): Disposer {
    const scope = this.#scope(scopeName)
    const parsed = parseTierRule(tools, tier)
    if (!parsed.ok) throw invalid(parsed.problems.map((problem) => `tier in ${quoted(scopeName)}: ${problem}`))
    const { rule } = parsed
    scope.tierRules.add(rule)
    this.#changed(scope)
    return createDisposer(() => {
      scope.tierRules.delete(rule)
      this.#changed(scope)
    })
  }

  /** The only way in for `run_code`. */
  installRunCode(input: ToolDefinition): Disposer {
    const found = checkDefinition(input)
    const problems = found.ok ? [] : [...found.problems]
    if (found.ok && found.definition.name !== RUN_CODE) problems.push(`the name must be ${RUN_CODE}`)
    if (this.#runCode !== undefined) problems.push(`${RUN_CODE} is installed already; dispose that one first`)
    if (!found.ok || problems.length > 0)
      throw invalid(problems.map((problem) => `${definitionLabel(input)}: ${problem}`))
    this.#setRunCode(found.definition)
    return createDisposer(() => this.#setRunCode(undefined))
  }

  /**
   * What a scope sees. The same object as long as nothing it depends on changed. A scope that is not declared (or not
   * any more) sees nothing at all: a misspelt name must not open the global tools without their scope's restrictions.
   */
  view(scopeName: string): ToolView {
    const scope = this.#scopesByName.get(scopeName)
    if (scope === undefined) return emptyView(scopeName)
    if (scope.view !== undefined && scope.viewCheckedAt === this.#generation) return scope.view
    const chain = chainOf(scope)
    const changedAt = Math.max(this.#runCodeChangedAt, ...chain.map((layer) => layer.changedAt))
    if (scope.view === undefined || scope.view.generation < changedAt) {
      scope.view = resolveView(chain, this.#runCode, this.#generation)
    }
    scope.viewCheckedAt = this.#generation
    return scope.view
  }

  /** What the model is shown in this scope, by mode and tier. */
  modelTools(scopeName: string): readonly ModelTool[] {
    return modelToolsOf(this.view(scopeName))
  }

  /** What an owner should look at in this scope: names that mean nothing, names that fell together, tools nobody can reach. */
  warnings(scopeName: string): readonly string[] {
    const scope = this.#scopesByName.get(scopeName)
    if (scope === undefined)
      return [`scope ${quoted(scopeName)}: it is not declared, so it sees no tools; declareScope it`]
    return viewWarnings(this.view(scopeName), chainOf(scope))
  }

  /** Called after each change, with the registry in its new state. */
  onChange(listener: (change: RegistryChange) => void): Disposer {
    // A wrapper of its own: the same function may listen twice, and each disposer takes out its own.
    const own = (change: RegistryChange) => listener(change)
    this.#listeners.add(own)
    return createDisposer(() => this.#listeners.delete(own))
  }

  #scope(name: string): Scope {
    const scope = this.#scopesByName.get(name)
    if (scope === undefined) throw invalid([undeclared(name)])
    return scope
  }

  #addScope(name: string, parent: Scope | undefined, mode: Mode | undefined): Scope {
    const scope: Scope = {
      name,
      parent,
      mode,
      toolsByName: new Map(),
      restrictions: new Set(),
      tierRules: new Set(),
      changedAt: this.#generation,
      view: undefined,
      viewCheckedAt: 0,
    }
    this.#scopesByName.set(name, scope)
    return scope
  }

  /** Scopes below go too: handing them to the parent's parent would lift the restrictions that stood between. */
  #removeScope(scope: Scope): void {
    for (const other of this.#scopesByName.values()) {
      if (chainOf(other).includes(scope)) this.#scopesByName.delete(other.name)
    }
    this.#changed(scope)
  }

  #setRunCode(definition: ToolDefinition | undefined): void {
    this.#runCode = definition
    this.#runCodeChangedAt = this.#generation + 1
    this.#notify(GLOBAL_SCOPE)
  }

  #changed(scope: Scope): void {
    scope.changedAt = this.#generation + 1
    this.#notify(scope.name)
  }

  #notify(scopeName: string): void {
    this.#generation += 1
    const change = Object.freeze({ scope: scopeName, generation: this.#generation })
    // A copy: a listener may add or take out listeners.
    const listeners = [...this.#listeners]
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (thrown) {
        this.#onListenerError(thrown)
      }
    }
  }
}

/** From the global scope to the scope itself. */
function chainOf(scope: Scope): readonly Scope[] {
  const chain: Scope[] = []
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) chain.push(at)
  return chain.reverse()
}

function emptyView(scopeName: string): ToolView {
  return Object.freeze({
    scope: scopeName,
    mode: DEFAULT_MODE,
    generation: 0,
    toolsByName: new Map(),
    hiddenNames: new Set<string>(),
  })
}

function modeProblems(mode: unknown): readonly string[] {
  if (mode === 'native' || mode === 'code' || mode === 'both') return []
  return [`mode must be "native", "code" or "both"; got ${quoted(mode)}`]
}

function undeclared(name: unknown): string {
  return `scope ${quoted(name)} is not declared; call declareScope first`
}

function invalid(problems: readonly string[]): CodedError {
  return new CodedError('CONFIG_INVALID', problems.join('\n'), { details: { problems } })
}
