import { digestJson } from '../../../src/data/canonical.ts'
import type { Json } from '../../../src/data/json.ts'
import { compileSchema } from '../../../src/schema/schema.ts'
import { renderSdk } from '../../../src/sdk/render.ts'
import { stringLiteral } from '../../../src/sdk/safe-text.ts'
import type { SdkNames, SdkView } from '../../../src/sdk/sdk-view.ts'
import { compileTexts, EXCESS_PROPERTY } from '../../sdk/compile-texts.ts'
import { FAULT_KINDS, faultsIn } from './faults.ts'
import type { FaultKind } from './faults.ts'
import { candidatesFor, randomFrom } from './instances.ts'

export interface NamedCatalog {
  readonly name: string
  readonly view: SdkView
  readonly names: SdkNames
}

export interface Finding {
  readonly catalog: string
  readonly tool: string
  readonly direction: 'input' | 'output'
  readonly what: 'valid' | FaultKind
  readonly at: string
  readonly value: string
  readonly message?: string
}

export interface Faithfulness {
  readonly schemas: number
  /** Schemas for which no valid value was found: nothing is known of them. */
  readonly withoutInstance: readonly string[]
  readonly valid: number
  /** Valid for the schema, refused by the printed type: each one is a fault of the renderer. */
  readonly validRefused: readonly Finding[]
  readonly faults: Readonly<Record<FaultKind, number>>
  /** Invalid for the schema, taken by the printed type. */
  readonly missed: readonly Finding[]
  /** Faults that are none: the schema itself takes the value. */
  readonly admittedBySchema: readonly Finding[]
  /**
   * A required argument that has a default may be left out: on purpose. So is it that a result's member with a default
   * counts as present; what is made of results has it.
   */
  readonly leftOutForDefault: number
  readonly doNotCompile: readonly string[]
}

export interface FaithfulnessOptions {
  readonly seed: number
  readonly validPerSchema: number
  readonly faultsPerValue: number
}
const DEFAULTS: FaithfulnessOptions = { seed: 1, validPerSchema: 6, faultsPerValue: 40 }

interface Case {
  readonly finding: Finding
  readonly isValid: boolean
}

/**
 * Holds what the text of whole catalogs says against what their schemas say: values made from every schema, valid ones
 * and ones with a single fault, judged by the full validator and by the compiler.
 */
export function faithfulnessOf(
  catalogs: readonly NamedCatalog[],
  options: Partial<FaithfulnessOptions> = {},
): Faithfulness {
  const settings = { ...DEFAULTS, ...options }
  const report = {
    schemas: 0,
    withoutInstance: [] as string[],
    valid: 0,
    validRefused: [] as Finding[],
    faults: Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0])) as Record<FaultKind, number>, // Of all kinds.
    missed: [] as Finding[],
    admittedBySchema: [] as Finding[],
    leftOutForDefault: 0,
    doNotCompile: [] as string[],
  }
  const texts: Record<string, string> = {}
  const caseByPlace = new Map<string, Case>()

  for (const { name: catalog, view, names } of catalogs) {
    const file = `${catalog.replace(/[^\w-]/g, '_')}.ts`
    const lines = renderSdk(view, names, { level: 'L3' }).text.split('\n')
    let types = 0
    for (const tool of view.toolsByName.values()) {
      const path = names.pathByName.get(tool.name) ?? [tool.name]
      const member = `typeof tools${path.map((part) => `[${stringLiteral(part)}]`).join('')}`
      for (const direction of ['input', 'output'] as const) {
        const schema = direction === 'input' ? tool.parameters : tool.output.schema
        if (schema === undefined) continue
        report.schemas += 1
        const cases = casesOf(schema, direction, settings)
        if (cases.valid.length === 0) report.withoutInstance.push(`${catalog}: ${tool.name} ${direction}`)
        const type = `T${(types += 1)}`
        lines.push(
          direction === 'input'
            ? `type ${type} = NonNullable<Parameters<${member}>[0]>`
            : `type ${type} = Awaited<ReturnType<${member}>>`,
        )
        const write = (what: Finding['what'], at: string, value: unknown): void => {
          const text = JSON.stringify(value)
          // TypeScript reads `__proto__` in a literal as the prototype, not as a key.
          if (text.includes('"__proto__"')) return
          lines.push(`export const v${lines.length}: ${type} = ${text}`)
          const finding: Finding = { catalog, tool: tool.name, direction, what, at, value: text.slice(0, 300) }
          caseByPlace.set(`${file}:${lines.length}`, { finding, isValid: what === 'valid' })
        }
        for (const value of cases.valid) write('valid', '', value)
        for (const { kind, at, value } of cases.faults) write(kind, at, value)
        report.valid += cases.valid.length
        for (const { kind } of cases.faults) report.faults[kind] += 1
        for (const { kind, at, value } of cases.admitted)
          report.admittedBySchema.push({
            catalog,
            tool: tool.name,
            direction,
            what: kind,
            at,
            value: JSON.stringify(value).slice(0, 300),
          })
        report.leftOutForDefault += cases.leftOutForDefault
      }
    }
    texts[file] = lines.join('\n')
  }

  const refused = new Map<string, string>()
  for (const { file, line, code, message } of compileTexts(texts)) {
    const place = `${file}:${line}`
    if (!caseByPlace.has(place)) report.doNotCompile.push(`${place}: TS${code}: ${message.slice(0, 200)}`)
    else if (code !== EXCESS_PROPERTY) refused.set(place, `TS${code}: ${message.slice(0, 300)}`)
  }
  for (const [place, { finding, isValid }] of caseByPlace) {
    const message = refused.get(place)
    if (isValid && message !== undefined) report.validRefused.push({ ...finding, message })
    if (!isValid && message === undefined) report.missed.push(finding)
  }
  return report
}

function casesOf(schema: Json, direction: 'input' | 'output', { seed, ...settings }: FaithfulnessOptions) {
  const compiled = compileSchema(schema, 'full')
  // All values are made of schemas, which are JSON, and of texts and numbers.
  const fits = (value: unknown): boolean => compiled.ok && compiled.validate(value as Json).length === 0
  // Each schema has a seed of its own: what another one holds changes nothing here.
  const digest = digestJson(schema)
  const random = randomFrom(seed ^ Number.parseInt(digest.replace(/[^0-9a-f]/g, '').slice(-8), 16))
  const valid = distinct(
    candidatesFor(schema, random, settings.validPerSchema * 2, { givesDefaults: direction === 'output' }).filter(fits),
  )
    .filter((value) => direction === 'output' || (typeof value === 'object' && value !== null && !Array.isArray(value)))
    .slice(0, settings.validPerSchema)
  const made = distinct(
    valid.flatMap((value) => faultsIn(schema, value, settings.faultsPerValue)),
    ({ value }) => value,
  )
  const admitted = made.filter(({ value }) => fits(value))
  const isLeftOut = (fault: (typeof made)[number]): boolean =>
    direction === 'input' && fault.kind === 'missing required' && fault.hasDefault
  const real = made.filter((fault) => !admitted.includes(fault))
  return {
    valid,
    faults: real.filter((fault) => !isLeftOut(fault)),
    admitted,
    leftOutForDefault: real.filter(isLeftOut).length,
  }
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => unknown = (item) => item): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(keyOf(item)), item])).values()]
}
