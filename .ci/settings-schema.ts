// Writes docs/codeferry.schema.json, which editors use and the package carries. A test compares it with the schema.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { settingsJsonSchema } from '../src/settings/json-schema.ts'

const path = join(import.meta.dirname, '..', 'docs', 'codeferry.schema.json')
const text = await format(JSON.stringify(settingsJsonSchema()), { parser: 'json', printWidth: 120 })
writeFileSync(path, text)
