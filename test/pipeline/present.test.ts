import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ContentBlock } from '../../src/data/content.ts'
import type { DurableResult } from '../../src/data/outcome.ts'
import { CallPresentation, type Presenter } from '../../src/pipeline/present.ts'
import { parseRenderIntent } from '../../src/pipeline/render-intent.ts'
import type { RenderIntent } from '../../src/registry/tool.ts'

const text = fc.string({ unit: 'binary' })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const intentOf = <T extends object>(kind: RenderIntent['kind'], fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<Record<string, unknown>>
/** Every kind with every field; `undefined` stands for "none". */
const anyIntent = fc.oneof(
  intentOf('generic', { title: text, detail: maybe(text) }),
  intentOf('terminal', { command: text, output: maybe(text), exitCode: maybe(fc.integer()) }),
  intentOf('diff', { path: text, before: maybe(text), after: maybe(text), patch: maybe(text) }),
  intentOf('search', { query: text, hits: maybe(fc.array(fc.record({ title: text, ref: text }), { maxLength: 5 })) }),
  intentOf('read', { path: text, range: maybe(text), text: maybe(text) }),
  intentOf('web', { url: text, title: maybe(text), text: maybe(text) }),
)
const present = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))

describe('what a presenter gives', () => {
  test('is taken whole when it is right, without what its kind does not have', () => {
    fc.assert(
      fc.property(anyIntent, (intent) => {
        const parsed = parseRenderIntent({ ...intent, html: '<script>', onClick: () => {} })
        expect(parsed).toEqual(present(intent))
        expect(Object.isFrozen(parsed)).toBe(true)
      }),
    )
  })

  test('is nonsense with any one field wrong or a required one missing', () => {
    fc.assert(
      fc.property(anyIntent, fc.nat(), fc.constantFrom(7n, {}, [], null, true, Symbol('s')), (intent, pick, wrong) => {
        const names = Object.keys(intent)
        const name = names[pick % names.length] ?? 'kind'
        // Hits may be a list, and an empty one.
        fc.pre(!(name === 'hits' && Array.isArray(wrong)))
        expect(parseRenderIntent({ ...intent, [name]: wrong })).toBeUndefined()
        const required = names.slice(0, 2)
        for (const missing of required) expect(parseRenderIntent({ ...intent, [missing]: undefined })).toBeUndefined()
      }),
    )
  })

  test('may be anything at all: it is an intent or nothing, never a throw', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }), (given) => {
        expect(parseRenderIntent(given)).toBeUndefined()
      }),
    )
    const trap = new Proxy(
      {},
      {
        get() {
          throw new Error('trap')
        },
      },
    )
    const hits = Array.from({ length: 1_001 }, () => ({ title: 't', ref: 'r' }))
    for (const nonsense of [
      trap,
      { kind: 'generic', title: trap },
      { kind: 'search', query: 'q', hits: [trap] },
      { kind: 'search', query: 'q', hits },
      { kind: '__proto__', title: 't' },
      { kind: 'terminal', command: 'c', exitCode: 1.5 },
      { kind: 'generic', title: 'x'.repeat(17 * 1024 * 1024) },
    ])
      expect(parseRenderIntent(nonsense)).toBeUndefined()
    expect(parseRenderIntent({ kind: 'search', query: 'q', hits: hits.slice(1) })).toMatchObject({ kind: 'search' })
  })

  test('is read once, field by field', () => {
    let reads = 0
    const moody = {
      kind: 'generic',
      get title() {
        return reads++ === 0 ? 'a title' : 7
      },
    }
    expect(parseRenderIntent(moody)).toEqual({ kind: 'generic', title: 'a title' })
    expect(reads).toBe(1)
  })
})

const durable: DurableResult = {
  isError: false,
  content: [
    { type: 'text', text: 'two lines\nof text' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ],
  meta: { path: 'a.txt' },
}
const draw = (presenter: Presenter | undefined, raw = '{"path":"a"}', result = durable) => {
  const presentation = new CallPresentation({ name: 'files.edit', arguments: raw }, presenter)
  return { call: presentation.call, result: presentation.result(result) }
}
const genericLook = {
  call: { kind: 'generic', title: 'files.edit', detail: '{"path":"a"}' },
  result: {
    kind: 'generic',
    title: 'files.edit',
    detail: 'two lines\nof text\n[image image/png, 4 characters of base64]',
  },
}

describe('a call', () => {
  test('is drawn by its presenters, which are given the parsed arguments and the durable result', () => {
    const seen: unknown[] = []
    const looks = draw({
      presentCall: (args) => (seen.push(args), { kind: 'read', path: args.path as string }),
      presentResult: (args, given) => (seen.push(args, given), { kind: 'diff', path: 'b', patch: '+' }),
    })
    expect(looks).toEqual({ call: { kind: 'read', path: 'a' }, result: { kind: 'diff', path: 'b', patch: '+' } })
    expect(seen).toEqual([{ path: 'a' }, { path: 'a' }, durable])
    expect(seen.every((value) => Object.isFrozen(value) || value === durable)).toBe(true)
  })

  const throwing = () => {
    throw new Error('a bug')
  }
  test.each<[string, Presenter | undefined]>([
    ['no definition', undefined],
    ['no presenters', {}],
    ['presenters that throw', { presentCall: throwing, presentResult: throwing }],
    [
      'presenters that give nonsense',
      { presentCall: () => ({ kind: 'html' }) as never, presentResult: () => 7 as never },
    ],
    [
      'presenters that are async, and reject',
      {
        presentCall: () => Promise.reject(new Error('later')) as never,
        presentResult: () => Promise.reject(new Error('later')) as never,
      },
    ],
  ])('with %s has the generic look, under its bare name', (_, presenter) => {
    expect(draw(presenter)).toEqual(genericLook)
  })

  test('whose raw arguments the pipeline refuses is shown as they came, and its presenters are not asked', () => {
    let asked = 0
    const presenter: Presenter = {
      presentCall: () => (asked++, { kind: 'web', url: 'u' }),
      presentResult: () => (asked++, { kind: 'web', url: 'u' }),
    }
    for (const raw of ['{"a": ', '[1]', '{"a":1,"a":2}'])
      expect(draw(presenter, raw)).toEqual({ ...genericLook, call: { ...genericLook.call, detail: raw } })
    expect(asked).toBe(0)
    expect(draw(presenter, '').call).toEqual({ kind: 'web', url: 'u' })
  })

  test('with large arguments or a large result has a bounded generic look', () => {
    const large: ContentBlock = { type: 'text', text: 'é'.repeat(1_000_000) }
    const { call, result } = draw(undefined, `{"a":"${'x'.repeat(1_000_000)}"}`, { isError: true, content: [large] })
    for (const look of [call, result])
      expect(Buffer.byteLength(look.kind === 'generic' ? (look.detail ?? '') : '')).toBeLessThanOrEqual(4_000)
  })

  test('without arguments has no detail', () => {
    for (const raw of ['', ' ', '{}'])
      expect(draw(undefined, raw).call).toEqual({ kind: 'generic', title: 'files.edit' })
  })
})
