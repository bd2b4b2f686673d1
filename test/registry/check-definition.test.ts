import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDefinition } from '../../src/registry/check-definition.ts'
import { tool } from './sample-tools.ts'

function problems(input: unknown): readonly string[] {
  const checked = checkDefinition(input)
  return checked.ok ? [] : checked.problems
}
const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

test.each([
  [{ name: undefined }, /^name must be a string; got undefined/],
  [{ namespace: 'b' }, /^namespace "b": the name must be "b\.<member>"; got "a"/],
  [{ description: undefined }, /^description must be a string/],
  [{ description: 'x'.repeat(100_001) }, /^description must be at most 100000 characters/],
  [{ title: 7 }, /^title must be a string/],
  [{ validateArguments: undefined }, /^validateArguments must say who checks arguments/],
  [{ validateArguments: 'nobody' }, /^validateArguments must say who checks arguments/],
  [{ execute: undefined }, /^execute must be a function/],
  [{ output: undefined }, /^output must be an object with a render function/],
  [{ output: {} }, /^output\.render must be a function/],
  [{ output: { render: () => [], schema: 'string' } }, /^output\.schema must be a JSON Schema object/],
  [{ output: { render: () => [], validate: true } }, /^output\.validate must be a function/],
  [{ parameters: undefined }, /^parameters must be/],
  [{ parameters: [] }, /^parameters must be a JSON Schema object/],
  [{ parameters: { type: 'string' } }, /^parameters must describe an object: .*got type "string"/],
  [{ parameters: { type: ['array', 'null'] } }, /^parameters must describe an object/],
  [{ parameters: { type: 'object', default: Number.NaN } }, /^parameters\/default must be JSON: NaN/],
  [{ parameters: { type: 'object', x: cyclic } }, /^parameters\/x\/self must be JSON: cycle/],
  [{ timeoutMs: Infinity }, /^timeoutMs must be a positive finite number; got Infinity/],
  [{ timeoutMs: '5' }, /^timeoutMs must be a positive finite number/],
  [{ tier: 'code-only' }, /^tier must be/],
  [{ isConcurrencySafe: true }, /^isConcurrencySafe must be a function; got boolean/],
  [{ annotations: 'none' }, /^annotations must be an object/],
  [{ annotations: { readOnlyHint: 'yes' } }, /^annotations\.readOnlyHint must be true or false/],
  [{ annotations: { title: undefined } }, /^annotations\/title must be JSON/],
])('%# a definition with one fault is refused by that fault alone', (fields, message) => {
  expect(problems({ ...tool('a'), ...fields })).toEqual([expect.stringMatching(message)])
})

test.each([
  [{ parameters: {} }],
  [{ parameters: { type: ['object', 'null'] } }],
  [{ parameters: { type: 'dict', properties: {} } }],
  [{ annotations: { readOnlyHint: true, vendor: { x: 1 } } }],
  [{ description: '' }],
])('%# what real catalogs hold passes', (fields) => {
  expect(problems({ ...tool('a'), ...fields })).toEqual([])
})

test('a promised output schema is enforced though the author brings no check', () => {
  const checked = checkDefinition(tool('a', { output: { schema: { type: 'integer' }, render: () => [] } }))
  if (!checked.ok) throw new Error('must pass')
  expect(checked.definition.output.validate?.(1)).toEqual([])
  expect(checked.definition.output.validate?.('1')).not.toEqual([])
})

test('each field is read once', () => {
  const reads = new Map<PropertyKey, number>()
  const counting = new Proxy(tool('a'), {
    get(target, key) {
      reads.set(key, (reads.get(key) ?? 0) + 1)
      return Reflect.get(target, key) as unknown
    },
  })
  expect(checkDefinition(counting).ok).toBe(true)
  expect([...reads].filter(([, count]) => count > 1)).toEqual([])
})

test('anything at all gets an answer, hostile objects too', () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('trap')
      },
    },
  )
  expect(problems(hostile)).toEqual([expect.stringContaining('it cannot be read: trap')])
  fc.assert(
    fc.property(fc.anything(), (input) => {
      expect(checkDefinition(input).ok).toBe(false)
    }),
    { numRuns: 200 },
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(tool('a')), 'tier', 'title', 'annotations'),
      fc.anything(),
      (field, value) => {
        expect(typeof checkDefinition({ ...tool('a'), [field]: value }).ok).toBe('boolean')
      },
    ),
    { numRuns: 500 },
  )
})
