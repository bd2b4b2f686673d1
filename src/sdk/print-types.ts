import { docText } from './doc-text.ts'
import { RESERVED_TYPE_NAMES } from './reserved-type-names.ts'
import { propertyKey, stringLiteral } from './safe-text.ts'
import { groupArguments } from './shared-arguments.ts'
import type { ArgumentGroup } from './shared-arguments.ts'
import { agreedDoc, surveyTypes, usesIn } from './survey-types.ts'
import type { NamedUse, TypeRoot } from './survey-types.ts'
import { partsOf, typeLibrary } from './type-facts.ts'
import type { Member, ObjectNode, TypeNode } from './type-tree.ts'

export interface TypePrinter {
  /** `indent` is that of the line on which the type starts. */
  print(root: TypeRoot, indent: string): string
  /** Equal for the same root: printed in any text, it looks the same. */
  namesIn(root: TypeRoot): string
  /** `type Name = …` for every name that was given, in order of first use; the same whatever was printed. */
  readonly declarations: readonly string[]
}

export interface PrintOptions {
  /** Longest description of one member; 0 leaves all comments out. */
  readonly docChars: number
}

/** Objects without comments up to this length stay on one line. */
const INLINE_CHARS = 100
const STEP = ' '
const MAX_NAME = 40

/**
 * Prints all types of one text. A type that contains itself, or that occurs more than once and is long enough, gets a
 * name and is written once. Which types those are depends on the roots alone.
 */
