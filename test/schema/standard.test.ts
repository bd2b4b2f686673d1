import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../src/data/json.ts'
import { compileSchema } from '../../src/schema/schema.ts'
import type { UsableSchema } from '../../src/schema/schema.ts'

describe('Zod 4', () => {
  const trip = usable(
    z.object({
      city: z.string().describe('Where'),
      days: z.number().int().optional(),
      stops: z.array(z.strictObject({ name: z.string() })).default([]),
    }),
  )

  test('validates, and its JSON Schema is what the model is shown', () => {
    expect(trip.jsonSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', description: 'Where' }, days: { type: 'integer' } },
      required: ['city'],
    })
    expect(trip.validate({ city: 'Oslo' })).toEqual([])
    expect(trip.validate({ days: 'three', stops: [{ name: 1 }] })).toMatchObject([
      { path: '/city', received: 'missing' },
      { path: '/days', received: '"three"', message: expect.stringMatching(/^"days": .*expected number/) },
      { path: '/stops/0/name', received: '1', message: expect.stringMatching(/^"stops\[0\]\.name": /) },
    ])
  })

  test('refinements count; transforms and defaults do not change the value', () => {
    const compiled = usable(z.object({ n: z.string().transform(Number).pipe(z.number().max(5)) }))
    const value = { n: '3' }
    expect(compiled.validate(value)).toEqual([])
    expect(value).toEqual({ n: '3' })
    expect(compiled.jsonSchema).toMatchObject({ properties: { n: { type: 'string' } } })
    expect(compiled.validate({ n: '7' })).toMatchObject([{ path: '/n' }])
  })

  test('what has no JSON Schema is refused at definition time', () => {
    expect(compileSchema(z.object({ at: z.date() }), 'auto')).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('cannot be written as JSON Schema') }],
    })
  })

  test('parameters must be an object', () => {
    expect(compileSchema(z.string(), 'auto', 'parameters')).toMatchObject({ ok: false, problems: [{ path: '/type' }] })
    expect(compileSchema(z.string(), 'auto', 'value').ok).toBe(true)
  })

  test('an asynchronous refinement is a violation at the first call', () => {
    const compiled = usable(z.object({ a: z.string().refine(() => Promise.resolve(false)) }))
    expect(compiled.validate({ a: 'x' })).toMatchObject([{ message: expect.stringContaining('asynchronously') }])
  })
})

describe('any other producer', () => {
  const jsonSchema = { input: () => ({ type: 'object' }) }

  test('one that answers with a promise is refused at definition time, and its failure harms nobody', () => {
    const compiled = compileSchema(
      producer(() => Promise.reject(new Error('late'))),
      'auto',
    )
    expect(compiled).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('asynchronously') }] })
  })

  test('issues with paths of keys or of segments become violations', () => {
    const compiled = usable(
      producer(() => ({
        issues: [{ message: 'too far', path: ['trip', { key: 0 }, { key: 'a/b' }] }, { message: 'odd' }],
      })),
    )
    expect(compiled.validate({ trip: [{ 'a/b': 9 }] })).toMatchObject([
      { path: '/trip/0/a~1b', received: '9', message: '"trip[0]["a/b"]": too far' },
      { path: '', message: 'the value: odd' },
    ])
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('oops')
      },
    ],
    ['answers nothing', () => undefined],
    ['has issues that are no list', () => ({ issues: 'bad' })],
    ['has an empty list of issues', () => ({ issues: [] })],
    [
      'gives hostile issues',
      () => ({
        issues: [
          {
            get message() {
              throw new Error('trap')
            },
          },
        ],
      }),
    ],
  ])('one that %s refuses the value and never throws', (_name, validate) => {
    expect(usable(producer(validate)).validate({})).toHaveLength(1)
  })

  test('a value that is not plain data does not reach it', () => {
    let calls = 0
    const compiled = usable(
      producer(() => {
        calls++
        return { value: 1 }
      }),
    )
    calls = 0
    expect(compiled.validate({ at: new Date() } as unknown as Json)).toMatchObject([{ path: '/at' }])
    expect(calls).toBe(0)
  })

  test('without a JSON Schema, or with a broken one, it is refused', () => {
    const bare = { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } }
    expect(compileSchema(bare, 'auto')).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('no JSON Schema form') }],
    })
    for (const input of [
      () => {
        throw new Error('no')
      },
      () => 3,
      () => undefined,
      () => ({ a: 1n }),
    ]) {
      expect(compileSchema({ '~standard': { ...bare['~standard'], jsonSchema: { input } } }, 'auto').ok).toBe(false)
    }
  })

  test('something that only looks like one is read as the DSL', () => {
    expect(compileSchema({ '~standard': 1 }, 'auto')).toMatchObject({ ok: false, problems: [{ path: '/~0standard' }] })
    expect(
      compileSchema(
        {
          get '~standard'() {
            throw new Error('no')
          },
        },
        'auto',
      ).ok,
    ).toBe(false)
    expect(compileSchema({ type: 'string' }, 'auto').ok).toBe(true)
  })

  function producer(validate: () => unknown): unknown {
    return { '~standard': { version: 1, vendor: 'own', validate, jsonSchema } }
  }
})

function usable(schema: unknown): UsableSchema {
  const compiled = compileSchema(schema, 'auto')
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return compiled
}
