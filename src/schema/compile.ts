import { didYouMean } from '../data/nearest-names.ts'
import { isRecord } from '../data/json.ts'
import type { Json, JsonObject } from '../data/json.ts'
import { pointerOf } from '../data/pointer.ts'
import { snapshot } from '../data/snapshot.ts'
import type { Node, Site } from './keywords/keyword.ts'
import { SUBSET } from './keywords/subset.ts'
import type { SchemaProblem, SchemaRole } from './spec.ts'
import { describeValue, quote } from './wording.ts'

export type CompiledSubset =
  | { readonly ok: true; readonly jsonSchema: JsonObject; readonly root: Node }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] }

/** Schemas nest two containers a level, and five thousand levels must do. */
const SCHEMA_LIMITS = { maxBytes: 4 * 1024 * 1024, maxDepth: 20_000, maxNodes: 500_000 }
/** More problems than this are one problem. */
const MAX_PROBLEMS = 100

const NAMES: ReadonlySet<string> = new Set(SUBSET.map(({ name }) => name))
const INSTEAD: Readonly<Partial<Record<string, string>>> = {
  anyOf: 'write oneOf with branches that exclude each other',
  allOf: 'write one schema that says it all',
  not: 'say what is allowed',
  $ref: 'write the schema out where it is used',
  $defs: 'write each schema out where it is used',
  definitions: 'write each schema out where it is used',
  prefixItems: 'write an object with named properties',
  nullable: 'write oneOf with a branch of type "null"',
  $schema: 'leave it out: the dialect is fixed',
}

/**
 * Checks an authored schema at definition time and says everything that is wrong with it, so that a bad tool breaks where
 * it is written and never in a prompt or a call later. Keywords are read as own properties. Does not recurse.
 */
export function compileSubset(input: unknown, role: SchemaRole): CompiledSubset {
  const taken = snapshot(input, SCHEMA_LIMITS)
  if (!taken.ok) return { ok: false, problems: [{ path: taken.path, message: `not plain JSON data: ${taken.reason}` }] }
  if (!isRecord(taken.value)) {
    return { ok: false, problems: [{ path: '', message: mustBeObject(taken.value) }] }
  }
  const jsonSchema = withRootType(taken.value as JsonObject, role) // A record of a snapshot.
  const compiler = new Compiler(role)
  const root = compiler.compile(jsonSchema)
  return compiler.problems.length === 0 ? { ok: true, jsonSchema, root } : { ok: false, problems: compiler.problems }
}

/** The root of parameters is an object whether or not it says so; the model is told. */
function withRootType(schema: JsonObject, role: SchemaRole): JsonObject {
  if (role === 'value' || Object.hasOwn(schema, 'type')) return schema
  return Object.freeze({ type: 'object', ...schema })
}

interface Pending {
  readonly schema: Json
  readonly keys: Chain | undefined
  readonly node: Node
}
/** A path that grows at its end and shares its beginning: deep schemas would otherwise cost their depth squared. */
interface Chain {
  readonly parent: Chain | undefined
  readonly keys: readonly (string | number)[]
}

class Compiler {
  readonly problems: SchemaProblem[] = []
  readonly #role: SchemaRole
  #pending: Pending[] = []

  constructor(role: SchemaRole) {
    this.#role = role
  }

  compile(schema: JsonObject): Node {
    const root = emptyNode()
    this.#pending.push({ schema, keys: undefined, node: root })
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      if (this.problems.length >= MAX_PROBLEMS) break
      this.#compileOne(next)
    }
    return root
  }

  #compileOne({ schema, keys, node }: Pending): void {
    const problem = (message: string, ...below: (string | number)[]) => {
      this.problems.push({ path: pointerOf([...flatten(keys), ...below]), message })
    }
    if (!isRecord(schema)) {
      problem(mustBeObject(schema))
      return
    }
    const children: Pending[] = []
    const site: Site = {
      schema: schema as JsonObject, // A record of a snapshot.
      isRoot: keys === undefined,
      role: this.#role,
      problem,
      child(below, ...belowKeys) {
        const child = emptyNode()
        children.push({ schema: below, keys: { parent: keys, keys: belowKeys }, node: child })
        return child
      },
    }
    refuseUnknownKeywords(site)
    requireStatedOpenness(site)
    for (const keyword of SUBSET) {
      if (!Object.hasOwn(schema, keyword.name)) continue
      const rule = keyword.compile(site.schema[keyword.name]!, site, node) // An own key of JSON data.
      if (rule !== undefined) node.rules.push(rule)
    }
    // Last first, as they are taken from the end: problems come in the order of the text.
    for (let i = children.length - 1; i >= 0; i--) this.#pending.push(children[i]!)
  }
}

function refuseUnknownKeywords(site: Site): void {
  for (const name of Object.keys(site.schema)) {
    if (NAMES.has(name)) continue
    const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined
    const advice = instead ?? (didYouMean(name, NAMES).trim() || 'say it in the description and check it in execute')
    site.problem(`keyword ${quote(name)} is not in the schema subset; ${advice}`, name)
  }
}

function requireStatedOpenness(site: Site): void {
  const { schema, isRoot } = site
  if (isRoot || Object.hasOwn(schema, 'additionalProperties')) return
  const says = (keyword: string) => Object.hasOwn(schema, keyword)
  const isExplicit = says('properties') || says('required') || (says('type') && schema['type'] === 'object')
  if (!isExplicit) return
  site.problem('an object below the root must state additionalProperties: true or false')
}

function mustBeObject(found: Json): string {
  const advice = typeof found === 'boolean' ? '; for "anything" write {}' : ''
  return `a schema must be an object; got ${describeValue(found)}${advice}`
}
function emptyNode(): Node {
  return { rules: [], summary: 'a value' }
}
function flatten(chain: Chain | undefined): (string | number)[] {
  const parts: (readonly (string | number)[])[] = []
  for (let at = chain; at !== undefined; at = at.parent) parts.push(at.keys)
  return parts.reverse().flat()
}
