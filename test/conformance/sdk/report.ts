import path from 'node:path'
import type { ConformanceReport } from '../report.ts'
import { checkCatalogs, loadCatalogs } from './catalog-checks.ts'
import { DRAFTS } from './drafts.ts'
import { faithfulnessOf } from './faithfulness.ts'
import type { Finding } from './faithfulness.ts'
import { runSuite } from './suite-run.ts'

export interface SdkConformanceOptions {
  /** A folder of catalogs. */
  readonly catalogs: string
  /** The official suite, if it is there. */
  readonly suite: string | undefined
  readonly seed: number
}

/** The text of every catalog of a folder: valid, the same in any order, and true to the schemas. */
export function runSdkConformance({ catalogs: folder, suite, seed }: SdkConformanceOptions): ConformanceReport {
  const catalogs = loadCatalogs(folder)
  if (catalogs.length === 0) throw new Error(`${folder} holds no catalog (*.json)`)
  const checks = checkCatalogs(catalogs)
  const { missed, validRefused, doNotCompile, ...faithful } = faithfulnessOf(catalogs, { seed })
  const lines = [
    `${checks.catalogs} catalogs, ${checks.tools} tools, ${checks.textsCompiled} texts compiled, ${checks.warnings} warnings`,
    ...checks.sizes.map(
      ({ catalog, tools, tokens, share }) =>
        `${catalog}: ${tools} tools, ${tokens} tokens, ${Math.round(share * 100)} % of the raw JSON`,
    ),
    `${faithful.valid} valid values of ${faithful.schemas} schemas, ${validRefused.length} refused by the type`,
    ...Object.entries(faithful.faults).map(([kind, count]) => {
      const through = missed.filter(({ what }) => what === kind).length
      return `${kind}: ${count} values, ${through} taken by the type`
    }),
    `${faithful.admittedBySchema.length} faults that the schema itself takes`,
    `${faithful.leftOutForDefault} required arguments with a default may be left out`,
    ...faithful.withoutInstance.map((where) => `no valid value was found: ${where}`),
  ]
  const breaches = [
    ...checks.breaches,
    ...doNotCompile,
    ...validRefused.map((finding) => `refused though valid: ${sentence(finding)}`),
    ...missed.map((finding) => `taken though ${finding.what}: ${sentence(finding)}`),
  ]
  const suites = suite === undefined ? [] : runSuites(suite, lines, breaches)
  return { subject: 'SDK text', lines, figures: { checks, faithfulness: faithful, suites }, breaches }
}

function runSuites(suite: string, lines: string[], breaches: string[]): readonly unknown[] {
  return DRAFTS.flatMap(({ folder, metaSchema, habits, minRefused }) =>
    (['input', 'output'] as const).map((direction) => {
      const run = runSuite(path.join(suite, 'tests', folder), metaSchema, direction)
      const wrong = run.validRefused.filter(
        (where) => direction === 'input' || !habits.some((habit) => habit === where),
      )
      const share = run.invalidRefused / run.invalid
      lines.push(
        `suite ${folder} as ${direction}: ${run.groups} groups, ${run.instances} instances, ${run.throws.length} throws, ` +
          `${run.invalidTexts.length} invalid texts, ${wrong.length} valid refused, ${Math.round(share * 100)} % of invalid refused`,
      )
      breaches.push(...run.throws, ...run.invalidTexts, ...wrong.map((where) => `refused though valid: ${where}`))
      if (direction === 'input' && share < minRefused) breaches.push(`${folder}: too few invalid instances are refused`)
      return { draft: folder, direction, ...run }
    }),
  )
}

function sentence({ catalog, tool, direction, at, value, message }: Finding): string {
  return `${catalog}: ${tool} ${direction} ${at}: ${value}${message === undefined ? '' : `: ${message}`}`
}
