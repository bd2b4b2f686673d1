import path from 'node:path'
import { isRecord } from '../../../src/data/json.ts'
import { compileTexts, EXCESS_PROPERTY } from '../../sdk/compile-texts.ts'
import { printSchema } from '../../sdk/sdk-fixtures.ts'
import { jsonFilesIn, readJson } from '../../support/corpus-files.ts'

export interface SuiteRun {
  readonly groups: number
  readonly instances: number
  readonly throws: readonly string[]
  /** What the compiler says of the types themselves. */
  readonly invalidTexts: readonly string[]
  readonly validRefused: readonly string[]
  readonly invalid: number
  readonly invalidRefused: number
}

/** Groups that say nothing without another document: schemas from elsewhere, meta-schemas that turn keywords off. */
const LEFT_OUT = new Set(['vocabulary.json', 'refRemote.json'])

/** The official suite, one folder of one draft: each group's schema is printed, each instance assigned to the type. */
export function runSuite(folder: string, metaSchema: string, direction: 'input' | 'output'): SuiteRun {
  const lines: string[] = []
  const caseByLine = new Map<number, { readonly where: string; readonly isValid: boolean }>()
  const throws: string[] = []
  let groups = 0
  for (const file of jsonFilesIn(folder)) {
    if (LEFT_OUT.has(file)) continue
    for (const group of groupsOf(readJson(path.join(folder, file)))) {
      groups += 1
      const schema = isRecord(group.schema) ? { $schema: metaSchema, ...group.schema } : group.schema
      let printed: ReturnType<typeof printSchema>
      try {
        printed = printSchema(schema, direction)
      } catch (error) {
        throws.push(`${file}: ${group.description}: ${String(error)}`)
        continue
      }
      const type = `type T = ${printed.text}`
      lines.push(`namespace group${groups} {`, ...printed.declarations.join('\n').split('\n'), ...type.split('\n'))
      for (const { data, valid, description } of group.tests) {
        const value = JSON.stringify(data)
        // TypeScript reads `__proto__` in a literal as the prototype, not as a key.
        if (value.includes('__proto__')) continue
        const where = `${file}: ${group.description}: ${description}`
        caseByLine.set(lines.length + 1, { where, isValid: valid })
        lines.push(`export const v${lines.length}: T = ${value}`)
      }
      lines.push('}')
    }
  }
  const diagnostics = compileTexts({ 'suite.ts': lines.join('\n') })
  const said = new Set(diagnostics.map(({ line }) => line))
  const refused = new Set(diagnostics.filter(({ code }) => code !== EXCESS_PROPERTY).map(({ line }) => line))
  const invalid = [...caseByLine].filter(([, { isValid }]) => !isValid)
  return {
    groups,
    instances: caseByLine.size,
    throws,
    invalidTexts: diagnostics.flatMap(({ line, code, message }) =>
      caseByLine.has(line) ? [] : [`line ${line}: TS${code}: ${message.slice(0, 200)}`],
    ),
    validRefused: [...caseByLine].flatMap(([line, { isValid, where }]) =>
      isValid && refused.has(line) ? [where] : [],
    ),
    invalid: invalid.length,
    // An invented key counts here: the compiler does name it.
    invalidRefused: invalid.filter(([line]) => said.has(line)).length,
  }
}

interface SuiteGroup {
  readonly description: string
  readonly schema: unknown
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

function groupsOf(file: unknown): readonly SuiteGroup[] {
  if (!Array.isArray(file)) throw new TypeError('a suite file is a list of groups')
  return file.map((group) => {
    if (!isRecord(group) || !Array.isArray(group['tests'])) throw new TypeError('a group has tests')
    return {
      description: String(group['description']),
      schema: group['schema'],
      tests: group['tests'].filter(isRecord).map((entry) => ({
        description: String(entry['description']),
        data: entry['data'],
        valid: entry['valid'] === true,
      })),
    }
  })
}
