import type { ServerProblem } from '../importers/server-entry.ts'
import { httpTools } from '../importers/http/http-tools.ts'
import type { HttpDeps } from '../importers/http/http-deps.ts'
import { importOpenApi } from '../importers/openapi.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import type { Settings } from './settings.ts'
import { sourceNamespaces } from './source-namespaces.ts'

export type ImportDeps = Pick<HttpDeps, 'env' | 'resolveHost'>

export interface ImportedSources extends AsyncDisposable {
  readonly tools: readonly ToolDefinition[]
  /** Each of `openapi`, in its order, and how many tools it gave. */
  readonly apis: readonly { readonly name: string; readonly tools: number }[]
  readonly problems: readonly ServerProblem[]
}

/** The tools of `openapi` and `http`. What is wrong with one source, or one tool, costs that one. Dispose it to close its connections. */
export async function importSources(settings: Settings, { env, resolveHost }: ImportDeps): Promise<ImportedSources> {
  const deps = { env, workspaceFolder: settings.folder, ...(resolveHost !== undefined && { resolveHost }) }
  const namespaceBySource = sourceNamespaces({
    servers: settings.servers.map(({ name }) => name),
    openapi: settings.openapi.map(({ name }) => name),
  })
  await using parts = new AsyncDisposableStack()
  const http = parts.use(httpTools(settings.http, deps))
  const tools: ToolDefinition[] = [...http.tools]
  const problems: ServerProblem[] = http.problems.map((problem) => ({ ...problem, kind: 'http' }))
  const apis = await Promise.allSettled(
    settings.openapi.map(async (source) => {
      const namespace = namespaceBySource.get(source.name)
      return parts.use(await importOpenApi(source, { ...deps, ...(namespace !== undefined && { namespace }) }))
    }),
  )
  for (const api of apis) {
    if (api.status === 'rejected') throw api.reason
    tools.push(...api.value.tools)
    problems.push(...api.value.problems.map((problem): ServerProblem => ({ ...problem, kind: 'openapi' })))
  }
  const owned = parts.move()
  const counts = settings.openapi.map(({ name }, i) => {
    const api = apis[i]
    return { name, tools: api?.status === 'fulfilled' ? api.value.tools.length : 0 }
  })
  return { tools, apis: counts, problems, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
