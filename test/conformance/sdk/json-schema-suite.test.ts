import { expect, test } from 'vitest'
import { describeWithCorpus } from '../../support/shared-corpus.ts'
import { DRAFTS } from './drafts.ts'
import { runSuite } from './suite-run.ts'

for (const { folder: draft, metaSchema, minGroups, minRefused, habits } of DRAFTS) {
  describeWithCorpus(`the official JSON Schema suite, ${draft}`, `json-schema-suite/tests/${draft}`, (folder) => {
    test.each(['input', 'output'] as const)(
      'as %s: no type refuses a valid instance, and every text is valid',
      (direction) => {
        const run = runSuite(folder, metaSchema, direction)
        expect(run.throws).toEqual([])
        expect(run.invalidTexts).toEqual([])
        expect(run.validRefused).toEqual(direction === 'output' ? habits : [])
        const share = run.invalidRefused / run.invalid
        console.log(
          `${draft}, ${direction}: ${run.groups} groups, ${run.instances} instances, ` +
            `${Math.round(share * 100)} % of ${run.invalid} invalid ones refused`,
        )
        expect(run.groups).toBeGreaterThan(minGroups)
        if (direction === 'input') expect(share).toBeGreaterThan(minRefused)
      },
      60_000,
    )
  })
}
