import { assignNames, type Claim } from './assign-names.ts'
import { RUN_CODE } from './scope.ts'

/** What names are made from. A `ToolView` is one of these; so is a catalog that was only read. */
export interface NameableView {
  readonly toolsByName: ReadonlyMap<string, { readonly namespace?: string }>
  readonly runCode?: unknown
}

/** Every name under which a tool of one view can be reached, and the way back. Every map holds every tool of the view. */
export interface DerivedNames {
  /** Provider-safe: `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`. Holds `run_code` too, when the view has it. */
  readonly nativeByName: ReadonlyMap<string, string>
  readonly nameByNative: ReadonlyMap<string, string>
  /** Where the tool hangs under `tools`: `[member]` or `[namespace, member]`. Each part is an identifier. */
  readonly pathByName: ReadonlyMap<string, readonly string[]>
  /** By the parts joined with dots (no part holds one). */
  readonly nameByPath: ReadonlyMap<string, string>
  /** One sentence for each tool that another one's name pushed aside, in byte order. */
  readonly warnings: readonly string[]
}

const MAX_NATIVE = 64
/** Nobody limits identifiers: room for the longest registered name, its prefix and its suffix. */
const MAX_MEMBER = 256
/** Taken in every mode, so that a change of mode renames nothing. */
const NATIVE_RESERVED = new Set([RUN_CODE])
/** `tools.full(name, args)` is the SDK's own; a tool of exactly this name still goes before it. */
const TOP_RESERVED = new Set(['full'])

// A view never changes and is asked for its names at every run.
const namesByView = new WeakMap<NameableView, DerivedNames>()

/**
 * The one place where outside names are made from registered ones. The answer depends on the set of tools alone, not on
 * the order in which they came. Where names fall together, a tool whose registered name is already in the wanted form
 * keeps it; the others get a suffix from a hash of their registered name.
 */
export function deriveNames(view: NameableView): DerivedNames {
  const known = namesByView.get(view)
  if (known !== undefined) return known
  const set = nameSetOf(view)
  const derived = recentSets.find((recent) => isSameSet(recent, set))?.derived ?? derive(view, set.names)
  namesByView.set(view, derived)
  recentSets.unshift({ ...set, derived })
  recentSets.length = Math.min(recentSets.length, MAX_RECENT_SETS)
  return derived
}

/** All that derived names depend on. */
interface NameSet {
  /** In byte order. */
  readonly names: readonly string[]
  readonly namespaces: readonly (string | undefined)[]
  readonly hasRunCode: boolean
}

// Most changes of a view change what a tool is, not what it is called.
const recentSets: (NameSet & { readonly derived: DerivedNames })[] = []
const MAX_RECENT_SETS = 8

function nameSetOf(view: NameableView): NameSet {
  // The default order is that of code units.
  const names = [...view.toolsByName.keys()].sort()
  const namespaces = names.map((name) => view.toolsByName.get(name)?.namespace)
  return { names, namespaces, hasRunCode: view.runCode !== undefined }
}

function isSameSet(a: NameSet, b: NameSet): boolean {
  return (
    a.hasRunCode === b.hasRunCode &&
    a.names.length === b.names.length &&
    a.names.every((name, index) => name === b.names[index] && a.namespaces[index] === b.namespaces[index])
  )
}

function derive(view: NameableView, names: readonly string[]): DerivedNames {
  const natives = deriveNatives(view, names)
  const paths = derivePaths(view, names)
  return Object.freeze({
    nativeByName: natives.nativeByName,
    nameByNative: new Map([...natives.nativeByName].map(([name, native]) => [native, name])),
    pathByName: paths.pathByName,
    nameByPath: new Map([...paths.pathByName].map(([name, path]) => [path.join('.'), name])),
    warnings: Object.freeze([...natives.warnings, ...paths.warnings]),
  })
}

function deriveNatives(view: NameableView, names: readonly string[]) {
  const claims = names.map((name) => claim(name, name, toNative(name), 'exact'))
  const { nameByKey, displaced } = assignNames(claims, MAX_NATIVE, NATIVE_RESERVED)
  const nativeByName = new Map(nameByKey)
  if (view.runCode !== undefined) nativeByName.set(RUN_CODE, RUN_CODE)
  const warnings = displaced.map(
    (name) => `${name}: its native name would be ${toNative(name)}, which is taken; it is ${nativeByName.get(name)}`,
  )
  return { nativeByName, warnings }
}

function derivePaths(view: NameableView, names: readonly string[]) {
  const pathByName = new Map<string, readonly string[]>()
  const warnings: string[] = []
  const membersByNamespace = new Map<string, string[]>()
  const topClaims: Claim[] = []
  for (const name of names) {
    const namespace = view.toolsByName.get(name)?.namespace
    if (namespace === undefined) {
      topClaims.push(claim(toolKey(name), name, toMember(name), 'exact'))
      continue
    }
    const members = membersByNamespace.get(namespace)
    if (members === undefined) membersByNamespace.set(namespace, [name])
    else members.push(name)
  }
  for (const namespace of membersByNamespace.keys()) {
    topClaims.push(claim(groupKey(namespace), namespace, toMember(namespace), 'group'))
  }

  // Ungrouped tools and namespaces share the top level. `tools["github"]` always means the tool of that name, so the
  // tool goes before a namespace `github`.
  const top = assignNames(topClaims, MAX_MEMBER, TOP_RESERVED)
  for (const name of names) {
    const member = top.nameByKey.get(toolKey(name))
    if (member !== undefined) pathByName.set(name, Object.freeze([member]))
  }
  for (const key of top.displaced) {
    const subject = key.startsWith('tool ') ? key.slice(5) : `${key} (all tools in it)`
    warnings.push(`${subject}: its place under tools is taken; it is tools.${top.nameByKey.get(key)}`)
  }
  for (const [namespace, members] of membersByNamespace) {
    const group = top.nameByKey.get(groupKey(namespace)) ?? namespace
    const claims = members.map((name) => {
      const member = name.slice(namespace.length + 1)
      return { ...claim(name, member, toMember(member), 'exact'), origin: name }
    })
    const { nameByKey, displaced } = assignNames(claims, MAX_MEMBER, new Set())
    for (const [name, member] of nameByKey) pathByName.set(name, Object.freeze([group, member]))
    for (const name of displaced) {
      warnings.push(`${name}: its place in ${group} is taken; it is tools.${group}.${nameByKey.get(name)}`)
    }
  }
  return { pathByName, warnings }
}

function claim(key: string, origin: string, wanted: string, rightIfSame: 'exact' | 'group'): Claim {
  return { key, origin, wanted, right: wanted === origin ? rightIfSame : 'changed' }
}
function toolKey(name: string): string {
  return `tool ${name}`
}
function groupKey(namespace: string): string {
  return `namespace ${namespace}`
}

/** `.` and `/` are not for providers, and neither is a first digit or hyphen. */
function toNative(name: string): string {
  return withLegalStart(name.replace(/[./]/g, '_'))
}
/** Reserved words stay: as members they are fine. */
function toMember(name: string): string {
  return withLegalStart(name.replace(/[-./]/g, '_'))
}
function withLegalStart(text: string): string {
  return /^[A-Za-z_]/.test(text) ? text : `_${text}`
}
