import { isRecord } from '../data/json.ts'
import { typeMeant } from '../schema/full/type-words.ts'
import type { TypeNode, WordNode } from './type-tree.ts'
import { BOOLEAN, NULL, NUMBER, STRING } from './type-tree.ts'

/** The words of JSON Schema's `type`, and `any` for what owners write when they mean no limit. */
export type TypeWord = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object' | 'any'

const STANDARD = new Set<string>(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'])

export interface ReadType {
  /** Absent: the schema says nothing of the type. */
  readonly words?: readonly TypeWord[]
  /** Words that are not JSON Schema's own, as written. */
  readonly foreign: readonly string[]
}

const UNSAID: ReadType = { foreign: [] }
const USUAL = new Map<string, ReadType>([...STANDARD].map((word) => [word, { words: [word as TypeWord], foreign: [] }])) // As below.

/** Reads `type` however it is written. A word nobody knows allows anything: better too wide than a refused call. */
export function readType(type: unknown): ReadType {
  if (type === undefined) return UNSAID
  const usual = typeof type === 'string' ? USUAL.get(type) : undefined
  if (usual !== undefined) return usual
  const words: TypeWord[] = []
  const foreign: string[] = []
  for (const word of Array.isArray(type) ? type.slice(0, 16) : [type]) {
    // Draft 3 allowed schemas in here.
    if (isRecord(word) || typeof word !== 'string') {
      words.push('any')
      foreign.push(isRecord(word) ? 'a schema' : String(word).slice(0, 20))
    } else if (STANDARD.has(word))
      words.push(word as TypeWord) // `STANDARD` holds these words and no others.
    else {
      // The validator's own reading: what it accepts, the type accepts.
      words.push(typeMeant(word) ?? 'any')
      foreign.push(word.slice(0, 40))
    }
  }
  return words.length === 0 ? { foreign: ['[]'] } : { words, foreign }
}

/** The type of a scalar word; lists and objects take more than their word. */
export function wordNode(word: TypeWord, top: WordNode): TypeNode {
  switch (word) {
    case 'null':
      return NULL
    case 'boolean':
      return BOOLEAN
    case 'number':
    case 'integer':
      return NUMBER
    case 'string':
      return STRING
    case 'object':
    case 'array':
    case 'any':
      return top
  }
}
