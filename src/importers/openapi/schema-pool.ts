import { isRecord, type Json, type JsonObject } from '../../data/json.ts'
import { valueAt } from '../../data/pointer.ts'
import { convertSchema, type Direction } from './convert-schema.ts'
import { hiddenMembers } from './hidden-members.ts'
import type { ApiDocument } from './document.ts'

interface Definition {
  readonly name: string
  readonly schema: JsonObject
  /** Pointers of the definitions it refers to. */
  readonly uses: ReadonlySet<string>
}

/**
 * The schemas of one document, converted to JSON Schema 2020-12 once for each direction, and given out with those they
 * refer to as `$defs`. Equal component, equal definition: that is how tools come to share types.
 */
export class SchemaPool {
  readonly #document: ApiDocument
  readonly #definitions = { input: new Map<string, Definition>(), output: new Map<string, Definition>() }
  readonly #names = new Map<string, string>()
  readonly #takenNames = new Set<string>()
  readonly #problems: string[]
  readonly #reported = new Set<string>()

  constructor(document: ApiDocument, problems: string[]) {
    this.#document = document
    this.#problems = problems
  }

  /** A schema of the document, referring to definitions that `withDefinitions` adds. */
  convert(schema: Json | undefined, direction: Direction, uses: Set<string>): JsonObject {
    return convertSchema(schema ?? {}, {
      direction,
      refStandsAlone: this.#document.refStandsAlone,
      refer: (reference) => this.#refer(reference, uses),
      hiddenIn: (node) => hiddenMembers(node, direction, (reference) => this.resolve(reference)),
    })
  }

  /** The schema with everything under `$defs` that it leads to. */
  withDefinitions(schema: JsonObject, direction: Direction, uses: ReadonlySet<string>): JsonObject {
    const found = new Map<string, JsonObject>()
    const open = [...uses]
    const seen = new Set(open)
    for (let pointer = open.pop(); pointer !== undefined; pointer = open.pop()) {
      const definition = this.#definition(pointer, direction)
      found.set(definition.name, definition.schema)
      for (const next of definition.uses) {
        if (seen.has(next)) continue
        seen.add(next)
        open.push(next)
      }
    }
    if (found.size === 0) return schema
    return { ...schema, $defs: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))) }
  }

  /** What a reference inside the document leads to; undefined for anything else. Nothing is ever fetched. */
  resolve(reference: Json | undefined): Json | undefined {
    const pointer = pointerOfReference(reference)
    return pointer === undefined ? undefined : valueAt(this.#document.root, pointer)
  }

  /** A parameter, body or response itself, through references inside the document. */
  follow(value: Json | undefined): JsonObject | undefined {
    let at = value
    for (let steps = 0; steps < 20; steps++) {
      if (!isRecord(at)) return undefined
      const reference = (at as JsonObject)['$ref']
      if (reference === undefined) return at as JsonObject
      at = this.resolve(reference)
    }
    return undefined
  }

  #refer(reference: string, uses: Set<string>): string | undefined {
    const pointer = pointerOfReference(reference)
    const target = pointer === undefined ? undefined : valueAt(this.#document.root, pointer)
    if (pointer === undefined || (!isRecord(target) && typeof target !== 'boolean')) {
      this.#report(reference)
      return undefined
    }
    uses.add(pointer)
    return `#/$defs/${this.#nameOf(pointer)}`
  }

  #report(reference: string): void {
    if (this.#reported.has(reference) || this.#reported.size >= 50) return
    this.#reported.add(reference)
    const why = reference.startsWith('#') ? 'leads nowhere' : 'is outside the document and is not fetched'
    this.#problems.push(`the reference ${JSON.stringify(reference.slice(0, 200))} ${why}; anything is accepted there`)
  }

  #definition(pointer: string, direction: Direction): Definition {
    const known = this.#definitions[direction].get(pointer)
    if (known !== undefined) return known
    const uses = new Set<string>()
    const schema = this.convert(valueAt(this.#document.root, pointer), direction, uses)
    const definition = { name: this.#nameOf(pointer), schema, uses }
    this.#definitions[direction].set(pointer, definition)
    return definition
  }

  /** The component's own name, as a key that needs no escaping in a reference. */
  #nameOf(pointer: string): string {
    const known = this.#names.get(pointer)
    if (known !== undefined) return known
    const parts = pointer.startsWith('/components/schemas/') ? pointer.slice(20) : pointer.slice(1)
    const base = parts.replaceAll(/~1|[^A-Za-z0-9_.-]+/g, '_').slice(0, 80) || 'Schema'
    let name = base
    for (let n = 2; this.#takenNames.has(name); n++) name = `${base}_${n}`
    this.#takenNames.add(name)
    this.#names.set(pointer, name)
    return name
  }
}

function pointerOfReference(reference: Json | undefined): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
}
