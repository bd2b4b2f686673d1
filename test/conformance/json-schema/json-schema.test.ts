import { expect, test } from 'vitest'
import { isRecord } from '../../../src/data/json.ts'
import type { Json } from '../../../src/data/json.ts'
import { compileSchema } from '../../../src/schema/schema.ts'
import { describeWithCorpus } from '../../support/shared-corpus.ts'
import exclusions from './exclusions.json' with { type: 'json' }
import { caseName, suiteGroups } from './suite.ts'

const DIALECTS = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const
const DRAFTS = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]

const EXCLUDED = new Set(exclusions.flatMap(({ cases }) => cases))

describeWithCorpus('the official JSON Schema suite', 'json-schema-suite', (directory) => {
  test.each(DRAFTS)('%s: the full validator agrees with every case but the listed ones', (draft) => {
    const wrong: string[] = []
    let cases = 0
    for (const group of suiteGroups(directory, draft)) {
      const compiled = compileSchema(withDialect(group.schema, DIALECTS[draft]), 'full')
      for (const { description, data, valid } of group.tests) {
        cases++
        const isAccepted = compiled.ok && compiled.validate(data).length === 0
        if (isAccepted !== valid) wrong.push(caseName(draft, group, description))
      }
    }
    // Both ways: a listed case that passes has no place in the list.
    expect(wrong.toSorted()).toEqual([...EXCLUDED].filter((name) => name.startsWith(`${draft} /`)).toSorted())
    expect(cases).toBeGreaterThan(500)
  })

  test('the subset agrees with every case of every schema that it takes', () => {
    const wrong: string[] = []
    let cases = 0
    for (const draft of DRAFTS) {
      for (const group of suiteGroups(directory, draft)) {
        const compiled = compileSchema(withoutDialect(group.schema), 'subset')
        if (!compiled.ok) continue
        for (const { description, data, valid } of group.tests) {
          cases++
          if ((compiled.validate(data).length === 0) !== valid) wrong.push(caseName(draft, group, description))
        }
      }
    }
    expect(wrong).toEqual([])
    expect(cases).toBeGreaterThan(400)
  })
})

test('every exclusion has a reason, and no case is listed twice', () => {
  expect(exclusions.every(({ reason }) => reason.length > 20)).toBe(true)
  expect(EXCLUDED.size).toBe(exclusions.flatMap(({ cases }) => cases).length)
})

function withDialect(schema: Json, dialect: string): Json {
  return isRecord(schema) && !Object.hasOwn(schema, '$schema') ? { $schema: dialect, ...(schema as object) } : schema
}
function withoutDialect(schema: Json): Json {
  if (!isRecord(schema)) return schema
  const { $schema: _, ...rest } = schema as Record<string, Json>
  return rest
}
