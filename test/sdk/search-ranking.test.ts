import { describe, expect, test } from 'vitest'
import { searchTools } from '../../src/sdk/search.ts'
import { compileTexts } from './compile-texts.ts'
import { viewOf, type ListedTool } from './sdk-fixtures.ts'

const search = (tools: readonly ListedTool[], query: string, limit = 10) => {
  const { view, names } = viewOf(tools, 'srv')
  return searchTools(view, names, query, { limit })
}
const namesOf = (tools: readonly ListedTool[], query: string) => search(tools, query).map(({ name }) => name.slice(4))
const args = (properties: Readonly<Record<string, unknown>>) => ({ type: 'object', properties })

describe('a tool is found', () => {
  const tools: readonly ListedTool[] = [
    { name: 'alpha', description: 'Does one thing.', inputSchema: args({ cronExpression: { type: 'string' } }) },
    {
      name: 'beta',
      description: 'Does another.',
      inputSchema: args({ mode: { type: 'string', description: 'Fades in from the left' } }),
    },
    { name: 'gamma', description: 'Does more.', inputSchema: args({ kind: { enum: ['sepia', 'mono'] } }) },
    {
      name: 'delta',
      description: 'Does less.',
      inputSchema: args({ list: { type: 'array', items: args({ zipCode: { type: 'string' } }) } }),
    },
    { name: 'epsilon', title: 'Umbrella rental', description: 'Does nothing.' },
    { name: 'zeta', description: 'Counts.', outputSchema: args({ barometer: { type: 'number' } }) },
    { name: 'take_screen_shot', description: 'Takes one.' },
  ]
  test.each([
    ['the name of a parameter', 'cron expression', 'alpha'],
    ['the description of a parameter', 'fade in', 'beta'],
    ['a value of an enum', 'sepia', 'gamma'],
    ['a nested property', 'zip codes', 'delta'],
    ['its title', 'rent an umbrella', 'epsilon'],
    ['a field of its result', 'barometer', 'zeta'],
    ['words written as one', 'screenshot', 'take_screen_shot'],
    ['the beginning of a word', 'umbr', 'epsilon'],
  ])('by %s', (_, query, name) => {
    expect(namesOf(tools, query)[0]).toBe(name)
  })
})

describe('the order', () => {
  test('puts what answers to all of the words before what repeats one of them', () => {
    const stuffed = { name: 'spam', description: 'invoice '.repeat(500) }
    const plain = { name: 'pay', description: 'Pays an invoice of a supplier.' }
    expect(namesOf([stuffed, plain, { name: 'x', description: 'Nothing.' }], 'supplier invoice')[0]).toBe('pay')
  })

  test('puts the word itself before another word for it', () => {
    const tools = [
      { name: 'a', description: 'Removes a label.' },
      { name: 'b', description: 'Deletes a label.' },
    ]
    expect(namesOf(tools, 'delete a label')).toEqual(['b', 'a'])
    expect(namesOf(tools, 'remove a label')).toEqual(['a', 'b'])
  })

  test('does not depend on the order in which tools came', () => {
    const tools = Array.from({ length: 40 }, (_, at) => ({ name: `t${at}`, description: `Sends mail ${at % 3}.` }))
    expect(namesOf(tools.toReversed(), 'send mail')).toEqual(namesOf(tools, 'send mail'))
  })

  test('takes names from outside for words, whatever they are', () => {
    const tools = ['__proto__', 'constructor', 'then', 'toString'].map((name) => ({ name, description: 'Odd.' }))
    expect(namesOf(tools, 'constructor')[0]).toBe('constructor')
    expect(search(tools, '__proto__ hasOwnProperty')).toHaveLength(1)
  })
})

describe('a signature', () => {
  const wide = args(
    Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`parameter_number_${at}`, { type: 'string' }])),
  )
  const nested = args({
    filter: args({
      all: args(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, { type: 'number' }]))),
    }),
    sort: { enum: ['asc', 'desc'] },
  })
  const tools: readonly ListedTool[] = [
    { name: 'wide', description: 'Wide.', inputSchema: { ...wide, required: ['parameter_number_7'] } },
    { name: 'nested', description: 'Nested.', inputSchema: nested },
    {
      name: 'tree',
      description: 'Tree.',
      inputSchema: { $defs: { n: args({ kids: { type: 'array', items: { $ref: '#/$defs/n' } } }) }, $ref: '#/$defs/n' },
    },
    {
      name: 'plain',
      description: 'Plain.',
      inputSchema: { ...args({ id: { type: ['string', 'null'] } }), required: ['id'] },
    },
    {
      name: 'free',
      description: 'Free.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'array', items: { enum: ['a', 'b'] } },
    },
  ]
  const signatureOf = (name: string) => search(tools, name)[0]?.signature ?? ''

  test('is one line of bounded length that says what is required', () => {
    for (const { name } of tools) {
      expect(signatureOf(name)).not.toContain('\n')
      expect(signatureOf(name).length).toBeLessThan(700)
    }
    expect(signatureOf('plain')).toBe('tools.srv.plain(args: { id: string | null }): Promise<any>')
    expect(signatureOf('wide')).toBe(
      'tools.srv.wide(args: { parameter_number_7: string } & { [optional: string]: unknown } /* 79 optional */): Promise<any>',
    )
    expect(signatureOf('nested')).toBe(
      'tools.srv.nested(args?: { filter?: object; sort?: "asc" | "desc" }): Promise<any>',
    )
    expect(signatureOf('free')).toBe('tools.srv.free(args?: object): Promise<("a" | "b")[]>')
  })

  test('is a TypeScript type', () => {
    const lines = tools.map(({ name }) => signatureOf(name).replace(/^tools\.srv\./, 'declare function '))
    expect(compileTexts({ 'signatures.ts': `${lines.join('\n')}\n` })).toEqual([])
  })
})
