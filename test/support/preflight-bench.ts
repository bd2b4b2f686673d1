import { readFileSync } from 'node:fs'
import { compileProgram, type ParsedProgram } from '../../src/codemode/compile.ts'
import { preflight, type Preflight, type TypecheckMode } from '../../src/codemode/preflight.ts'
import { toolFromCorpus } from '../../src/importers/mock-tools.ts'
import { systemClock } from '../../src/pipeline/system-clock.ts'
import { deriveNames } from '../../src/registry/native-names.ts'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { GLOBAL_SCOPE } from '../../src/registry/scope.ts'
import type { ToolView } from '../../src/registry/view.ts'
import { loadTemplates } from '../../src/sdk/templates.ts'
import { createTypeChecker, type TypeChecker, type TypeCheckerOptions } from '../../src/typecheck/checker.ts'
import { findCompiler } from '../../src/typecheck/find-compiler.ts'

/** A tool as the corpus writes it, as far as its types go. */
export interface SchemaTool {
  readonly name: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

/** The real checker, with time enough for a busy machine. */
export function startChecker(options: Partial<TypeCheckerOptions> = {}): TypeChecker {
  const { prelude } = loadTemplates((file) => readFileSync(file, 'utf8'))
  return createTypeChecker({
    found: findCompiler(),
    prelude,
    clock: systemClock,
    firstBudgetMs: 30_000,
    budgetMs: 30_000,
    ...options,
  })
}

export function viewOf(tools: readonly SchemaTool[]): ToolView {
  const registry = new ToolRegistry()
  registry.registerAll(tools.map((tool) => toolFromCorpus({ ...tool, call: () => ({ value: null }) })))
  return registry.view(GLOBAL_SCOPE)
}

export type Judged =
  { readonly isCompiled: false; readonly message: string } | (Preflight & { readonly isCompiled: true })

/** Everything that is decided of a program before it runs. */
export async function judgeProgram(
  text: string,
  view: ToolView,
  checker: TypeChecker,
  mode: TypecheckMode = 'error',
): Promise<Judged> {
  const parsed: ParsedProgram[] = []
  const compiled = await compileProgram(text, { maxProgramBytes: 262_144, onParsed: (program) => parsed.push(program) })
  const [program] = parsed
  if (!compiled.ok || program === undefined)
    return { isCompiled: false, message: compiled.ok ? 'it was not parsed' : compiled.message }
  return { isCompiled: true, ...(await preflight(program, { mode, view, names: deriveNames(view), checker })) }
}
