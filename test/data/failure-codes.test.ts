import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAILURE_CODES } from '../../src/data/failure-codes.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')
const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (\S+) +\| (\d+) +\| (\d+) +\| (.+?) +\|$/gm)].map(
  (match) => ({
    code: match[1],
    summary: match[2],
    retry: match[3],
    httpStatus: Number(match[4]),
    exitCode: Number(match[5]),
    advice: match[6] ?? '',
  }),
)

test('docs/errors.md lists every failure code, once, with the facts of the table', () => {
  const table = Object.entries(FAILURE_CODES).map(([code, { summary, retry, httpStatus, exitCode }]) => ({
    code,
    summary,
    retry,
    httpStatus,
    exitCode,
  }))
  const listed = rows.map(({ code, summary, retry, httpStatus, exitCode }) => ({
    code,
    summary,
    retry,
    httpStatus,
    exitCode,
  }))
  const byCode = (a: { code?: string | undefined }, b: { code?: string | undefined }) =>
    String(a.code).localeCompare(String(b.code))
  expect(listed.toSorted(byCode)).toEqual(table.toSorted(byCode))
})

test('every code tells what to do next', () => {
  expect(rows.filter(({ advice }) => advice.length < 20)).toEqual([])
})
