import { describe, expect, test } from 'vitest'
import { describeTools, searchTools } from '../../src/sdk/search.ts'
import { compileTexts } from './compile-texts.ts'
import { viewOf } from './sdk-fixtures.ts'

const text = (properties: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(properties.map((name) => [name, { type: 'string', description: `The ${name}` }])),
  required: properties,
})
const { view, names } = viewOf(
  [
    {
      name: 'create_issue',
      description: 'Opens a new issue in a repository.',
      inputSchema: text(['owner', 'repo', 'title']),
    },
    { name: 'list-issues', description: 'Lists issues.', inputSchema: text(['owner', 'repo']) },
    { name: 'sendMail', description: 'Sends a message to people.', inputSchema: text(['to', 'subject']) },
    { name: 'search_repositories', description: 'Finds repositories.', inputSchema: text(['query']) },
  ],
  'hub',
)
const found = (query: string, limit?: number) =>
  searchTools(view, names, query, limit === undefined ? {} : { limit }).map(({ name }) => name)

describe('search', () => {
  test('ranks by names first, then by words and parameters', () => {
    expect(found('open an issue')[0]).toBe('hub.create_issue')
    expect(found('send mail')).toEqual(['hub.sendMail'])
    expect(found('subject')).toEqual(['hub.sendMail'])
    expect(found('repository')).toContain('hub.search_repositories')
  })

  test('finds a word by its beginning, and a tool by its name in any spelling', () => {
    expect(found('repos')).toContain('hub.search_repositories')
    expect(found('listIssues')[0]).toBe('hub.list-issues')
    expect(found('hub.list_issues')[0]).toBe('hub.list-issues')
  })

  test('finds nothing rather than anything', () => {
    expect(found('')).toEqual([])
    expect(found('zebra')).toEqual([])
    expect(found('\u0000\ud800 "'.repeat(1_000))).toEqual([])
  })

  test('keeps to the limit, whatever it is given', () => {
    expect(found('owner', 1)).toHaveLength(1)
    expect(found('owner', Number.NaN)).toHaveLength(2)
    expect(found('owner', -5)).toHaveLength(1)
  })

  test('a hit says how to call the tool', () => {
    expect(searchTools(view, names, 'list-issues')[0]).toEqual({
      name: 'hub.list-issues',
      call: 'tools.hub.list_issues',
      signature: 'tools.hub.list_issues(args: { owner: string; repo: string }): Promise<any>',
      description: 'Lists issues.',
    })
  })
})

describe('describe', () => {
  test('prints whole declarations of the named tools, by exact name, path or variant', () => {
    const described = describeTools(view, names, ['hub.sendMail', 'tools.hub.list_issues', 'HUB_CREATE_ISSUE'])
    expect(described).toContain('sendMail(args: {')
    expect(described).toContain('list_issues(args: {')
    expect(described).toContain('title: string // The title')
    expect(described).not.toContain('search_repositories')
    expect(compileTexts({ 'described.ts': described })).toEqual([])
  })

  test('answers a name that fits nothing with the nearest ones, as a comment', () => {
    const described = describeTools(view, names, ['hub.send_mails', 'x"\n*/ y'])
    expect(described).toContain('// There is no tool "hub.send_mails"; nearest: "hub.sendMail"')
    expect(
      described
        .trim()
        .split('\n')
        .every((line) => line.startsWith('// ')),
    ).toBe(true)
    expect(describeTools(view, names, [])).toBe('// No names were given.\n')
  })

  test('looks for names near to three unknown ones, and to none that is too long to be a name', () => {
    const near = (wanted: readonly string[]) => describeTools(view, names, wanted).match(/; nearest: /g)?.length ?? 0
    const unknown = Array.from({ length: 10 }, (_, at) => `hub.send_mails_${at}`)
    expect([near(unknown.slice(0, 2)), near(unknown), near([`hub.sendMail${'s'.repeat(128)}`])]).toEqual([2, 3, 0])
    expect(describeTools(view, names, unknown)).toContain('"hub.send_mails_9"; try sdk.search("…")')
  })

  test('describes so many tools at once and says that it left some out', () => {
    const described = describeTools(
      view,
      names,
      Array.from({ length: 200 }, () => 'hub.sendMail'),
    )
    expect(described).toContain('// Only the first 20 names are described')
    expect(described.match(/sendMail\(/g)).toHaveLength(1)
  })
})
