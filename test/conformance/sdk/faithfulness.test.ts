import { expect, test } from 'vitest'
import type { Json } from '../../../src/data/json.ts'
import { deriveNames } from '../../../src/registry/native-names.ts'
import { viewOf } from '../../sdk/sdk-fixtures.ts'
import { faithfulnessOf } from './faithfulness.ts'
import { faultsIn } from './faults.ts'
import { candidatesFor, randomFrom } from './instances.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^[0-9a-f]+$', minLength: 24, maxLength: 24 },
    mode: { enum: ['fast', 'slow'] },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
  },
  required: ['id', 'tags'],
}
const toolWith = (schemas: { inputSchema?: unknown; outputSchema?: unknown }) => {
  const { view, names } = viewOf([{ name: 'x', description: '', inputSchema: { type: 'object' }, ...schemas }], 'srv')
  return [{ name: 'test', view, names }]
}

test('the values are the same for the same seed', () => {
  const make = (seed: number) => candidatesFor(SCHEMA, randomFrom(seed), 10)
  expect(make(7)).toEqual(make(7))
  expect(make(7)).not.toEqual(make(8))
  expect(make(7)[0]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{24}$/), tags: [expect.any(String)] })
})

test('a fault is one thing wrong at one place', () => {
  const value = { id: 'a', mode: 'fast', tags: ['t'] }
  const found = faultsIn(SCHEMA, value, 100).map(({ kind, at }) => `${kind} ${at}`)
  expect(found.sort()).toEqual([
    'missing required /id',
    'missing required /tags',
    'wrong enum /mode',
    'wrong item /tags/0',
    'wrong type /id',
    'wrong type /mode',
    'wrong type /tags',
  ])
})

test('a type that refuses what its schema takes is found', () => {
  const [catalog] = toolWith({})
  const [name = '', tool] = [...(catalog?.view.toolsByName ?? [])][0] ?? []
  const schemaOf = (type: unknown) => ({ type: 'object', properties: { x: { type } as Json }, required: ['x'] })
  let reads = 0
  // The text is made of one schema, and held against another.
  const liar = {
    ...tool,
    name,
    description: '',
    output: {},
    get parameters() {
      return schemaOf((reads += 1) === 1 ? 'string' : ['string', 'number'])
    },
  }
  const view = { toolsByName: new Map([[name, liar]]) }
  const { validRefused } = faithfulnessOf([{ name: 'test', view, names: deriveNames(view) }])
  expect(validRefused.length).toBeGreaterThan(0)
  expect(validRefused[0]).toMatchObject({ direction: 'input', message: expect.stringContaining('TS2322') as string })
})

test('a result is taken to hold what has a default', () => {
  const outputSchema = { type: 'object', properties: { x: { type: 'string', default: 'x' } } }
  expect(faithfulnessOf(toolWith({ outputSchema }))).toMatchObject({ validRefused: [], missed: [] })
})

test('a type that takes what its schema refuses is found', () => {
  // Nothing says that it is an object, so the type of a result lets everything through.
  const outputSchema = { properties: { x: { type: 'string' } }, required: ['x'] }
  const { missed } = faithfulnessOf(toolWith({ outputSchema }))
  expect(new Set(missed.map(({ what }) => what))).toEqual(new Set(['missing required', 'wrong type']))
})

test('a required argument with a default is counted apart', () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'number', default: 1 } }, required: ['n'] }
  const { leftOutForDefault, missed } = faithfulnessOf(toolWith({ inputSchema }))
  expect(leftOutForDefault).toBeGreaterThan(0)
  expect(missed).toEqual([])
})
