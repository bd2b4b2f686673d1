import { isRecord } from '../../data/json.ts'
import type { Json, JsonObject } from '../../data/json.ts'
import type { SchemaType } from '../spec.ts'
import { describeValue, quote } from '../wording.ts'
import type { Keyword, Node, Site } from './keyword.ts'

export const properties: Keyword = {
  name: 'properties',
  compile(value, site) {
    refuseForeignType(site, 'properties', 'object')
    if (!isRecord(value)) {
      site.problem(`properties must be an object of schemas; got ${describeValue(value)}`, 'properties')
      return undefined
    }
    const nodes = Object.keys(value).map((name): readonly [string, Node] => [
      name,
      site.child(value[name] as Json, 'properties', name), // Own key.
    ])
    return (found, visit) => {
      if (!isRecord(found)) return
      for (const [name, node] of nodes) {
        if (Object.hasOwn(found, name)) visit.descend(node, found[name] as Json, name)
      }
    }
  },
}

/** Names a schema declares; none when it declares them wrongly. */
export function declaredNames(schema: JsonObject): string[] {
  const declared = Object.hasOwn(schema, 'properties') ? schema['properties'] : undefined
  return isRecord(declared) ? Object.keys(declared) : []
}

/** A keyword beside a type it says nothing about is a slip that would silently check nothing. */
export function refuseForeignType(site: Site, keyword: string, type: SchemaType): void {
  const stated = Object.hasOwn(site.schema, 'type') ? site.schema['type'] : undefined
  if (typeof stated === 'string' && stated !== type) {
    site.problem(`${keyword} says something about type ${quote(type)} only; the type here is ${quote(stated)}`, keyword)
  }
}
