import { isRecord } from '../../../src/data/json.ts'
import type { Json } from '../../../src/data/json.ts'
import { compileSchema } from '../../../src/schema/schema.ts'
import type { ConformanceReport } from '../report.ts'
import exclusions from './exclusions.json' with { type: 'json' }
import { caseName, suiteGroups } from './suite.ts'

export const DIALECTS = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const

/** The full validator against the official suite; the listed cases, each with its reason, are expected to differ. */
export function runSchemaConformance(suite: string): ConformanceReport {
  const expected = new Set(exclusions.flatMap(({ cases }) => cases))
  const lines: string[] = []
  const breaches: string[] = []
  const figures: Record<string, unknown> = {}
  for (const [draft, dialect] of Object.entries(DIALECTS)) {
    const { cases, wrong } = runDraft(suite, draft, dialect)
    const surprises = wrong.filter((name) => !expected.has(name))
    lines.push(
      `${draft}: ${cases} cases, ${wrong.length - surprises.length} known to differ, ${surprises.length} wrong`,
    )
    breaches.push(...surprises)
    figures[draft] = { cases, known: wrong.length - surprises.length, wrong: surprises.length }
  }
  return { subject: 'JSON Schema validator', lines, figures, breaches }
}

/** Names of the cases of one draft in which the full validator does not say what the suite says. */
export function runDraft(suite: string, draft: string, dialect: string): { cases: number; wrong: readonly string[] } {
  const wrong: string[] = []
  let cases = 0
  for (const group of suiteGroups(suite, draft)) {
    const compiled = compileSchema(withDialect(group.schema, dialect), 'full')
    for (const { description, data, valid } of group.tests) {
      cases += 1
      const isAccepted = compiled.ok && compiled.validate(data).length === 0
      if (isAccepted !== valid) wrong.push(caseName(draft, group, description))
    }
  }
  return { cases, wrong }
}

function withDialect(schema: Json, dialect: string): Json {
  return isRecord(schema) && !Object.hasOwn(schema, '$schema') ? { $schema: dialect, ...(schema as object) } : schema
}
