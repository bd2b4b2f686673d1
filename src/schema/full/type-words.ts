import type { SchemaType } from '../spec.ts'

/** Words that schemas of other languages use for a type, in lower case. What is in neither table means anything. */
const MEANT: Readonly<Record<SchemaType, readonly string[]>> = {
  object: ['dict', 'dictionary', 'map', 'hashmap', 'record', 'struct', 'mapping'],
  array: ['list', 'arraylist', 'tuple', 'set', 'sequence', 'vector'],
  string: ['str', 'char', 'text', 'character', 'varchar', 'date', 'datetime', 'uuid', 'url'],
  number: ['float', 'double', 'decimal', 'numeric', 'real', 'float32', 'float64'],
  integer: ['int', 'long', 'short', 'byte', 'bigint', 'int32', 'int64', 'uint', 'uint32', 'uint64'],
  boolean: ['bool', 'bit'],
  null: ['none', 'nil', 'nonetype'],
}

const BY_WORD: ReadonlyMap<string, SchemaType> = new Map(
  (Object.keys(MEANT) as SchemaType[]).flatMap((type) => [type, ...MEANT[type]].map((word) => [word, type] as const)),
)

/** The type a word most likely means: `List[str]` is an array. Nothing: it may be anything, as `any` or `json` say. */
export function typeMeant(word: string): SchemaType | undefined {
  const plain = word.trim().toLowerCase()
  return BY_WORD.get(plain) ?? BY_WORD.get(/^([a-z0-9]+)\s*[<([]/.exec(plain)?.[1] ?? '')
}
