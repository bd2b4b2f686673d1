import { createNearestNames, type FindNearest } from '../data/nearest-names.ts'
import { createTypePrinter } from './print-types.ts'
import { accessPath, commentText, stringLiteral } from './safe-text.ts'
import { observedText, type ObservedResults } from './observed/observed-text.ts'
import { oneLineSignature } from './search/one-line-signature.ts'
import { createToolRanker } from './search/rank-tools.ts'
import type { ToolRanker } from './search/rank-tools.ts'
import { writeSdkText } from './sdk-text.ts'
import { callableTools, hasOwnFull } from './sdk-view.ts'
import type { PlacedTool, SdkNames, SdkView } from './sdk-view.ts'
import { typesOfTool } from './tool-types.ts'

export interface SearchHit {
  /** Registered name. */
  readonly name: string
  /** How a program calls it: `tools.github.issue_read`. */
  readonly call: string
  /** The call with its types on one line, without descriptions; what is deep or long in it is left open. */
  readonly signature: string
  readonly description: string
}

const DEFAULT_HITS = 10
const MAX_HITS = 50
const MAX_DESCRIBED = 20
/** Unknown names that are answered with near ones, which takes a look at every tool. */
const MAX_SUGGESTED_FOR = 3
/** Of a registered name: what is longer was never meant to be one. */
const MAX_NAME = 128
const HIT_DOC_CHARS = 200

interface Searchable {
  readonly names: SdkNames
  readonly tools: readonly PlacedTool[]
  readonly ranker: ToolRanker
  readonly find: (name: string) => PlacedTool | undefined
  readonly nearest: FindNearest
}
// A view never changes; a program may search many times.
const searchableByView = new WeakMap<SdkView, Searchable>()

/** Tools that fit the words of `query` best, best first; equal ones in order of their path. */
export function searchTools(
  view: SdkView,
  names: SdkNames,
  query: string,
  options: { readonly limit?: number } = {},
): readonly SearchHit[] {
  const { tools, ranker, find } = searchableOf(view, names)
  const limit = Math.min(Math.max(Math.trunc(options.limit ?? DEFAULT_HITS) || DEFAULT_HITS, 1), MAX_HITS)
  // Whoever knows the name wants that tool, however many others are full of the same words.
  const named = find(query.trim())
  const hits = new Set(named === undefined ? [] : [named])
  for (const at of ranker.rank(query, limit)) {
    const placed = tools[at]
    if (placed !== undefined && hits.size < limit) hits.add(placed)
  }
  return [...hits].map(hitOf)
}

/**
 * Whole declarations of the named tools, as text. A name may be the registered one, the printed path, or a variant of
 * one of them that only one tool has. Names that fit nothing are answered in a comment, with the nearest ones. What
 * undeclared results looked like, where that is known, stands behind the declarations as types of their own.
 */
export function describeTools(
  view: SdkView,
  names: SdkNames,
  wanted: readonly string[],
  options: { readonly observed?: ObservedResults } = {},
): string {
  const { tools, find, nearest } = searchableOf(view, names)
  const found = new Set<PlacedTool>()
  const notes: string[] = []
  let suggestionsLeft = MAX_SUGGESTED_FOR
  for (const name of wanted.slice(0, MAX_DESCRIBED)) {
    const placed = find(name)
    if (placed !== undefined) {
      found.add(placed)
      continue
    }
    const near = name.length <= MAX_NAME && suggestionsLeft-- > 0 ? nearest(name) : []
    const advice = near.length === 0 ? 'try sdk.search("…")' : `nearest: ${near.map(stringLiteral).join(', ')}`
    notes.push(`// There is no tool ${stringLiteral(name.slice(0, 80))}; ${advice}`)
  }
  if (wanted.length > MAX_DESCRIBED)
    notes.push(`// Only the first ${MAX_DESCRIBED} names are described; ask again for the rest.`)
  if (found.size === 0) return notes.length === 0 ? '// No names were given.\n' : `${notes.join('\n')}\n`
  const described = tools.filter((placed) => found.has(placed))
  const text = writeSdkText(described, {
    head: 'declare const tools:',
    ownFull: hasOwnFull(tools),
    formOf: () => ({ kind: 'signature', docChars: 8_000, memberDocChars: 2_000, hints: true }),
  })
  const observed = options.observed === undefined ? '' : observedText(described, options.observed)
  return `${notes.map((note) => `${note}\n`).join('')}${text}${observed}`
}

/** A tool by its registered name, its printed path, or a variant of one of them that only one tool has. */
export function findTool(view: SdkView, names: SdkNames, name: string): PlacedTool | undefined {
  return searchableOf(view, names).find(name)
}

/** The call of a tool with its types, whole; over several lines when it is long. */
export function signatureOf({ tool, path }: PlacedTool): string {
  const types = typesOfTool(tool)
  const roots = types.result === undefined ? [types.args] : [types.args, types.result]
  const printer = createTypePrinter(roots, { docChars: 0 })
  const args = `args${types.areArgsOptional ? '?' : ''}: ${printer.print(types.args, '')}`
  const result = types.result === undefined ? 'any' : printer.print(types.result, '')
  return [...printer.declarations, `tools${accessPath(path)}(${args}): Promise<${result}>`].join('\n')
}

function hitOf(placed: PlacedTool): SearchHit {
  return {
    name: placed.tool.name,
    call: `tools${accessPath(placed.path)}`,
    signature: oneLineSignature(placed),
    description: commentText(typesOfTool(placed.tool).doc.text ?? '', HIT_DOC_CHARS),
  }
}

function searchableOf(view: SdkView, names: SdkNames): Searchable {
  let searchable = searchableByView.get(view)
  if (searchable === undefined || searchable.names !== names) {
    const tools = callableTools(view, names)
    const ranker = createToolRanker(tools.map(({ tool }) => tool))
    let nearestOnceAsked: FindNearest | undefined
    const nearest: FindNearest = (wanted) =>
      (nearestOnceAsked ??= createNearestNames(tools.map(({ tool }) => tool.name)))(wanted)
    searchable = { names, tools, ranker, find: createFinder(tools), nearest }
    searchableByView.set(view, searchable)
  }
  return searchable
}

function createFinder(tools: readonly PlacedTool[]): (name: string) => PlacedTool | undefined {
  const byName = new Map(tools.map((placed) => [placed.tool.name, placed]))
  const byPath = new Map(tools.map((placed) => [placed.path.join('.'), placed]))
  const byVariant = new Map<string, PlacedTool | undefined>()
  for (const placed of tools) {
    for (const variant of new Set([plain(placed.tool.name), plain(placed.path.join('.'))])) {
      byVariant.set(variant, byVariant.has(variant) ? undefined : placed)
    }
  }
  return (name) => {
    const path = name.startsWith('tools.') ? name.slice('tools.'.length) : name
    return byName.get(name) ?? byPath.get(path) ?? (path.length > 300 ? undefined : byVariant.get(plain(path)))
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
