import path from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/data/json.ts'
import { compileSchema } from '../../../src/schema/schema.ts'
import { describeWithCorpus, jsonFilesIn, readJson } from '../../support/shared-corpus.ts'

describeWithCorpus('schemas of real tool catalogs', 'catalogs', (directory) => {
  test('every one compiles, is shown as it came, and gives a verdict on a value', () => {
    let schemas = 0
    for (const file of jsonFilesIn(directory)) {
      const catalog = readJson(path.join(directory, file)) as { tools?: { inputSchema?: Json; outputSchema?: Json }[] }
      for (const schema of (catalog.tools ?? []).flatMap(({ inputSchema, outputSchema }) => [
        inputSchema,
        outputSchema,
      ])) {
        if (schema === undefined) continue
        schemas++
        const compiled = compileSchema(schema, 'full')
        if (!compiled.ok) throw new Error(`${file}: ${JSON.stringify(compiled.problems)}`)
        expect(compiled.jsonSchema).toEqual(schema)
        expect(compiled.validate({}).filter(({ received }) => received === 'not checked')).toEqual([])
      }
    }
    expect(schemas).toBeGreaterThan(1_000)
  })
})
