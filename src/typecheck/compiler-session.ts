import { isRecord } from '../data/json.ts'
import type { CompilerProcess } from './compiler-process.ts'
import { SyntaxTree, type TreeNode } from './syntax-tree.ts'

/** What the compiler says of one place. */
export interface Diagnostic {
  readonly start: number
  readonly end: number
  readonly code: number
  readonly text: string
  /** Why, step by step. */
  readonly chain: readonly string[]
  readonly related: readonly { readonly file: string; readonly text: string }[]
}

export interface TypeFact {
  readonly id: number
  readonly flags: number
  readonly hasSymbol: boolean
}

export interface SymbolFact {
  readonly name: string
  /** Files of its declarations. */
  readonly files: readonly string[]
}

/** Questions about one file in one state of its project. Answers are read with care: a program can make them odd. */
export interface FileQuestions {
  diagnostics(): Promise<readonly Diagnostic[]>
  tree(): Promise<SyntaxTree>
  typeOf(node: TreeNode): Promise<TypeFact | undefined>
  typeText(type: TypeFact): Promise<string>
  membersOf(type: TypeFact): Promise<readonly TypeFact[]>
  propertiesOf(type: TypeFact): Promise<readonly string[]>
  symbolOf(type: TypeFact): Promise<SymbolFact | undefined>
  symbolAt(position: number): Promise<SymbolFact | undefined>
  /** The file in which the function that a call calls is declared. */
  declaringFileOf(call: TreeNode): Promise<string | undefined>
}

export function askAbout(
  compiler: CompilerProcess,
  place: { readonly snapshot: number; readonly project: string; readonly file: string },
): FileQuestions {
  const { snapshot, project, file } = place
  let tree: Promise<SyntaxTree> | undefined
  const ask = (method: string, params: object) => compiler.request(method, { snapshot, project, ...params })
  const handle = (node: TreeNode) => `${node.index}.${node.kind}.${file}`

  return {
    async diagnostics() {
      const found = await ask('getSemanticDiagnostics', { file })
      return Array.isArray(found) ? found.flatMap(readDiagnostic) : []
    },
    tree() {
      tree ??= ask('getSourceFile', { file }).then(
        (answer) => new SyntaxTree(isRecord(answer) && typeof answer['data'] === 'string' ? answer['data'] : ''),
      )
      return tree
    },
    typeOf: async (node) => readType(await ask('getTypeAtLocation', { location: handle(node) })),
    typeText: async (type) => textOf(await ask('typeToString', { type: type.id })),
    async membersOf(type) {
      const types = await ask('getTypesOfType', { objectId: type.id })
      return Array.isArray(types) ? types.flatMap((one) => readType(one) ?? []) : []
    },
    async propertiesOf(type) {
      const symbols = await ask('getPropertiesOfType', { type: type.id })
      return Array.isArray(symbols) ? symbols.flatMap((one) => readSymbol(one)?.name ?? []) : []
    },
    symbolOf: async (type) =>
      type.hasSymbol ? readSymbol(await ask('getSymbolOfType', { objectId: type.id })) : undefined,
    symbolAt: async (position) => readSymbol(await ask('getSymbolAtPosition', { file, position })),
    async declaringFileOf(call) {
      const signature = await ask('getResolvedSignature', { location: handle(call) })
      return isRecord(signature) ? fileOfHandle(signature['declaration']) : undefined
    },
  }
}

const MAX_CHAIN = 12
/** Messages quote types, and a type can be as long as its owner likes. What is cut no longer reads as a message. */
const MAX_TEXT = 10_000

function readDiagnostic(value: unknown): readonly Diagnostic[] {
  if (!isRecord(value)) return []
  const { pos, end, code } = value
  if (typeof pos !== 'number' || typeof end !== 'number' || typeof code !== 'number') return []
  const chain: string[] = []
  for (let link = firstLink(value); link !== undefined && chain.length < MAX_CHAIN; link = firstLink(link))
    chain.push(textOf(link['text']))
  const related = Array.isArray(value['relatedInformation']) ? value['relatedInformation'] : []
  return [
    {
      start: pos,
      end,
      code,
      text: textOf(value['text']),
      chain,
      related: related
        .slice(0, 5)
        .flatMap((one: unknown) =>
          isRecord(one) ? [{ file: textOf(one['fileName']), text: textOf(one['text']) }] : [],
        ),
    },
  ]
}

function firstLink(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const links: unknown = value['messageChain']
  const first: unknown = Array.isArray(links) ? links[0] : undefined
  return isRecord(first) ? first : undefined
}

function readType(value: unknown): TypeFact | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'number' || typeof value['flags'] !== 'number') return undefined
  return { id: value['id'], flags: value['flags'], hasSymbol: typeof value['symbol'] === 'number' }
}

function readSymbol(value: unknown): SymbolFact | undefined {
  if (!isRecord(value) || typeof value['name'] !== 'string') return undefined
  const declarations = Array.isArray(value['declarations']) ? value['declarations'] : []
  return { name: value['name'], files: declarations.flatMap((one: unknown) => fileOfHandle(one) ?? []) }
}

/** `index.kind.path` */
function fileOfHandle(handle: unknown): string | undefined {
  return typeof handle === 'string' ? /^\d+\.\d+\.(.*)$/s.exec(handle)?.[1] : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : ''
}
