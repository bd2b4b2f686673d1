import { compileTexts, EXCESS_PROPERTY } from './compile-texts.ts'
import { printSchema } from './sdk-fixtures.ts'

/** A schema, values that its type must take, and values that it must refuse. */
export interface Row {
  readonly title: string
  readonly schema: unknown
  readonly direction?: 'input' | 'output' | 'arguments'
  readonly type?: string
  readonly valid: readonly unknown[]
  readonly invalid?: readonly unknown[]
}

/** The values about which the compiler says something else than the row; all rows in one program. */
export function wrongVerdicts(rows: readonly Row[]): readonly unknown[] {
  const lines: string[] = []
  const expected = new Map<number, { row: string; isValid: boolean; value: string }>()
  for (const [at, { title, schema, direction, valid, invalid = [] }] of rows.entries()) {
    const { text, declarations } = printSchema(schema, direction)
    lines.push(`namespace row${at} {`, ...declarations.join('\n').split('\n'), ...`export type T = ${text}`.split('\n'))
    for (const [isValid, values] of [[true, valid] as const, [false, invalid] as const]) {
      for (const value of values) {
        expected.set(lines.length + 1, { row: title, isValid, value: JSON.stringify(value) })
        lines.push(`export const v${lines.length}: T = ${JSON.stringify(value)}`)
      }
    }
    lines.push('}')
  }
  const diagnostics = compileTexts({ 'rows.ts': lines.join('\n') })
  const broken = diagnostics.filter(({ line }) => !expected.has(line))
  const refused = new Set(diagnostics.filter(({ code }) => code !== EXCESS_PROPERTY).map(({ line }) => line))
  const wrong = [...expected].filter(([line, { isValid }]) => refused.has(line) === isValid).map(([, entry]) => entry)
  return [...broken, ...wrong]
}
