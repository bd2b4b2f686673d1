import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from '@babel/parser'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/boundaries.md'), 'utf8')
const named = [...page.matchAll(/^- `(test\/[^`]+)` › (.+)$/gm)].map(([, file = '', title = '']) => ({ file, title }))

test('every test that docs/boundaries.md names exists and is not skipped', () => {
  expect(named.length).toBeGreaterThan(40)
  const titles = new Map<string, ReadonlySet<string>>()
  const missing = named.filter(({ file, title }) => {
    const known = titles.get(file) ?? titlesIn(file)
    titles.set(file, known)
    return !known.has(title)
  })
  expect(missing).toEqual([])
})

test('every window and every tradeoff names a test', () => {
  const sections = page
    .slice(page.indexOf('## Dynamic windows'), page.indexOf('## Not verified'))
    .split(/^### /m)
    .slice(1)
  expect(sections.length).toBeGreaterThan(20)
  expect(sections.filter((section) => !/^- `test\//m.test(section)).map((section) => section.split('\n')[0])).toEqual(
    [],
  )
})

test('every test of boundaries.test.ts is named on the page', () => {
  const file = 'test/conformance/boundaries.test.ts'
  const onPage = new Set(named.filter((entry) => entry.file === file).map(({ title }) => title))
  expect(titlesIn(file).size).toBeGreaterThan(15)
  expect([...titlesIn(file)].filter((title) => !onPage.has(title))).toEqual([])
})

/** The titles of the tests of a file as they are written, without those that are skipped, to do or in a skipped group. */
function titlesIn(file: string): ReadonlySet<string> {
  const found = new Set<string>()
  if (!existsSync(join(root, file))) return found
  const text = readFileSync(join(root, file), 'utf8')
  const open: unknown[] = [parse(text, { sourceType: 'module', plugins: ['typescript'] })]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    const { type, callee, arguments: args } = node as Record<string, unknown>
    if (type === 'CallExpression') {
      const { start: from, end: to } = callee as { start: number; end: number }
      // `test`, `test.each(…)`, `test.runIf(…)`: the name that the chain of members and calls begins with.
      const name = text.slice(from, to)
      if (/^(test|it|describe)\.(skip|todo)\b/.test(name)) continue
      const first = (args as readonly { type: string; start: number; end: number }[])[0]
      const isTitle = first?.type === 'StringLiteral' || first?.type === 'TemplateLiteral'
      if (/^(test|it)\b/.test(name) && isTitle) found.add(unquoted(text.slice(first.start, first.end)))
    }
    open.push(...Object.values(node as object).flat())
  }
  return found
}

function unquoted(literal: string): string {
  return literal.slice(1, -1).replaceAll(/\\(.)/g, '$1')
}
