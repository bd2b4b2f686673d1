/**
 * The compiler's own tree of a program, as far as it is needed to ask about a place: kinds, ranges and parents, in the
 * order of a walk. Numbers are those of the pinned compiler version.
 */
export interface TreeNode {
  readonly index: number
  readonly kind: number
  /** With the blanks before it. */
  readonly start: number
  readonly end: number
  readonly parent: number
}

export const KIND = {
  identifier: 79,
  objectBinding: 207,
  objectLiteral: 211,
  propertyAccess: 212,
  call: 214,
  construct: 215,
  functionExpression: 219,
  arrow: 220,
  functionDeclaration: 263,
} as const

const TYPE_KINDS = { first: 183, last: 206, heritage: 234 } as const
const PROPERTIES: readonly number[] = [303, 304, 175]
const METHODS: readonly number[] = [175, 177, 178, 179]

const HEADER_NODES = 40
const NODE_BYTES = 28
/** Lists of nodes stand in the table like nodes. */
const LIST_KIND = 0xffff_ffff

export class SyntaxTree {
  readonly #bytes: Buffer
  readonly #first: number
  readonly count: number

  /** `base64` is the compiler's encoding. Throws for what is not one. */
  constructor(base64: string) {
    this.#bytes = Buffer.from(base64, 'base64')
    this.#first = this.#bytes.readUInt32LE(HEADER_NODES)
    this.count = Math.floor((this.#bytes.length - this.#first) / NODE_BYTES)
  }

  node(index: number): TreeNode | undefined {
    if (!(index >= 0 && index < this.count)) return undefined
    const at = this.#first + index * NODE_BYTES
    return {
      index,
      kind: this.#bytes.readUInt32LE(at),
      start: this.#bytes.readInt32LE(at + 4),
      end: this.#bytes.readInt32LE(at + 8),
      parent: this.#bytes.readUInt32LE(at + 16),
    }
  }

  /** Read for every node of a program, without making an object of each. */
  #endOf(index: number): number {
    return this.#bytes.readInt32LE(this.#first + index * NODE_BYTES + 8)
  }

  parentOf(node: TreeNode): TreeNode | undefined {
    let parent = node.index === 0 ? undefined : this.node(node.parent)
    while (parent?.kind === LIST_KIND) parent = parent.index === 0 ? undefined : this.node(parent.parent)
    return parent
  }

  /** The first child: the receiver of a member access, what a call calls. */
  firstChildOf(node: TreeNode): TreeNode | undefined {
    const child = this.node(node.index + 1)
    return child !== undefined && child.parent === node.index ? child : undefined
  }

  /** The smallest node that ends at `end` and begins, blanks aside, at or before `start`; the outermost of equals. */
  find(start: number, end: number, kind?: number): TreeNode | undefined {
    let best: TreeNode | undefined
    for (let index = 0; index < this.count; index++) {
      if (this.#endOf(index) !== end) continue
      const node = this.node(index)
      if (node === undefined || node.kind === LIST_KIND || node.start > start) continue
      if (kind !== undefined && node.kind !== kind) continue
      if (best === undefined || node.end - node.start < best.end - best.start) best = node
    }
    return best
  }

  /** The property of an object literal whose key stands there. */
  propertyAround(start: number, end: number): TreeNode | undefined {
    let at = this.find(start, end)
    while (at !== undefined && !PROPERTIES.includes(at.kind)) {
      if (at.kind === KIND.objectLiteral || isFunction(at.kind)) return undefined
      at = this.parentOf(at)
    }
    return at
  }

  /** The keys of an object literal; nothing when it holds more than plain properties. */
  keysOf(literal: TreeNode, text: string): readonly string[] | undefined {
    const keys: string[] = []
    for (let index = literal.index + 1; index < this.count; index++) {
      const node = this.node(index)
      if (node === undefined || node.start >= literal.end) break
      if (node.kind === LIST_KIND || this.parentOf(node)?.index !== literal.index) continue
      const key = this.firstChildOf(node)
      if (!PROPERTIES.includes(node.kind) || key === undefined || key.kind > KIND.identifier) return undefined
      keys.push(
        text
          .slice(key.start, key.end)
          .trim()
          .replace(/^(['"])(.*)\1$/s, '$2'),
      )
    }
    return keys
  }

  /** The innermost call in whose arguments the place stands, with no function in between. */
  callAround(start: number, end: number): TreeNode | undefined {
    let best: TreeNode | undefined
    for (let index = 0; index < this.count; index++) {
      if (this.#endOf(index) < end) continue
      const node = this.node(index)
      if (node === undefined || node.start > start) continue
      if (isFunction(node.kind)) best = undefined
      else if (node.kind === KIND.call || node.kind === KIND.construct) {
        const callee = this.firstChildOf(node)
        if (callee !== undefined && callee.end <= start) best = node
      }
    }
    return best?.kind === KIND.call ? best : undefined
  }

  /** Whether the place is only about types, which leave nothing at run time. */
  isInType(node: TreeNode): boolean {
    for (let at: TreeNode | undefined = node; at !== undefined; at = this.parentOf(at)) {
      if ((at.kind >= TYPE_KINDS.first && at.kind <= TYPE_KINDS.last) || at.kind === TYPE_KINDS.heritage) return true
      if (isFunction(at.kind) || at.kind === KIND.call) return false
    }
    return false
  }
}

function isFunction(kind: number): boolean {
  return (
    kind === KIND.functionExpression ||
    kind === KIND.arrow ||
    kind === KIND.functionDeclaration ||
    METHODS.includes(kind)
  )
}
