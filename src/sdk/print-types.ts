import { createTypeInterner } from './intern-types.ts'
import { RESERVED_TYPE_NAMES } from './reserved-type-names.ts'
import { commentText, propertyKey, stringLiteral } from './safe-text.ts'
import { surveyTypes } from './survey-types.ts'
import type { TypeRoot } from './survey-types.ts'
import type { Doc, Member, ObjectNode, TypeNode } from './type-tree.ts'

export interface TypePrinter {
  /** `indent` is that of the line on which the type starts. */
  print(root: TypeRoot, indent: string): string
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
  const interner = createTypeInterner()
  const survey = surveyTypes(roots, interner)
  const nameById = new Map<number, string>()
  const taken = new Set(RESERVED_TYPE_NAMES)
  for (const { id, hint } of survey.named) nameById.set(id, claimName(hint, taken))
  const hasDocsByNode = new Map<TypeNode, boolean>()

  const write = (node: TypeNode, indent: string): string => {
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
    const doc = survey.docOf(owner, member, nameById.has(interner.idOf(owner)))
    const comment = doc === undefined ? '' : docText(doc, options.docChars)
    if (comment === '') return [indent + text]
    return text.includes('\n') ? [`${indent}// ${comment}`, indent + text] : [`${indent}${text} // ${comment}`]
  }

  /** Whether a comment would be printed inside. Named parts bring none along. */
  function hasDocs(node: TypeNode): boolean {
    if (options.docChars === 0) return false
    let known = hasDocsByNode.get(node)
    if (known === undefined) {
      const partHasDocs = (part: TypeNode): boolean => !nameById.has(interner.idOf(part)) && hasDocs(part)
      known = survey.partsOf(node).some(partHasDocs)
      if (node.kind === 'object') known ||= node.members.some((member) => member.doc !== undefined)
      hasDocsByNode.set(node, known)
    }
    return known
  }

  const declarations = survey.named.map(({ id, node }) => `type ${nameById.get(id)} = ${writeBody(node, '')}`)
  return {
    declarations,
    print: ({ node, mayBeNamed }, indent) =>
      mayBeNamed || node.kind === 'named' ? write(node, indent) : writeBody(node, indent),
  }
}

/** Words first, then what the type cannot say, in parentheses; both within one line. */
export function docText(doc: Doc, maxChars: number): string {
  if (maxChars === 0) return ''
  const text = doc.text === undefined ? '' : commentText(doc.text, maxChars)
  const terms = doc.terms.length === 0 ? '' : commentText(doc.terms.join(', '), Math.max(maxChars, 120))
  if (terms === '') return text
  return text === '' ? terms : `${text} (${terms})`
}

/** `order item` → `OrderItem`. A word that is taken by the library or the prelude gets a prefix, a second one a number. */
function claimName(hint: string, taken: Set<string>): string {
  const words = hint.slice(0, 200).match(/[A-Za-z0-9]+/g) ?? []
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const wanted = (/^[A-Za-z]/.test(joined) ? joined : `T${joined}`).slice(0, MAX_NAME)
  const base = RESERVED_TYPE_NAMES.has(wanted) ? `The${wanted}` : wanted
  let name = base
  for (let n = 2; taken.has(name); n += 1) name = `${base}${n}`
  taken.add(name)
  return name
}
