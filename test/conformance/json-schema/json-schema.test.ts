import { expect, test } from 'vitest'
import { isRecord } from '../../../src/data/json.ts'
import type { Json } from '../../../src/data/json.ts'
import { compileSchema } from '../../../src/schema/schema.ts'
import { describeWithCorpus } from '../../support/shared-corpus.ts'
import exclusions from './exclusions.json' with { type: 'json' }
import { DIALECTS, runDraft } from './report.ts'
import { caseName, suiteGroups } from './suite.ts'

const DRAFTS = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]

const EXCLUDED = new Set(exclusions.flatMap(({ cases }) => cases))

describeWithCorpus('the official JSON Schema suite', 'json-schema-suite', (directory) => {
  test.each(DRAFTS)('%s: the full validator agrees with every case but the listed ones', (draft) => {
    const { cases, wrong } = runDraft(directory, draft, DIALECTS[draft])
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

function withoutDialect(schema: Json): Json {
  if (!isRecord(schema)) return schema
  const { $schema: _, ...rest } = schema as Record<string, Json>
  return rest
}
