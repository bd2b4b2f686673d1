import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { queryTerms } from '../../src/sdk/search/query-terms.ts'
import { splitWords } from '../../src/sdk/search/split-words.ts'
import { stemOf } from '../../src/sdk/search/stem.ts'
import { STOP_WORDS } from '../../src/sdk/search/stop-words.ts'
import { synonymsByPhrase } from '../../src/sdk/search/synonyms.ts'

describe('words', () => {
  test.each([
    ['searchRepos', ['search', 'repos']],
    ['list_pull-requests', ['list', 'pull', 'requests']],
    ['getHTMLPage2', ['get', 'html', 'page2']],
    ['Ｗｉｄｅ ﬁle', ['wide', 'file']],
    ['发送消息', ['发送', '送消', '消息']],
    ['  ', []],
    ['\u0000\ud800', []],
  ])('of %j are %j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  test('are lowercase, never empty, and of bounded length, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const word of splitWords(text)) {
          expect(word.length).toBeGreaterThan(0)
          expect(word.length).toBeLessThanOrEqual(128)
          expect(word).toBe(word.toLowerCase())
        }
      }),
    )
  })
})

describe('stems', () => {
  test.each([
    ['creating', 'creates'],
    ['creation', 'created'],
    ['branches', 'branch'],
    ['repositories', 'repository'],
    ['dependencies', 'dependency'],
    ['deployed', 'deploying'],
    ['configuration', 'configure'],
    ['stopped', 'stop'],
    ['running', 'run'],
    ['statuses', 'status'],
    ['authorization', 'authorize'],
  ])('%s and %s meet in one', (one, other) => {
    expect(stemOf(one)).toBe(stemOf(other))
  })

  test.each([
    ['status', 'state'],
    ['user', 'use'],
    ['pass', 'pas'],
    ['news', 'newer'],
  ])('%s and %s stay apart', (one, other) => {
    expect(stemOf(one)).not.toBe(stemOf(other))
  })

  test('leave words of other letters as they are', () => {
    for (const word of ['größen', 'файлы', 's3', '发送', 'x'.repeat(200)]) expect(stemOf(word)).toBe(word)
  })

  test('are never empty nor longer than a letter more than the word', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,30}$/), (word) => {
        expect(stemOf(word).length).toBeGreaterThan(0)
        expect(stemOf(word).length).toBeLessThanOrEqual(word.length + 1)
      }),
    )
  })
})

describe('what a query asks for', () => {
  const stemsIn = (query: string) =>
    queryTerms(query).flatMap(({ variants }) => variants.map(({ stems }) => stems.join(' ')))

  test('leaves out words that say nothing, unless there are no others', () => {
    expect(queryTerms('what is the branch')).toHaveLength(1)
    expect(queryTerms('what is the')).toHaveLength(3)
    expect(queryTerms('  ')).toEqual([])
  })

  test('holds other words for the same, of several words in a row too', () => {
    expect(stemsIn('ticket')).toContain(stemOf('issue'))
    expect(stemsIn('the line of development')).toContain(stemOf('branch'))
    expect(stemsIn('a change request')).toContain(['pull', 'request'].map(stemOf).join(' '))
    expect(stemsIn('remove it')).toContain(stemOf('delete'))
  })

  test('is bounded, however long the query', () => {
    expect(queryTerms('alpha beta '.repeat(10_000)).length).toBeLessThan(60)
    expect(queryTerms('x'.repeat(1_000_000)).length).toBe(1)
  })

  test('synonyms hold both ways, and none of them is a stop word', () => {
    const synonyms = synonymsByPhrase()
    for (const [entry, others] of synonyms) {
      expect(others).not.toContain(entry)
      for (const other of others) expect(synonyms.get(other)).toContain(entry)
      expect(STOP_WORDS).not.toContain(entry)
    }
  })
})
