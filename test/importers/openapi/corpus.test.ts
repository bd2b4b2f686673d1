import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { deriveNames } from '../../../src/registry/native-names.ts'
import { renderSdk } from '../../../src/sdk/render.ts'
import type { SdkTool } from '../../../src/sdk/sdk-view.ts'
import { compileTexts } from '../../sdk/compile-texts.ts'
import { describeWithCorpus } from '../../support/shared-corpus.ts'
import { openapi30, read, swagger2 } from './fixtures.ts'

interface Description {
  readonly paths: Readonly<Record<string, object>>
}

async function check(text: string, operations: number) {
  const { tools, problems } = await read(text)
  expect(problems).toEqual([])
  expect(tools).toHaveLength(operations)
  const view = { toolsByName: new Map<string, SdkTool>(tools.map((tool) => [tool.name, tool])) }
  const { text: sdk, nameMap } = renderSdk(view, deriveNames(view), { level: 'L4' })
  expect(nameMap.size).toBe(operations)
  expect(new Set(nameMap.values())).toEqual(new Set(tools.map(({ name }) => name)))
  expect(compileTexts({ 'sdk.ts': sdk })).toEqual([])
}

describeWithCorpus('published descriptions', 'openapi', (directory) => {
  test.each(['petstore', 'discord'])(
    'every operation of %s is a tool, and the text of the SDK compiles',
    async (name) => {
      const text = readFileSync(path.join(directory, `${name}.json`), 'utf8')
      const { paths } = JSON.parse(text) as Description
      const methods = Object.values(paths)
        .flatMap((item) => Object.keys(item))
        .filter((key) => /^(get|put|post|delete|patch|head|options)$/.test(key))
      await check(text, methods.length)
    },
  )
})

test.each([
  ['Swagger 2', JSON.stringify(swagger2)],
  ['OpenAPI 3.0', openapi30],
])('the text of the SDK compiles: %s', async (_dialect, text) => {
  await check(text, 3)
})
