import { normalize } from '@scalar/openapi-parser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/data/json.ts'
import { openapi30, read, swagger2 } from './fixtures.ts'

const books = normalize(openapi30) as Json // A literal of the fixtures.
const documents: readonly Json[] = [swagger2, books, { ...(books as object), openapi: '3.1.0' }]

/** Values that a place in a document is replaced with: of another kind, of a special name, leading outside. */
const odd = fc.oneof(
  fc.constantFrom<Json>(null, true, 0, -1, 1.5, '', '..', '{x}', '\r\nX: 1', '__proto__', [], {}, [null], [[[]]]),
  fc.constantFrom<Json>(
    { $ref: '#' },
    { $ref: '#/paths' },
    { $ref: '#/%' },
    { $ref: 'http://127.0.0.1:9/x' },
    { $ref: 5 },
    { in: 'body' },
    { in: 'query', name: 'x', schema: { type: ['a', []] } },
    { content: { 'application/json': null } },
  ),
  fc.jsonValue() as fc.Arbitrary<Json>,
)

/** Replaces, or drops, the value at one place of a document. `at` picks the place among all. */
function mutate(document: Json, at: number, value: Json | undefined): Json {
  const copy = structuredClone(document) as Json
  const places: [Record<string, Json>, string][] = []
  const open: Json[] = [copy]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue
    const holder = node as Record<string, Json> // Arrays too: their indices are keys.
    for (const key of Object.keys(holder)) {
      places.push([holder, key])
      open.push(holder[key] ?? null)
    }
  }
  const [holder, key] = places[at % Math.max(1, places.length)] ?? []
  if (holder === undefined || key === undefined) return copy
  if (value === undefined) delete holder[key]
  else holder[key] = value
  return copy
}

test('a document that was damaged anywhere becomes tools, or CONFIG_INVALID, and nothing is fetched', async () => {
  const change = fc.record({ at: fc.nat(), value: fc.option(odd, { nil: undefined }) })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...documents),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (document, changes) => {
        const damaged = changes.reduce((text, { at, value }) => mutate(text, at, value), document)
        try {
          const { tools } = await read(damaged)
          for (const tool of tools) {
            if (tool.validateArguments !== 'in-body') tool.validateArguments({ body: {}, limit: 'x' })
            tool.output.validate?.([{ name: 1 }])
          }
          expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'CONFIG_INVALID' })
        }
      },
    ),
    { numRuns: 400 },
  )
})

test('a text that was damaged anywhere is read or is CONFIG_INVALID', async () => {
  const texts = [JSON.stringify(swagger2), JSON.stringify(books)]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...texts), fc.nat(), fc.string({ maxLength: 5 }), async (text, at, put) => {
      const place = at % text.length
      await read(`${text.slice(0, place)}${put}${text.slice(place + 1)}`).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'CONFIG_INVALID' })
      })
    }),
    { numRuns: 100 },
  )
})
