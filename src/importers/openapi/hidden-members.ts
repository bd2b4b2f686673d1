import { isRecord, type Json, type JsonObject } from '../../data/json.ts'
import type { Direction } from './convert-schema.ts'

const MAX_DEPTH = 8
const MAX_VISITS = 200

/**
 * Properties of a schema (its own, and those that references and `allOf` bring in) that are not there in a direction:
 * `readOnly` ones are not sent, `writeOnly` ones do not come back.
 */
export function hiddenMembers(
  schema: JsonObject,
  direction: Direction,
  resolve: (reference: Json | undefined) => Json | undefined,
): ReadonlySet<string> {
  const hidden = new Set<string>()
  const flag = direction === 'input' ? 'readOnly' : 'writeOnly'
  let visits = 0
  const visit = (node: Json | undefined, depth: number): void => {
    if (!isRecord(node) || depth > MAX_DEPTH || ++visits > MAX_VISITS) return
    const { properties, allOf, $ref } = node as JsonObject
    if (isRecord(properties)) {
      for (const [name, property] of Object.entries(properties as JsonObject)) {
        if (isFlagged(property, flag, resolve)) hidden.add(name)
      }
    }
    if ($ref !== undefined) visit(resolve($ref), depth + 1)
    if (Array.isArray(allOf)) for (const member of allOf) visit(member as Json, depth + 1)
  }
  visit(schema, 0)
  return hidden
}

function isFlagged(property: Json, flag: string, resolve: (reference: Json | undefined) => Json | undefined): boolean {
  if (!isRecord(property)) return false
  if (property[flag] === true) return true
  const target = property['$ref'] === undefined ? undefined : resolve((property as JsonObject)['$ref'])
  return isRecord(target) && target[flag] === true
}
