import path from 'node:path'
import { expect, test } from 'vitest'
import { isRecord } from '../../../src/data/json.ts'
import { compileTexts, EXCESS_PROPERTY } from '../../sdk/compile-texts.ts'
import { printSchema } from '../../sdk/sdk-fixtures.ts'
import { describeWithCorpus, jsonFilesIn, readJson } from '../../support/shared-corpus.ts'

interface SuiteCase {
  readonly where: string
  readonly isValid: boolean
}

/** Groups that say nothing without another document: schemas from elsewhere, meta-schemas that turn keywords off. */
const LEFT_OUT = new Set(['vocabulary.json', 'refRemote.json'])

/** On purpose: a result's member with a default counts as present, so that programs need no guard for it. */
const HABITS = [
  'default.json: the default keyword does not do anything if the property is missing: missing properties are not filled in with the default',
]

/** How much is refused says how much the types are worth; most of the suite is about what TypeScript cannot say. */
const DRAFTS = [
  {
    folder: 'draft2020-12',
    metaSchema: 'https://json-schema.org/draft/2020-12/schema',
    minGroups: 300,
    minRefused: 0.5,
  },
  { folder: 'draft7', metaSchema: 'http://json-schema.org/draft-07/schema#', minGroups: 200, minRefused: 0.5 },
  { folder: 'draft4', metaSchema: 'http://json-schema.org/draft-04/schema#', minGroups: 130, minRefused: 0.5 },
]

for (const { folder: draft, metaSchema, minGroups, minRefused } of DRAFTS) {
  describeWithCorpus(`the official JSON Schema suite, ${draft}`, `json-schema-suite/tests/${draft}`, (folder) => {
    test.each(['input', 'output'] as const)(
      'as %s: no type refuses a valid instance, and every text is valid',
      (direction) => {
        const lines: string[] = []
        const caseByLine = new Map<number, SuiteCase>()
        let groups = 0
        for (const file of jsonFilesIn(folder)) {
          if (LEFT_OUT.has(file)) continue
          for (const group of groupsOf(readJson(path.join(folder, file)))) {
            groups += 1
            const schema = isRecord(group.schema) ? { $schema: metaSchema, ...group.schema } : group.schema
            const { text, declarations } = printSchema(schema, direction)
            const type = `type T = ${text}`
            lines.push(`namespace group${groups} {`, ...declarations.join('\n').split('\n'), ...type.split('\n'))
            for (const { data, valid, description } of group.tests) {
              const value = JSON.stringify(data)
              // TypeScript reads `__proto__` in a literal as the prototype, not as a key.
              if (value.includes('__proto__')) continue
              caseByLine.set(lines.length + 1, {
                where: `${file}: ${group.description}: ${description}`,
                isValid: valid,
              })
              lines.push(`export const v${lines.length}: T = ${value}`)
            }
            lines.push('}')
          }
        }
        const diagnostics = compileTexts({ 'suite.ts': lines.join('\n') })
        expect(diagnostics.filter(({ line }) => !caseByLine.has(line))).toEqual([])
        const refused = new Set(diagnostics.filter(({ code }) => code !== EXCESS_PROPERTY).map(({ line }) => line))
        const validOnesRefused = [...caseByLine].filter(([line, { isValid }]) => isValid && refused.has(line))
        expect(validOnesRefused.map(([, { where }]) => where)).toEqual(direction === 'output' ? HABITS : [])

        const invalid = [...caseByLine].filter(([, { isValid }]) => !isValid)
        const share =
          invalid.filter(([line]) => diagnostics.some((found) => found.line === line)).length / invalid.length
        const percent = Math.round(share * 100)
        console.log(
          `${draft}, ${direction}: ${groups} groups, ${caseByLine.size} instances, ${percent} % of ${invalid.length} invalid ones refused`,
        )
        expect(groups).toBeGreaterThan(minGroups)
        // An invented key counts here: the compiler does name it.
        if (direction === 'input') expect(share).toBeGreaterThan(minRefused)
      },
      60_000,
    )
  })
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
