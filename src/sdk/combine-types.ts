import type { TypeInterner } from './intern-types.ts'
import type { Doc, LooseNode, Member, ObjectNode, TypeNode, WordNode } from './type-tree.ts'
import { BOOLEAN, isNever, isTop, NEVER } from './type-tree.ts'

/**
 * `anyOf` and `allOf` on type trees. Everything here errs on the wide side: a value that all parts accept is accepted
 * by the intersection, a value that one part accepts is accepted by the union.
 */

/** Pairwise products of two unions stop paying beyond this many pairs; the types then stand side by side with `&`. */
const MAX_PRODUCT = 64

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

export function unionOf(parts: readonly TypeNode[], interner: TypeInterner): TypeNode {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const kept = new Map<number | string, TypeNode>()
  let top: WordNode | undefined
  const looseParts: LooseNode[] = []
  const add = (node: TypeNode): void => {
    if (node.kind === 'union') node.members.forEach(add)
    else if (isTop(node)) top = node
    else if (node.kind === 'loose') looseParts.push(node)
    else if (node.kind === 'literal') kept.set(JSON.stringify(node.value), node)
    else if (!isNever(node)) kept.set(interner.idOf(node), node)
  }
  parts.forEach(add)
  if (top !== undefined) return top
  const members = mergeBooleans([...kept.values()])
  const [loose] = looseParts
  if (loose !== undefined) return unionWithLoose(looseParts, members, loose.top, interner)
  const [only] = members
  if (only === undefined) return NEVER
  return members.length === 1 ? only : { kind: 'union', members }
}

export function intersectionOf(a: TypeNode, b: TypeNode, interner: TypeInterner): TypeNode {
  if (a === b || isTop(b) || isNever(a)) return a
  if (isTop(a) || isNever(b)) return b
  const known = interner.intersections.get(a)?.get(b)
  if (known !== undefined) return known
  const result = intersectUnequal(a, b, interner)
  const row = interner.intersections.get(a) ?? new Map<TypeNode, TypeNode>()
  interner.intersections.set(a, row.set(b, result))
  return result
}

function intersectUnequal(a: TypeNode, b: TypeNode, interner: TypeInterner): TypeNode {
  if (interner.idOf(a) === interner.idOf(b)) return a
  if (a.kind === 'loose') return intersectLoose(a, b, interner)
  if (b.kind === 'loose') return intersectLoose(b, a, interner)
  if (a.kind === 'union' || b.kind === 'union') return intersectUnion(a, b, interner)
  if (a.kind === 'intersection') return intersectGroup(a.members, b, interner)
  if (b.kind === 'intersection') return intersectGroup(b.members, a, interner)
  if (a.kind === 'named' || b.kind === 'named') return isPlainObject(b) ? a : isPlainObject(a) ? b : sideBySide(a, b)

  const kind = kindOf(a)
  if (kind !== kindOf(b)) return NEVER
  if (a.kind === 'object' && b.kind === 'object') return mergeObjects(a, b, interner)
  if (a.kind === 'literal') return b.kind === 'literal' ? NEVER : a
  if (b.kind === 'literal') return b
  return intersectArrays(a, b, interner)
}

/** Whether it says no more than "an object". */
export function isPlainObject(node: TypeNode): boolean {
  return node.kind === 'object' && node.members.length === 0 && node.index === undefined
}

function kindOf(node: TypeNode): Kind | undefined {
  switch (node.kind) {
    case 'word':
      return node.word === 'string' || node.word === 'number' || node.word === 'boolean' || node.word === 'null'
        ? node.word
        : undefined
    case 'literal':
      return typeof node.value as 'string' | 'number' | 'boolean' // The only types a literal has.
    case 'array':
    case 'tuple':
      return 'array'
    case 'object':
      return 'object'
    case 'union':
    case 'intersection':
    case 'loose':
    case 'named':
      return undefined
  }
}

function mergeBooleans(members: readonly TypeNode[]): readonly TypeNode[] {
  const isTruth = (node: TypeNode): boolean => node.kind === 'literal' && typeof node.value === 'boolean'
  const hasWord = members.some((node) => node.kind === 'word' && node.word === 'boolean')
  if (!hasWord && members.filter(isTruth).length < 2) return members
  const first = members.findIndex((node) => isTruth(node) || (node.kind === 'word' && node.word === 'boolean'))
  return members
    .map((node, at) => (at === first ? BOOLEAN : node))
    .filter((node, at) => at === first || !(isTruth(node) || (node.kind === 'word' && node.word === 'boolean')))
}

/** A loose part accepts every scalar, so only what the parts say of objects and arrays is left to say. */
function unionWithLoose(
  looseParts: readonly LooseNode[],
  others: readonly TypeNode[],
  top: WordNode,
  interner: TypeInterner,
): TypeNode {
  // `named` and `&` types may be objects or not; leaving them out of the hints would make the hints too narrow.
  if (others.some((node) => node.kind === 'named' || node.kind === 'intersection')) return top
  const hint = (kind: 'object' | 'array'): TypeNode | undefined => {
    const own: TypeNode[] = []
    for (const part of looseParts) {
      const said = part[kind]
      if (said === undefined) return undefined
      own.push(said)
    }
    return unionOf([...own, ...others.filter((node) => kindOf(node) === kind)], interner)
  }
  return looseNode(hint('object'), hint('array'), top)
}

export function looseNode(object: TypeNode | undefined, array: TypeNode | undefined, top: WordNode): TypeNode {
  if (object === undefined && array === undefined) return top
  return { kind: 'loose', ...(object !== undefined && { object }), ...(array !== undefined && { array }), top }
}

