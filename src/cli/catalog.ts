import { declareScopes } from '../declare-scopes.ts'
import { connectMcpServers } from '../importers/mcp.ts'
import type { ServerProblem } from '../importers/server-entry.ts'
import { deriveNames, type DerivedNames } from '../registry/native-names.ts'
import { ToolRegistry } from '../registry/registry.ts'
import type { ToolView } from '../registry/view.ts'
import { importSources } from '../settings/import-sources.ts'
import type { Io } from './io.ts'
import type { ToolSources } from './tool-sources.ts'
import { VERSION } from './version.ts'
import { warnProblem } from './warn-problem.ts'

export interface Catalog extends AsyncDisposable {
  readonly view: ToolView
  readonly names: DerivedNames
  readonly problems: readonly ServerProblem[]
  /** Whether a configured server is not among the tools. */
  readonly serversMissing: boolean
}

/** The tools of the sources as their scope sees them, without a sandbox: nothing is going to be run. */
export async function openCatalog(sources: ToolSources, io: Io): Promise<Catalog> {
  const problems: ServerProblem[] = [...sources.problems]
  await using parts = new AsyncDisposableStack()
  const connections = parts.use(
    await connectMcpServers(sources.servers, {
      clientVersion: VERSION,
      onProblem: (problem) => {
        problems.push(problem)
        warnProblem(io, problem)
      },
    }),
  )
  const { settings } = sources
  const imported = settings === undefined ? undefined : parts.use(await importSources(settings, { env: io.env }))
  for (const problem of imported?.problems ?? []) {
    problems.push(problem)
    warnProblem(io, problem)
  }
  const registry = new ToolRegistry()
  registry.registerAll([...(imported?.tools ?? []), ...sources.tools, ...connections.tools()])
  declareScopes(registry, settings?.scopes ?? {})
  if (!registry.hasScope(sources.scope)) registry.declareScope(sources.scope)
  // Whatever a scope's mode: the question is which tools there are.
  registry.setMode(sources.scope, 'both')
  const view = registry.view(sources.scope)
  const owned = parts.move()
  return {
    view,
    names: deriveNames(view),
    problems,
    serversMissing:
      problems.some(({ isLeftOut }) => isLeftOut === true) || connections.servers.some(({ started }) => !started),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
