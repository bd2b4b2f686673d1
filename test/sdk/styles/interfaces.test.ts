import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRecord } from '../../../src/data/json.ts'
import type { Json, JsonObject } from '../../../src/data/json.ts'
import { deriveNames } from '../../../src/registry/native-names.ts'
import { catalogView, readCatalog } from '../../../src/sdk/catalog.ts'
import { renderInterfaces } from '../../../src/sdk/styles/interfaces.ts'
import { describeWithCorpus, jsonFilesIn } from '../../support/shared-corpus.ts'
import { compileTexts } from '../compile-texts.ts'
import { viewOf } from '../sdk-fixtures.ts'

describeWithCorpus('interfaces of real catalogs', 'catalogs', (directory) => {
  test(
    'each whole text compiles under strict, and hardly a tool needs its compact type',
    { timeout: 300_000 },
    async () => {
      const texts: Record<string, string> = {}
      let tools = 0
      let own = 0
      for (const file of jsonFilesIn(directory)) {
        const catalog = readCatalog(readFileSync(path.join(directory, file), 'utf8'))
        if (!catalog.ok) throw new Error(catalog.message)
        const view = catalogView(catalog.tools)
        const { text, warnings } = await renderInterfaces(view, deriveNames(view))
        texts[file.replace('.json', '.ts')] = text
        tools += view.toolsByName.size
        own += new Set(warnings.filter(({ reason }) => reason.includes('compact type')).map(({ tool }) => tool)).size
      }
      expect(compileTexts(texts)).toEqual([])
      expect(tools).toBeGreaterThan(1_000)
      expect(own / tools).toBeLessThan(0.01)
    },
  )
})

const words = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'x-y', '*/', '`${', '1', '$ref', 'items', '')
const text = fc.oneof(words, fc.string({ maxLength: 12, unit: 'binary' }))
const type = fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null', 'dict', 'any', 'frob')
const within = fc.constantFrom('#', '#/$defs/A', '#/$defs/B', '#/$defs/*~1')
const target = fc.oneof(
  { weight: 12, arbitrary: within },
  { weight: 1, arbitrary: fc.constantFrom('#/$defs/Gone', '#/properties/a', 'file:///etc/hosts') },
)
const literal = fc.oneof(text, fc.integer(), fc.constant(null), fc.boolean())
const schema = fc.letrec<{ schema: Json }>((tie) => {
  const part = tie('schema')
  const parts = fc.dictionary(words, part, { maxKeys: 3 })
  const list = fc.array(part, { minLength: 1, maxLength: 3 })
  return {
    schema: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      fc.record(
        { type: fc.oneof(type, fc.array(type, { maxLength: 3 })), description: text, title: text },
        { requiredKeys: [] },
      ),
      fc.record({ enum: fc.array(literal, { minLength: 1, maxLength: 4 }) }),
      fc.record({ $ref: target, description: text }, { requiredKeys: ['$ref'] }),
      fc.constantFrom<Json>(true, {}),
      fc.record(
        {
          type: fc.constant('object'),
          properties: parts,
          required: fc.array(words, { maxLength: 2 }),
          additionalProperties: part,
          patternProperties: parts,
        },
        { requiredKeys: ['type', 'properties'] },
      ),
      fc.record(
        { type: fc.constant('array'), items: part, minItems: fc.integer(), maxItems: fc.integer() },
        { requiredKeys: ['type', 'items'] },
      ),
      fc.record(
        { anyOf: list, oneOf: list, allOf: list, properties: parts, nullable: fc.boolean() },
        { requiredKeys: [] },
      ),
      fc.record(
        { tsType: text, tsEnumNames: fc.array(text, { maxLength: 2 }), extends: part, deprecated: fc.boolean() },
        { requiredKeys: [] },
      ),
    ) as fc.Arbitrary<Json>, // Records of JSON are JSON.
  }
}).schema
const root = fc
  .tuple(fc.dictionary(words, schema, { maxKeys: 4 }), schema, fc.tuple(schema, schema, schema))
  .map(([properties, beside, [A, B, other]]): Json => {
    const own = isRecord(beside) ? (beside as JsonObject) : {}
    return { ...own, type: 'object', properties, $defs: { A, B, '*/': other } }
  })

test(
  'whatever the schemas hold, nothing is thrown, every tool is there, and all interfaces together compile',
  { timeout: 300_000 },
  async () => {
    const texts: Record<string, string> = {}
    let made = 0
    let all = 0
    const render = async (schemas: readonly (readonly [Json, Json])[]) => {
      const tools = schemas.map(([inputSchema, outputSchema], n) => ({ name: `t_${n}`, inputSchema, outputSchema }))
      const { view, names } = viewOf(tools)
      const { text, warnings } = await renderInterfaces(view, names)
      for (const n of schemas.keys())
        expect(text).toMatch(new RegExp(`^ {2}t_${n}\\(args\\??: T${n}Args\\): Promise<`, 'm'))
      const own = new Set(warnings.filter(({ reason }) => reason.includes('compact type')).map(({ tool }) => tool))
      return { text, fitting: schemas.filter((_, n) => !own.has(`t_${n}`)) }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(root, root), { minLength: 1, maxLength: 5 }), async (schemas) => {
        const { fitting } = await render(schemas)
        all += schemas.length
        made += fitting.length
        texts[`text${Object.keys(texts).length}.ts`] = (await render(fitting)).text
      }),
      { numRuns: 100 },
    )
    expect(made / all).toBeGreaterThan(0.1)
    const shown = compileTexts(texts).map(({ file, line, message }) => {
      const lines = texts[file]?.split('\n').slice(line - 4, line + 2) ?? []
      return [message, ...lines].join('\n')
    })
    expect(shown).toEqual([])
  },
)

test('the text depends on the set of tools alone', async () => {
  const tools = ['b', 'a', 'A', 'c-d', 'c_d'].map((name) => ({
    name,
    inputSchema: { type: 'object', $defs: { X: {} } },
  }))
  const render = async (list: typeof tools) => {
    const { view, names } = viewOf(list)
    return (await renderInterfaces(view, names)).text
  }
  expect(await render(tools.toReversed())).toBe(await render(tools))
})
