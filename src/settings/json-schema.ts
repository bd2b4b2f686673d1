import { z } from 'zod'
import { rootSchema } from './schema/root.ts'

/** The JSON Schema of `codeferry.json` for editors; `docs/codeferry.schema.json` is this. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  // Draft 7 is what editors understand best.
  const { $schema, ...schema } = z.toJSONSchema(rootSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' })
  return {
    $schema,
    title: 'Codeferry configuration',
    description: 'codeferry.json: the tools, who may use them, and how',
    // Words of VS Code: the file is read with comments and trailing commas.
    allowComments: true,
    allowTrailingCommas: true,
    ...schema,
  }
}
