import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/codemode/limits.ts'
import { settingsJsonSchema } from '../../src/settings/json-schema.ts'

test('the published schema is the one that the settings are read by', () => {
  const published = JSON.parse(readFileSync('docs/codeferry.schema.json', 'utf8')) as unknown
  expect(published, 'write it anew: node .ci/settings-schema.ts').toEqual(
    JSON.parse(JSON.stringify(settingsJsonSchema())),
  )
})

test('it knows every limit with its default, and how scopes may be called', () => {
  const { properties } = settingsJsonSchema() as {
    properties: Record<string, Record<string, Record<string, { description: string }>>>
  }
  const limits = properties.limits?.properties ?? {}
  expect(Object.keys(limits)).toEqual(Object.keys(DEFAULT_LIMITS))
  for (const [name, value] of Object.entries(DEFAULT_LIMITS))
    expect(limits[name]?.description).toContain(`Default ${value}`)
  expect(properties.scopes?.propertyNames).toMatchObject({ pattern: '^[A-Za-z0-9_.-]{1,64}$' })
})
