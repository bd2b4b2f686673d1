import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = globSync('src/adapters/**/*.ts', { cwd: root })

test('no adapter loads the package that it is for: what is imported by name is types', () => {
  const imports = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)[^'"]*?from '([^'.][^']*)'/gm)].map(
      ([statement = '', name]) => ({ file, name, isType: /^(import|export) type /.test(statement) }),
    ),
  )
  expect(imports.map(({ name }) => name)).toContain('ai')
  expect(imports.filter(({ isType }) => !isType)).toEqual([])
})
