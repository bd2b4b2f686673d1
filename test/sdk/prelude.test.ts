import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FAILURE_CODES } from '../../src/data/failure-codes.ts'
import { RESERVED_TYPE_NAMES } from '../../src/sdk/reserved-type-names.ts'
import { compileTexts } from './compile-texts.ts'
import { TEMPLATES } from './template-fixtures.ts'

test('the prelude names the codes that a call can fail with, and no others', () => {
  const union = /type ToolErrorCode =([^\n]*(?:\n\s+\|[^\n]*)*)/.exec(TEMPLATES.prelude)?.[1] ?? ''
  const named = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
  const expected = Object.entries(FAILURE_CODES)
    .filter(([code, { kind }]) => kind === 'call' || code === 'CALL_LIMIT')
    .map(([code]) => code)
  expect(new Set(named)).toEqual(new Set(expected))
})

test('names that are taken are known: those of the library and of the prelude', () => {
  const folder = libraryFolder()
  const library = globSync(['lib.es*.d.ts', 'lib.decorators*.d.ts'], { cwd: folder }).map((file) =>
    readFileSync(path.join(folder, file), 'utf8'),
  )
  const declared = new Set([...library, TEMPLATES.prelude].flatMap(topLevelNames))
  expect(declared.size).toBeGreaterThan(150)
  expect([...declared].filter((name) => !RESERVED_TYPE_NAMES.has(name))).toEqual([])
})

test('a program finds what it is promised, and neither Node nor a browser', () => {
  const uses = `
    export async function program() {
      try {
        setTimeout((a: number) => console.log(a), 10, 1)
        const url = new URL('https://x.example/?a=1')
        url.searchParams.append('b', String(new TextEncoder().encode('x').length))
        console.table([{ a: 1 }], ['a'])
        progress('half', 0.5); progress(0.5); progress({ fraction: 1 })
        show({ type: 'image', data: btoa('x'), mimeType: 'image/png' }); show('text')
        const hits = await sdk.search('words', { limit: 3 })
        console.log(await sdk.describe(hits.map((hit) => hit.name)), await artifacts.read('id', { offset: 0 }))
        const copy = structuredClone({ a: [1] })
        const signal = AbortSignal.any([new AbortController().signal])
        signal.addEventListener('abort', () => {})
        return [copy.a, crypto.randomUUID(), performance.now(), new Intl.NumberFormat().format(1), signal.aborted]
      } catch (error) {
        if (error instanceof ToolError && error.code === 'POLICY_DENIED' && !error.bodyStarted) return error.tool
        throw error
      }
    }
  `
  const absent = ['process', 'fetch', 'require', 'Buffer', 'document', 'window'].map(
    (name) => `export const x_${name} = ${name}`,
  )
  const diagnostics = compileTexts({ 'uses.ts': uses, 'absent.ts': absent.join('\n') })
  expect(diagnostics.filter(({ file }) => file === 'uses.ts')).toEqual([])
  expect(new Set(diagnostics.map(({ line }) => line)).size).toBe(absent.length)
})

function topLevelNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const line of text.replace(/\/\*[^]*?\*\//g, '').split('\n')) {
    const name = /^\s*(?:declare )?(?:interface|type|class|var|const|namespace) +([A-Z]\w*)/.exec(line)?.[1]
    if (depth === 0 && name !== undefined) names.push(name)
    const code = line.replace(/\/\/.*|"[^"]*"|'[^']*'/g, '')
    depth += code.split('{').length - code.split('}').length
  }
  return names
}

/** The compiler is a binary with its library beside it, in the package for this platform. */
function libraryFolder(): string {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const [folder] = globSync('../@typescript/typescript-*/lib', { cwd: path.dirname(compiler) })
  if (folder === undefined) throw new Error('the library of the TypeScript compiler was not found')
  return path.resolve(path.dirname(compiler), folder)
}
