import { didYouMean } from '../data/nearest-names.ts'
import { matchNames, type NamePattern } from '../policy/name-pattern.ts'
import { RUN_CODE } from '../registry/scope.ts'
import type { Settings } from './settings.ts'
import { sourceNamespaces } from './source-namespaces.ts'

/**
 * Names in rules and scopes that no tool has, one sentence each. They are kept, and apply when such a tool appears; but a
 * misspelt one is no rule. Names of a source that gave no tools are passed over: it is told by itself that it did not start.
 */
export function unmatchedRules(settings: Settings, toolNames: Iterable<string>): readonly string[] {
  const known = new Set([...toolNames, RUN_CODE])
  const namespaces = new Set([...known].map(namespaceOf))
  const absent = new Set(
    sourceNamespaces({
      servers: settings.servers.map(({ name }) => name),
      openapi: settings.openapi.map(({ name }) => name),
    }).values(),
  )
  for (const namespace of namespaces) absent.delete(namespace)
  return namesOf(settings).flatMap(([place, name]) => {
    if (name === '*' || absent.has(namespaceOf(name)) || [...known].some(matchNames(name))) return []
    const near = name.endsWith('.*')
      ? didYouMean(
          name,
          [...namespaces].map((namespace) => `${namespace}.*`),
        )
      : didYouMean(name, known)
    return [`${place}: no tool has the name ${JSON.stringify(name)} now; the rule applies when one appears.${near}`]
  })
}

function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('.')))
}

/** Every name of a tool in the file, with its place. */
function namesOf({ policies, scopes }: Settings): readonly (readonly [place: string, name: string])[] {
  const named: [string, NamePattern | readonly NamePattern[] | undefined][] = []
  for (const kind of ['approval', 'guards', 'rate', 'redact', 'timeouts'] as const)
    for (const [index, { tools }] of (policies[kind] ?? []).entries()) named.push([`policies.${kind}[${index}]`, tools])
  named.push(['policies.annotations.distrust', policies.annotations?.distrust])
  named.push(['policies.spill', policies.spill?.tools])
  for (const [scope, { restrictions, tiers }] of scopes) {
    for (const { allow = [], deny = [] } of restrictions) named.push([`scopes.${scope}`, [...allow, ...deny]])
    named.push([`scopes.${scope}.tiers`, [...tiers.keys()]])
  }
  return named.flatMap(([place, names = []]) => [names].flat().map((name) => [place, name] as const))
}
