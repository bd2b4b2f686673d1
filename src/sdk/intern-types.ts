import type { NamedType, TypeNode } from './type-tree.ts'

/**
 * Gives equal types equal numbers. Descriptions, notes and hints do not count: two types are equal when they accept
 * the same values in the same words. Each node is looked at once, however often it is shared.
 */
export interface TypeInterner {
  idOf(node: TypeNode): number
  /** Intersections already made, by both sides: a part shared by many places is intersected once. */
  readonly intersections: Map<TypeNode, Map<TypeNode, TypeNode>>
  /** What is held on to. */
  readonly size: { readonly keys: number; readonly chars: number }
}

/** Numbers by object. */
interface Numbers<T> {
  get(key: T): number | undefined
  set(key: T, id: number): unknown
}

/** Bodies of recursive types longer than this are compared by identity instead of by shape. */
const MAX_RECURSIVE_KEY = 40_000

/** `keepsNodes: false`: an interner that outlives the types it has seen holds none of them. */
export function createTypeInterner({ keepsNodes } = { keepsNodes: true }): TypeInterner {
  const idByNode: Numbers<TypeNode> = keepsNodes ? new Map<TypeNode, number>() : new WeakMap<TypeNode, number>()
  const idByNamed: Numbers<NamedType> = keepsNodes ? new Map<NamedType, number>() : new WeakMap<NamedType, number>()
  const idByKey = new Map<string, number>()
  let keyChars = 0
  let unlikeTypes = 0
  // A type that is still being read is equal to itself alone.
  const serialByUnread = new Map<NamedType, number>()
  const unreadKey = (type: NamedType): string => {
    const serial = serialByUnread.get(type) ?? serialByUnread.size
    serialByUnread.set(type, serial)
    return `unread ${serial}`
  }

  function numberOf(key: string): number {
    let id = idByKey.get(key)
    if (id === undefined) {
      id = idByKey.size
      idByKey.set(key, id)
      keyChars += key.length
    }
    return id
  }

  function idOf(node: TypeNode): number {
    const known = idByNode.get(node)
    if (known !== undefined) return known
    const id = node.kind === 'named' ? idOfNamed(node.type) : numberOf(keyOf(node, partKey))
    idByNode.set(node, id)
    return id
  }

  /** Most parts are words and values, which are their own shortest key; no number looks like one of them. */
  function partKey(part: TypeNode): string {
    return part.kind === 'word' || part.kind === 'literal' ? keyOf(part, partKey) : String(idOf(part))
  }

  // Two catalogs may each hold the same recursive definition. Its key is its body with each recursive type replaced by
  // the order in which it is met, so the names that owners gave do not matter.
  function idOfNamed(type: NamedType): number {
    let id = idByNamed.get(type)
    if (id === undefined) {
      id = numberOf(recursiveKey(type, unreadKey) ?? `named ${(unlikeTypes += 1)}`)
      idByNamed.set(type, id)
    }
    return id
  }

  return {
    idOf,
    intersections: new Map(),
    get size() {
      return { keys: idByKey.size, chars: keyChars }
    },
  }
}

function recursiveKey(type: NamedType, unreadKey: (type: NamedType) => string): string | undefined {
  const orderByType = new Map<NamedType, number>()
  let length = 0
  const write = (node: TypeNode): string => {
    if (length > MAX_RECURSIVE_KEY) return ''
    let key: string
    if (node.kind !== 'named') key = keyOf(node, write)
    else {
      const order = orderByType.get(node.type)
      if (order !== undefined) key = `#${order}`
      else {
        orderByType.set(node.type, orderByType.size)
        key = `μ(${node.type.node === undefined ? unreadKey(node.type) : write(node.type.node)})`
      }
    }
    length += key.length
    return key
  }
  const key = write({ kind: 'named', type })
  return length > MAX_RECURSIVE_KEY ? undefined : key
}

function keyOf(node: TypeNode, idOf: (child: TypeNode) => string): string {
  switch (node.kind) {
    case 'word':
      return node.word
    case 'literal':
      return `=${JSON.stringify(node.value)}`
    case 'array':
      return `[${idOf(node.items)}]`
    case 'tuple': {
      const rest = node.rest === undefined ? '' : `...${idOf(node.rest)}`
      return `(${node.items.map(idOf).join(',')};${node.required};${rest})`
    }
    case 'object': {
      // A key may hold any character: its length says where it ends.
      let members = ''
      for (const { key, isOptional, node: child } of node.members) {
        members += `${key.length}${isOptional ? '?' : ':'}${key}=${idOf(child)},`
      }
      const index = node.index === undefined ? '' : idOf(node.index)
      const open = node.open === undefined || node.members.length > 0 ? '' : node.open.word
      return `{${members};${index};${open}}`
    }
    case 'union':
    case 'intersection':
      return `${node.kind === 'union' ? '|' : '&'}(${node.members.map(idOf).join(',')})`
    case 'loose':
      return `loose(${node.object === undefined ? '' : idOf(node.object)};${
        node.array === undefined ? '' : idOf(node.array)
      };${node.top.word})`
    case 'named':
      return '' // Never asked for: both callers treat named types themselves.
  }
}
