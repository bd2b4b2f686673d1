import { serverNamespaces } from '../importers/server-entry.ts'

/** Every source of tools that has a namespace, by name; one that is switched off or left out has none. */
export interface SourceNames {
  /** Of the servers that are started, in their order: they are named before the others, by themselves. */
  readonly servers: readonly string[]
  readonly openapi: readonly string[]
}

/** The namespace of each source. The same for whoever restricts it and whoever imports it. */
export function sourceNamespaces({ servers, openapi }: SourceNames): ReadonlyMap<string, string> {
  return serverNamespaces([...servers, ...openapi])
}
