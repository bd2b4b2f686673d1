import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { sharedCorpus } from '../support/corpus-files.ts'
import { runSchemaConformance } from './json-schema/report.ts'
import type { ConformanceReport } from './report.ts'
import { runSdkConformance } from './sdk/report.ts'

const USAGE = `Usage: conformance <sdk | schema | all> [--corpus <folder>] [--seed <number>] [--json]

  sdk      tool catalogs (--corpus: a folder of tools/list answers, or one that has "catalogs" in it): each compiles
           whole and tool by tool, in any order to the same bytes, and its types agree with its schemas on values made
           from them. With a "json-schema-suite" in the folder, the official suite is printed and compiled as well.
  schema   the validator against the official JSON Schema suite (--corpus: the suite, or a folder that has it)

Ends with 1 if anything is not as it must be, with 2 if it could not be run.
`

const SUITE = 'json-schema-suite'
const MAX_SHOWN = 50

process.exitCode = main(process.argv.slice(2))

function main(args: string[]): number {
  let parsed
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        corpus: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error))
  }
  const { values, positionals } = parsed
  if (values.help === true) {
    process.stdout.write(USAGE)
    return 0
  }
  const [command = 'all', ...more] = positionals
  if (!['sdk', 'schema', 'all'].includes(command) || more.length > 0)
    return misused(`unknown: ${positionals.join(' ')}`)
  const corpus = values.corpus ?? sharedCorpus()
  if (corpus === undefined || !existsSync(corpus)) return misused(`there is no folder ${corpus ?? '(give --corpus)'}`)
  const seed = Number(values.seed ?? 1)
  if (!Number.isSafeInteger(seed)) return misused(`--seed must be a whole number; got ${values.seed}`)

  const within = (name: string): string => (existsSync(path.join(corpus, name)) ? path.join(corpus, name) : corpus)
  const suite = existsSync(path.join(within(SUITE), 'tests')) ? within(SUITE) : undefined
  const reports: ConformanceReport[] = []
  try {
    if (command !== 'schema') reports.push(runSdkConformance({ catalogs: within('catalogs'), suite, seed }))
    if (command !== 'sdk') {
      if (suite !== undefined) reports.push(runSchemaConformance(suite))
      else if (command === 'schema') return misused(`${corpus} holds no "tests" of the JSON Schema suite`)
    }
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error))
  }
  const breaches = reports.flatMap((report) => report.breaches)
  if (values.json === true) process.stdout.write(`${JSON.stringify({ ok: breaches.length === 0, reports }, null, 2)}\n`)
  else for (const report of reports) process.stdout.write(textOf(report))
  return breaches.length === 0 ? 0 : 1
}

function textOf({ subject, lines, breaches }: ConformanceReport): string {
  const shown = breaches.slice(0, MAX_SHOWN).map((breach) => `  ✗ ${breach}`)
  if (breaches.length > MAX_SHOWN) shown.push(`  … and ${breaches.length - MAX_SHOWN} more (--json has all)`)
  const verdict = breaches.length === 0 ? 'as it must be' : `${breaches.length} breaches`
  return [subject, ...lines.map((line) => `  ${line}`), ...shown, `  ${verdict}`, ''].join('\n')
}

function misused(reason: string): number {
  process.stderr.write(`conformance: ${reason}\n\n${USAGE}`)
  return 2
}
