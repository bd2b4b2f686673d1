import { commentText, propertyKey } from '../safe-text.ts'
import { callableTools } from '../sdk-view.ts'
import type { PlacedTool, SdkNames, SdkView } from '../sdk-view.ts'
import { typesOfTool } from '../tool-types.ts'
import type { SdkWarning } from '../tool-types.ts'
import { escapeHidden } from './escape-hidden.ts'
import { createInterfaceNames } from './interface-names.ts'
import type { InterfaceNames } from './interface-names.ts'
import { ownTypes } from './own-types.ts'
import { plainSchema } from './plain-schema.ts'

export interface RenderedInterfaces {
  /** TypeScript with exports, one or two declarations a tool and `Tools` at the end. It compiles under `strict`. */
  readonly text: string
  readonly warnings: readonly SdkWarning[]
}

type Compile = (typeof import('json-schema-to-typescript'))['compile']
type CompileOptions = NonNullable<Parameters<Compile>[2]>

const TOOLS = 'Tools'
const HEAD = '// The types of the tools of one catalog. Made by `codeferry sdk --style interfaces`.\n'
const DOC_CHARS = 200

/**
 * Conventional interfaces for people and editors. A tool whose schema the library should not or cannot take has its own
 * compact type instead, with a warning; no tool costs another one its place.
 */
export async function renderInterfaces(view: SdkView, names: SdkNames): Promise<RenderedInterfaces> {
  const { compile } = await import('json-schema-to-typescript')
  const tools = callableTools(view, names)
  const claims = createInterfaceNames([TOOLS])
  const warnings: SdkWarning[] = []
  const texts: string[] = []
  const members: { readonly placed: PlacedTool; readonly stem: string }[] = []
  for (const placed of tools) {
    const { tool } = placed
    const stem = claims.claimTool(placed.path)
    members.push({ placed, stem })
    warnings.push(...typesOfTool(tool).warnings)
    const made = await interfacesOf(placed, stem, claims, compile)
    if ('text' in made) texts.push(made.text)
    else {
      const { pointer, reason } = made
      warnings.push({ tool: tool.name, pointer, reason: `${reason}; its compact type is printed instead` })
      texts.push(docOf(tool.description) + ownTypes(tool, stem))
    }
  }
  return { text: escapeHidden([HEAD, ...texts, toolsInterface(members)].join('\n')), warnings }
}

type Made = { readonly text: string } | { readonly pointer: string; readonly reason: string }

async function interfacesOf(
  { tool }: PlacedTool,
  stem: string,
  claims: InterfaceNames,
  compile: Compile,
): Promise<Made> {
  const texts: string[] = []
  const sides = [
    { at: '/parameters', name: `${stem}Args`, schema: tool.parameters, description: tool.description, isInput: true },
    { at: '/output/schema', name: `${stem}Result`, schema: tool.output.schema, isInput: false },
  ]
  for (const { at, name, schema, description, isInput } of sides) {
    if (schema === undefined) continue
    const allowed = new Set([name])
    const plain = plainSchema(schema, {
      ...(description !== undefined && { description }),
      definitionName: (key) => {
        const part = claims.claimPart(stem, key)
        allowed.add(part)
        return part
      },
    })
    if (!plain.ok) return { pointer: at + plain.pointer, reason: plain.reason }
    try {
      const text = await compile(plain.schema as Parameters<Compile>[0], name, optionsFor(isInput)) // JSON that was just made.
      if (!isSound(text, name, allowed)) return { pointer: at, reason: 'its interface could not be printed soundly' }
      texts.push(text)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : ''
      return { pointer: at, reason: `its interface could not be made (${commentText(why, 120) || 'no reason given'})` }
    }
  }
  return { text: texts.join('\n') }
}

/** No reference leaves the schema: neither files nor addresses are read, whatever the copy let through. */
function optionsFor(isInput: boolean): Partial<CompileOptions> {
  return {
    $refOptions: { resolve: { external: false, file: false, http: false } },
    cwd: '/',
    bannerComment: '',
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unknownAny: isInput,
    style: { semi: false, singleQuote: true, printWidth: 120, bracketSpacing: true },
  }
}

/** Whether the text is declarations under the names that were asked for, and nothing else. */
function isSound(text: string, name: string, allowed: ReadonlySet<string>): boolean {
  const declared: string[] = []
  for (const line of text.split('\n')) {
    if (!/^[^\s}\])/]/.test(line)) continue
    const found = /^export (?:interface|type) (\w+)/.exec(line)?.[1]
    if (found === undefined) return false
    declared.push(found)
  }
  return (
    declared.includes(name) &&
    new Set(declared).size === declared.length &&
    declared.every((found) => allowed.has(found))
  )
}

function toolsInterface(members: readonly { readonly placed: PlacedTool; readonly stem: string }[]): string {
  const groups = Map.groupBy(members, ({ placed }) => (placed.path.length > 1 ? placed.path[0] : undefined))
  const lines = ['/** The tools, as a program finds them. */', `export interface ${TOOLS} {`]
  for (const [namespace, group] of groups) {
    const indent = namespace === undefined ? '  ' : '    '
    const body = group.map(({ placed: { tool, path }, stem }) => {
      const { areArgsOptional, result } = typesOfTool(tool)
      const args = `args${areArgsOptional ? '?' : ''}: ${stem}Args`
      return `${indent}${propertyKey(path.at(-1) ?? tool.name)}(${args}): Promise<${result === undefined ? 'any' : `${stem}Result`}>`
    })
    if (namespace === undefined) lines.push(...body)
    else lines.push(`  ${propertyKey(namespace)}: {`, ...body, '  }')
  }
  return `${[...lines, '}'].join('\n')}\n`
}

function docOf(description: string): string {
  const text = commentText(description, DOC_CHARS)
  return text === '' ? '' : `/** ${text} */\n`
}
