import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createEngine } from '../../../src/index.ts'
import { readMockTools } from '../../../src/importers/mock-tools.ts'
import { judgeProgram, startChecker, viewOf, type SchemaTool } from '../../support/preflight-bench.ts'
import { loadProgramCases } from '../../support/program-cases.ts'
import { KINDS, mutantsOf } from './generate.ts'

/**
 * How many of the mistakes that models make are found before the first call. Every mutant that gets through is printed
 * with what the model is told of it.
 */
test('mistakes made mechanically from the passing programs are caught before the first call', async () => {
  await using checker = startChecker()
  const rows = new Map(KINDS.map((kind) => [kind, { made: 0, caught: 0 }]))
  const missed: string[] = []
  for (const folder of ['../../programs', '../../corpus/programs']) {
    for (const { id, tools, steps } of loadProgramCases(fileURLToPath(new URL(folder, import.meta.url)))) {
      for (const { text, expectsFailure } of steps) {
        if (expectsFailure) continue
        const view = viewOf(tools)
        const original = await judgeProgram(text, view, checker)
        if (!original.isCompiled || original.refusal !== undefined) continue
        for (const mutant of mutantsOf(text, tools)) {
          const row = rows.get(mutant.kind)
          if (row === undefined) throw new Error(`a kind that is not in the table: ${mutant.kind}`)
          const judged = await judgeProgram(mutant.text, view, checker)
          row.made++
          if (!judged.isCompiled || judged.refusal !== undefined) row.caught++
          else {
            const told = await whatTheModelReads(mutant.text, tools)
            missed.push(`${id} | ${mutant.kind} | ${mutant.change} | ${told}`)
          }
        }
      }
    }
  }
  const sum = (key: 'made' | 'caught') => [...rows.values()].reduce((total, row) => total + row[key], 0)
  const percent = (caught: number, made: number) => ((100 * caught) / made).toFixed(1)
  const table = [...rows].map(([kind, row]) => [kind, row.made, row.caught, `${percent(row.caught, row.made)} %`])
  table.push(['all', sum('made'), sum('caught'), `${percent(sum('caught'), sum('made'))} %`])
  console.log(table.map((row) => row.join(' | ')).join('\n'))
  console.log(`not caught:\n${missed.join('\n')}`)

  expect(sum('made')).toBeGreaterThanOrEqual(400)
  for (const [kind, row] of rows) {
    expect(row.made, kind).toBeGreaterThanOrEqual(20)
    expect(row.caught / row.made, kind).toBeGreaterThan(0.85)
  }
  expect(sum('caught') / sum('made')).toBeGreaterThanOrEqual(0.95)
}, 180_000)

/** Of a mutant that got through, once it has run. */
async function whatTheModelReads(text: string, tools: readonly SchemaTool[]): Promise<string> {
  await using engine = await createEngine({
    tools: readMockTools(JSON.stringify(tools)).tools,
    requireConfinement: 'none',
    limits: { wallMs: 5_000 },
  })
  const { outcome } = await engine.run(text)
  const [first] = outcome.content
  const read = first?.type === 'text' ? first.text : ''
  return `${outcome.isError ? '' : 'succeeded: '}${read.replace(/\s+/g, ' ').slice(0, 200)}`
}