export function createTypePrinter(roots: readonly TypeRoot[], options: PrintOptions): TypePrinter {
  const library = typeLibrary()
  const { interner } = library
  const survey = surveyTypes(roots, library)
  const groupsByRoot =
    options.docChars === 0
      ? new Map<TypeRoot, readonly ArgumentGroup[]>()
      : groupArguments(roots, library, options.docChars)
  const nameById = new Map<number, string>()
  const taken = new Set<string>()
  for (const { id, hint } of survey.named) nameById.set(id, claimName(hint, taken))
  const nameByGroup = new Map<ArgumentGroup, string>()
  for (const group of [...groupsByRoot.values()].flat()) {
    if (!nameByGroup.has(group)) nameByGroup.set(group, claimName(`${group.members[0]?.key ?? ''} args`, taken))
  }
  // While a declaration is written: all nodes that it stands for, and the one that is written.
  let declared: { readonly node: TypeNode; readonly nodes: readonly TypeNode[] } | undefined
  const hasDocsByNode = new Map<TypeNode, boolean>()

  const write = (node: TypeNode, indent: string): string => {
    if (node.kind === 'word' || node.kind === 'literal') return writeBody(node, indent)
    const name = nameById.get(interner.idOf(node))
    return name ?? writeBody(node, indent)
  }

  function writeBody(node: TypeNode, indent: string): string {
    switch (node.kind) {
      case 'word':
        return node.word
      case 'literal':
        return typeof node.value === 'string' ? stringLiteral(node.value) : String(node.value)
      case 'array':
        return `${writeTight(node.items, indent)}[]`
      case 'tuple': {
        const items = node.items.map((item, at) =>
          at < node.required ? write(item, indent) : `${writeTight(item, indent)}?`,
        )
        if (node.rest !== undefined) items.push(`...${writeTight(node.rest, indent)}[]`)
        return `[${items.join(', ')}]`
      }
      case 'object':
        return writeObject(node, indent)
      case 'union':
        return node.members.map((member) => write(member, indent)).join(' | ')
      case 'intersection':
        return node.members.map((member) => writeTight(member, indent)).join(' & ')
      case 'loose': {
        const hints = [node.object, node.array].filter((hint) => hint !== undefined)
        // A result of `A | any` shows its shape and refuses nothing; arguments are held to what the schema says.
        if (node.top.word === 'any') return [...hints.map((hint) => write(hint, indent)), 'any'].join(' | ')
        const object = node.object === undefined ? '{ [key: string]: unknown }' : write(node.object, indent)
        const array = node.array === undefined ? 'unknown[]' : write(node.array, indent)
        return [object, array, 'string', 'number', 'boolean', 'null'].join(' | ')
      }
      case 'named':
        return node.type.node === undefined ? 'unknown' : writeBody(node.type.node, indent)
    }
  }

  /** As an operand: what would fall apart beside `[]` or `&` stands in parentheses. */
  function writeTight(node: TypeNode, indent: string): string {
    const text = write(node, indent)
    const isOpen = node.kind === 'union' || node.kind === 'intersection' || node.kind === 'loose'
    return isOpen && !nameById.has(interner.idOf(node)) ? `(${text})` : text
  }

  function writeObject(node: ObjectNode, indent: string): string {
    const index = node.index ?? (node.members.length === 0 ? node.open : undefined)
    if (node.members.length === 0 && index === undefined) return '{}'
    if (!hasDocs(node) && survey.lengthOf(node) <= INLINE_CHARS) {
      const parts = node.members.map((member) => writeMember(member, indent))
      if (index !== undefined) parts.push(`[key: string]: ${write(index, indent)}`)
      return `{ ${parts.join('; ')} }`
    }
    const inner = indent + STEP
    const lines = node.members.flatMap((member) => withDoc(member, writeMember(member, inner), inner, node))
    if (index !== undefined) lines.push(`${inner}[key: string]: ${write(index, inner)}`)
    return `{\n${lines.join('\n')}\n${indent}}`
  }

  function writeMember(member: Member, indent: string): string {
    return `${propertyKey(member.key)}${member.isOptional ? '?' : ''}: ${write(member.node, indent)}`
  }

  /** A short member has its comment behind it, a long one before it. */
  function withDoc(member: Member, text: string, indent: string, owner: ObjectNode): readonly string[] {
    const doc = declared?.node === owner ? agreedDoc(declared.nodes, member) : member.doc
    const comment = doc === undefined ? '' : docText(doc, options.docChars)
    if (comment === '') return [indent + text]
    return text.includes('\n') ? [`${indent}// ${comment}`, indent + text] : [`${indent}${text} // ${comment}`]
  }

  /** Whether a comment would be printed inside. Named parts bring none along. */
  function hasDocs(node: TypeNode): boolean {
    if (options.docChars === 0 || node.kind === 'word' || node.kind === 'literal') return false
    let known = hasDocsByNode.get(node)
    if (known === undefined) {
      const partHasDocs = (part: TypeNode): boolean => hasDocs(part) && !nameById.has(interner.idOf(part))
      known = node.kind === 'object' && node.members.some((member) => member.doc !== undefined)
      known ||= partsOf(node).some(partHasDocs)
      hasDocsByNode.set(node, known)
    }
    return known
  }

  function printRoot(root: TypeRoot, indent: string): string {
    const { node, mayBeNamed } = root
    if (mayBeNamed || node.kind === 'named') return write(node, indent)
    const groups = groupsByRoot.get(root)
    if (groups === undefined || node.kind !== 'object') return writeBody(node, indent)
    const grouped = new Set(groups.flatMap(({ members }) => members.map(({ key }) => key)))
    const own = node.members.filter(({ key }) => !grouped.has(key))
    const names = groups.map((group) => nameByGroup.get(group) ?? 'unknown')
    return [...names, ...(own.length === 0 ? [] : [writeObject({ ...node, members: own }, indent)])].join(' & ')
  }

  function declare(use: NamedUse): string {
    const text = knownDeclaration(use, options.docChars)
    const names = namesInside(use)
    if (text?.names === names) return text.text
    declared = { node: bodyOf(use.node), nodes: use.nodes.map(bodyOf) }
    const written = `type ${nameById.get(use.id)} = ${writeBody(use.node, '')}`
    declared = undefined
    declarationByNode.set(use.node, { nodes: use.nodes, docChars: options.docChars, names, text: written })
    return written
  }

  function namesInside({ node, hint }: NamedUse): string {
    const inside = rootsByNode.get(node) ?? { node, hint, mayBeNamed: true, memo: {} }
    rootsByNode.set(node, inside)
    return usesIn(inside, library)
      .uses.map(({ id }) => nameById.get(id) ?? '')
      .join()
  }

  return {
    declarations: [
      ...survey.named.map(declare),
      ...[...nameByGroup].map(([group, name]) => `type ${name} = ${writeObject({ kind: 'object', ...group }, '')}`),
    ],
    print: printRoot,
    namesIn(root) {
      let names = ''
      for (const { id } of usesIn(root, library).uses) names += `${nameById.get(id) ?? ''},`
      // A group of the same name may hold other members in another text.
      for (const group of groupsByRoot.get(root) ?? [])
        names += `${nameByGroup.get(group)}(${group.members.map(({ key }) => key).join(' ')})`
      return names
    },
  }
}

function bodyOf(node: TypeNode): TypeNode {
  return node.kind === 'named' ? (node.type.node ?? node) : node
}

interface Declaration {
  readonly nodes: readonly TypeNode[]
  readonly docChars: number
  readonly names: string
  readonly text: string
}
const declarationByNode = new WeakMap<TypeNode, Declaration>()
const rootsByNode = new WeakMap<TypeNode, TypeRoot>()

function knownDeclaration({ node, nodes }: NamedUse, docChars: number): Declaration | undefined {
  const known = declarationByNode.get(node)
  if (known?.docChars !== docChars || known.nodes.length !== nodes.length) return undefined
  return known.nodes.every((one, at) => one === nodes[at]) ? known : undefined
}

/** `order item` → `OrderItem`. A word that is taken by the library or the prelude gets a prefix, a second one a number. */
function claimName(hint: string, taken: Set<string>): string {
  const words = hint.slice(0, 200).match(/[A-Za-z0-9]+/g) ?? []
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const wanted = (/^[A-Za-z]/.test(joined) ? joined : `T${joined}`).slice(0, MAX_NAME)
  const base = RESERVED_TYPE_NAMES.has(wanted) ? `The${wanted}` : wanted
  let name = base
  for (let n = 2; taken.has(name) || RESERVED_TYPE_NAMES.has(name); n += 1) name = `${base}${n}`
  taken.add(name)
  return name
}