function intersectLoose(loose: LooseNode, other: TypeNode, interner: TypeInterner): TypeNode {
  if (other.kind === 'loose') {
    const both = (a: TypeNode | undefined, b: TypeNode | undefined): TypeNode | undefined =>
      a === undefined || b === undefined ? (a ?? b) : intersectionOf(a, b, interner)
    return looseNode(both(loose.object, other.object), both(loose.array, other.array), loose.top)
  }
  if (other.kind === 'union') {
    return unionOf(
      other.members.map((member) => intersectLoose(loose, member, interner)),
      interner,
    )
  }
  if (other.kind === 'intersection') {
    const isObject = other.members.some((member) => kindOf(member) === 'object')
    return isObject && loose.object !== undefined ? intersectionOf(loose.object, other, interner) : other
  }
  if (other.kind === 'named') {
    const isObject = other.type.node !== undefined && kindOf(other.type.node) === 'object'
    return isObject && loose.object !== undefined ? intersectionOf(loose.object, other, interner) : other
  }
  const said = kindOf(other) === 'object' ? loose.object : kindOf(other) === 'array' ? loose.array : undefined
  return said === undefined ? other : intersectionOf(said, other, interner)
}

function intersectUnion(a: TypeNode, b: TypeNode, interner: TypeInterner): TypeNode {
  const left = a.kind === 'union' ? a.members : [a]
  const right = b.kind === 'union' ? b.members : [b]
  if (left.length * right.length > MAX_PRODUCT && left.length > 1 && right.length > 1) return sideBySide(a, b)
  // `Base & (A | B)` is shorter and reads better than `(Base & A) | (Base & B)`, so objects with members stay apart.
  const [base, choices] = a.kind === 'union' ? [b, a] : [a, b]
  if (base.kind !== 'union' && !isPlainObject(base) && (kindOf(base) === 'object' || base.kind === 'intersection')) {
    const fitting = (choices.kind === 'union' ? choices.members : []).filter(
      (choice) => kindOf(choice) === 'object' || kindOf(choice) === undefined,
    )
    const [only] = fitting
    if (only === undefined) return NEVER
    if (fitting.length === 1) return intersectionOf(base, only, interner)
    const choice = unionOf(fitting, interner)
    return a.kind === 'union' ? sideBySide(choice, base) : sideBySide(base, choice)
  }
  return unionOf(
    left.flatMap((one) => right.map((other) => intersectionOf(one, other, interner))),
    interner,
  )
}

function intersectGroup(members: readonly TypeNode[], other: TypeNode, interner: TypeInterner): TypeNode {
  if (isPlainObject(other)) return { kind: 'intersection', members }
  const at =
    other.kind === 'object' ? members.findIndex((member) => member.kind === 'object' && isMergeable(member)) : -1
  const mergeWith = at === -1 ? undefined : members[at]
  if (mergeWith !== undefined && other.kind === 'object' && isMergeable(other)) {
    const merged = intersectionOf(mergeWith, other, interner)
    return { kind: 'intersection', members: members.map((member, index) => (index === at ? merged : member)) }
  }
  if (members.some((member) => interner.idOf(member) === interner.idOf(other))) return { kind: 'intersection', members }
  const kind = kindOf(other)
  if (kind !== undefined && members.some((member) => kindOf(member) !== undefined && kindOf(member) !== kind))
    return NEVER
  return sideBySide({ kind: 'intersection', members }, other)
}

function sideBySide(a: TypeNode, b: TypeNode): TypeNode {
  const parts = (node: TypeNode): readonly TypeNode[] => (node.kind === 'intersection' ? node.members : [node])
  return { kind: 'intersection', members: [...parts(a), ...parts(b)] }
}

function isMergeable(node: ObjectNode): boolean {
  return node.index === undefined
}

function mergeObjects(a: ObjectNode, b: ObjectNode, interner: TypeInterner): TypeNode {
  if (isPlainObject(a)) return b
  if (isPlainObject(b)) return a
  // An index signature speaks of the other object's members too; TypeScript's `&` says that, a merge would not.
  if (!isMergeable(a) || !isMergeable(b)) return sideBySide(a, b)
  const memberByKey = new Map<string, Member>()
  for (const member of a.members) memberByKey.set(member.key, member)
  for (const member of b.members) {
    const known = memberByKey.get(member.key)
    memberByKey.set(member.key, known === undefined ? member : mergeMembers(known, member, interner))
  }
  const hint = a.hint ?? b.hint
  return {
    kind: 'object',
    members: [...memberByKey.values()],
    ...(a.open !== undefined && b.open !== undefined && { open: a.open }),
    ...(hint !== undefined && { hint }),
  }
}

function mergeMembers(a: Member, b: Member, interner: TypeInterner): Member {
  const node = intersectionOf(a.node, b.node, interner)
  // `never` is not left for the reader to puzzle over.
  const isContradiction = isNever(node) && !isNever(a.node) && !isNever(b.node)
  const doc = mergeDocs(mergeDocs(a.doc, b.doc), isContradiction ? { terms: ['no value fits'] } : undefined)
  return {
    key: a.key,
    node,
    isOptional: a.isOptional && b.isOptional,
    ...(doc !== undefined && { doc }),
  }
}

export function mergeDocs(a: Doc | undefined, b: Doc | undefined): Doc | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const text = a.text ?? b.text
  return { ...(text !== undefined && { text }), terms: [...new Set([...a.terms, ...b.terms])] }
}

function intersectArrays(a: TypeNode, b: TypeNode, interner: TypeInterner): TypeNode {
  if (a.kind === 'array' && b.kind === 'array') {
    return { kind: 'array', items: intersectionOf(a.items, b.items, interner) }
  }
  // Exact for the usual case (a tuple and "an array of anything"), else only wider: the other side is left out.
  if (a.kind === 'tuple') return a
  return b.kind === 'tuple' ? b : a
}
