/** vm2#562 (a documented defence that was not in the code): docs/threat-model.md is held against the tests it names. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8')
const sourceOf = (path: string) => readFileSync(join(root, path), 'utf8')

interface Row {
  readonly id: string
  readonly cells: readonly string[]
  readonly files: readonly string[]
}
const rows: Row[] = [...page.matchAll(/^\| ([A-Z]\d\d[a-z]?) +\|(.+)\|$/gm)].map(([, id = '', rest = '']) => {
  const cells = rest.split('|').map((cell) => cell.trim())
  return { id, cells, files: [...(cells[3] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path) }
})
const reports = [...page.matchAll(/^\| ((?:[^|]*#\d|[^|]*GHSA|rivet)[^|]*)\|([^|]+)\| +`([^`]+)` +\|$/gm)].map(
  ([, names = '', row = '', file = '']) => ({ names: names.trim(), row: row.trim(), file }),
)

/** Every id of the suite: groups and how far they count. */
const GROUPS = { E: 13, B: 16, I: 10, D: 19, C: 10, S: 6, L: 4, W: 10 }
const allIds = Object.entries(GROUPS)
  .flatMap(([group, count]) => Array.from({ length: count }, (_, n) => `${group}${String(n + 1).padStart(2, '0')}`))
  .concat('D12b')

describe('the table of attacks', () => {
  test('has every id of the suite once, and no other', () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(allIds.toSorted())
  })

  test('says of each row what stops it and what comes of it, or that it is not built', () => {
    for (const { id, cells, files } of rows) {
      const isBuilt = files.length > 0
      expect([id, cells.length, cells.every((cell) => cell !== '')]).toEqual([id, 4, true])
      expect([id, isBuilt || cells[2]?.startsWith('not built')]).toEqual([id, true])
    }
  })

  test('names only test files that exist', () => {
    const named = new Set([...rows.flatMap(({ files }) => files), ...reports.map(({ file }) => file)])
    expect([...named].filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('names for each attack on a run a file of this folder, or of the boundary it is about, which speaks of the id', () => {
    const silent = rows
      .filter(({ id }) => /^[EBIDC]/.test(id) && id !== 'C06')
      .filter(({ id, files }) => !files.some((path) => speaksOf(sourceOf(path), id)))
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  test('has every id that a test of this folder speaks of', () => {
    const spoken = globSync('test/hostile/*.test.ts', { cwd: root }).flatMap((path) =>
      [...sourceOf(path).matchAll(/\b([EBIDCSLW]\d\d[a-z]?)\b/g)].map(([, id = '']) => id),
    )
    expect([...new Set(spoken)].filter((id) => !allIds.includes(id))).toEqual([])
    expect(new Set(spoken).size).toBeGreaterThan(60)
  })
})

/** The id itself, or a range of ids in the header of the file. */
function speaksOf(source: string, id: string): boolean {
  if (new RegExp(`\\b${id}\\b`).test(source)) return true
  return [...source.matchAll(/\b([A-Z])(\d\d)–[A-Z](\d\d)\b/g)].some(
    ([, group, from, to]) =>
      group === id[0] && Number(from) <= Number(id.slice(1, 3)) && Number(id.slice(1, 3)) <= Number(to),
  )
}

describe('the table of public reports', () => {
  test('is not empty, and each has a row of the model', () => {
    expect(reports.length).toBeGreaterThan(20)
    for (const { names, row } of reports) expect([names, /^(all|[A-Z]\d\d.*)$/.test(row)]).toEqual([names, true])
  })

  test.each(reports)('$names has a fixture that is named after it', ({ names, file }) => {
    const source = sourceOf(file)
    let repository = ''
    for (const name of names.split(', ')) {
      const [, owner = '', issue = ''] = /^(?:(\S+?) ?)?(?:PR )?(#\d+)$/.exec(name) ?? []
      if (owner !== '') repository = owner
      // `owner/name#1, #2` in the table; either written out or shortened alike in the test.
      const isFound =
        issue === ''
          ? source.includes(name.replace(/^vm2 /, ''))
          : source.includes(issue) && source.includes(repository)
      expect([name, isFound]).toEqual([name, true])
    }
  })
})
