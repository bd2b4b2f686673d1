import { anyNode, childOf, childrenOf, nameOf, stringValue, type AnyNode, type File, type Visit } from './ast.ts'
import { printable } from './code-frame.ts'
import type { Edits } from './edits.ts'
import { declarationOf } from './entry.ts'
import type { Facts } from './facts.ts'
import { isSdkModule, sdkMember } from './sdk-modules.ts'
import type { Notice } from '../../executor/executor.ts'

/** Something a program may not have: told with its place, before anything runs. */
export interface Refusal {
  readonly offset: number
  /** What was found: `import of "node:fs"`. */
  readonly subject: string
  readonly cause:
    { readonly kind: 'module' | 'name'; readonly name: string } | { readonly kind: 'other'; instead: string }
}

export interface ImportPlan {
  readonly refusals: readonly Refusal[]
  /** Statements that bind the imported names; they go before the program, as imports are hoisted. */
  readonly bindings: readonly string[]
  /** Imported names that stand for tools. */
  readonly aliases: ReadonlyMap<string, string>
  readonly notices: readonly Notice[]
}

/**
 * Takes imports out of the program. Those of the SDK become bindings of globals, those for types only go away, all
 * others are refused. `moduleObject` names the object that stands for the SDK as a whole.
 */
export function planImports(file: File, facts: Facts, edits: Edits, moduleObject: string): ImportPlan {
  const refusals: Refusal[] = []
  const bindings: string[] = []
  const aliases = new Map<string, string>()
  const notices: Notice[] = []
  const isUsed = (local: string) => facts.usesByName.has(local)

  const bind = (specifier: AnyNode) => {
    const local = nameOf(childOf(specifier, 'local'))
    const isWhole = specifier.type !== 'ImportSpecifier'
    const imported = isWhole ? 'tools' : importedName(specifier)
    const isTools = imported === 'tools' || imported === 'default'
    if (!isTools) aliases.set(local, imported)
    else if (!asksForMember(facts.usesByName.get(local), MODULE_MEMBERS)) aliases.set(local, '')
    // A name that is the global's own needs no binding.
    if (!isUsed(local) || (local === 'tools' && isTools)) return
    const wantsModule = isWhole && asksForMember(facts.usesByName.get(local), MODULE_MEMBERS)
    bindings.push(`const ${local} = ${wantsModule ? moduleObject : sdkMember(imported)};`)
  }

  for (const statement of file.program.body) {
    if (statement.type === 'ImportDeclaration') {
      const node = anyNode(statement)
      const source = statement.source.value
      const specifiers = childrenOf(node, 'specifiers')
      edits.replace(node.start, node.end, '')
      if (node['importKind'] === 'type') continue
      const values = specifiers.filter((specifier) => specifier['importKind'] !== 'type')
      if (specifiers.length > 0 && values.length === 0) continue
      if (isSdkModule(source) || isToolsOnly(values)) values.forEach(bind)
      else if (values.length > 0 && !values.some((specifier) => isUsed(nameOf(childOf(specifier, 'local')))))
        notices.push({
          code: 'import-dropped',
          message: `the import of "${shown(source)}" was dropped: the program has no modules, and uses nothing of it at run time`,
        })
      else refusals.push(moduleRefusal(node.start, source))
    } else if (declarationOf(statement).type === 'TSImportEqualsDeclaration') {
      // `export import a = …` is an export around it.
      const { start, end } = anyNode(statement)
      const node = declarationOf(statement)
      const reference = childOf(node, 'moduleReference')
      if (node['importKind'] === 'type') edits.replace(start, end, '')
      if (node['importKind'] === 'type' || reference?.type !== 'TSExternalModuleReference') continue
      const source = stringValue(childOf(reference, 'expression')) ?? ''
      const local = nameOf(childOf(node, 'id'))
      edits.replace(start, end, '')
      if (isSdkModule(source)) {
        bindings.push(...(local === 'tools' ? [] : [`const ${local} = ${moduleObject};`]))
      } else if (isUsed(local)) refusals.push(moduleRefusal(node.start, source))
    } else if (statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportAllDeclaration') {
      const source = statement.source?.value
      if (source === undefined || statement.exportKind === 'type' || isSdkModule(source)) continue
      refusals.push(moduleRefusal(anyNode(statement).start, source))
    }
  }
  planCalls(facts, edits, moduleObject, refusals)
  return { refusals, bindings, aliases, notices }
}

/** `import("…")` and `require("…")` wherever they stand. */
function planCalls(facts: Facts, edits: Edits, moduleObject: string, refusals: Refusal[]): void {
  for (const node of facts.importCalls) {
    const source = stringValue(childOf(node, 'source'))
    if (source !== undefined && isSdkModule(source))
      edits.replace(node.start, node.end, `Promise.resolve(${moduleObject})`)
    else refusals.push(moduleRefusal(node.start, source ?? '…'))
  }
  if (facts.declarationsByName.has('require')) return
  const uses = facts.usesByName.get('require') ?? []
  const isProbed = uses.some(({ up }) => up?.node['operator'] === 'typeof')
  for (const { node, key, up } of uses) {
    if (key !== 'callee' || up?.node.type !== 'CallExpression') continue
    const source = stringValue(childrenOf(up.node, 'arguments')[0])
    if (source !== undefined && isSdkModule(source)) edits.replace(up.node.start, up.node.end, moduleObject)
    else if (!isProbed)
      refusals.push({
        offset: node.start,
        subject: `require(${source === undefined ? '…' : JSON.stringify(shown(source))})`,
        cause: { kind: 'module', name: source ?? '' },
      })
  }
}

function moduleRefusal(offset: number, source: string): Refusal {
  return { offset, subject: `import of "${shown(source)}"`, cause: { kind: 'module', name: source } }
}

function shown(source: string): string {
  return printable(source, 100)
}

/** `import { tools } from "anything"`: a module of that name exists nowhere, and what is meant is plain. */
function isToolsOnly(specifiers: readonly AnyNode[]): boolean {
  return (
    specifiers.length > 0 &&
    specifiers.every((specifier) => specifier.type === 'ImportSpecifier' && importedName(specifier) === 'tools')
  )
}

function importedName(specifier: AnyNode): string {
  const imported = childOf(specifier, 'imported')
  return stringValue(imported) ?? nameOf(imported)
}

/** Members of the SDK's module object that `tools` itself does not have. */
const MODULE_MEMBERS: ReadonlySet<string> = new Set(['tools', 'default', 'sdk', 'show', 'progress', 'artifacts'])

/** Whether `name.member` occurs, for one of the members. */
export function asksForMember(uses: readonly Visit[] | undefined, members: ReadonlySet<string>): boolean {
  return (uses ?? []).some(({ key, up }) => {
    if (up === undefined) return false
    const property = childOf(up.node, 'property')
    if (key === 'object' && property !== undefined && up.node['computed'] !== true) return members.has(nameOf(property))
    // `const { tools } = sdk`
    if (key !== 'init' || up.node.type !== 'VariableDeclarator') return false
    return childrenOf(childOf(up.node, 'id') ?? up.node, 'properties').some((one) =>
      members.has(nameOf(childOf(one, 'key'))),
    )
  })
}
