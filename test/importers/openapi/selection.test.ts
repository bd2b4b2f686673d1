import { normalize } from '@scalar/openapi-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReadOpenApiOptions } from '../../../src/importers/openapi.ts'
import { compileGlob } from '../../../src/importers/openapi/glob.ts'
import { openapi30, read } from './fixtures.ts'

const names = async (options: Partial<ReadOpenApiOptions>) => {
  const { tools, problems } = await read(BOOKS, options)
  return [tools.map(({ name }) => name.slice(4)), problems.length] as const
}
// Once, as reading YAML starts a worker.
const BOOKS: unknown = normalize(openapi30)
const SEARCH = 'books/search'
const PUT = 'put_books_by_isbn'
const REMOVE = 'books.remove'

test.each<[Partial<ReadOpenApiOptions>, string[], number]>([
  [{}, [SEARCH, PUT, REMOVE], 0],
  [{ include: ['books/search'] }, [SEARCH], 0],
  [{ include: ['books*'] }, [SEARCH, REMOVE], 0],
  [{ include: ['tag:writing'] }, [PUT], 0],
  [{ include: ['/books'] }, [SEARCH], 0],
  [{ include: ['/books/*'] }, [PUT, REMOVE], 0],
  [{ include: ['/*'] }, [SEARCH], 0],
  [{ include: ['/**'] }, [SEARCH, PUT, REMOVE], 0],
  [{ include: ['DELETE /**', 'get /books'] }, [SEARCH, REMOVE], 0],
  [{ exclude: ['DELETE /**'] }, [SEARCH, PUT], 0],
  [{ include: ['/**'], exclude: ['tag:reading', 'nobody'] }, [PUT, REMOVE], 1],
  [{ include: [] }, [], 0],
])('%j', async (options, expected, problems) => {
  expect(await names(options)).toEqual([expected, problems])
})

test('many stars against a long name take no time worth speaking of', async () => {
  const operationId = 'a'.repeat(3_000)
  const document = { openapi: '3.1.0', paths: { '/x': { get: { operationId } } } }
  const { tools } = await read(document, { include: [`${'*a'.repeat(200)}b`] })
  expect(tools).toEqual([])
})

test('globs match what the same regular expression matches', () => {
  const part = fc.constantFrom('a', 'b', '/', '*', '**', 'é')
  const expression = (pattern: string, star: string) =>
    new RegExp(`^${pattern.replaceAll(/\*\*|\*/g, (stars) => (stars === '**' ? '[^]*' : star))}$`)
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), fc.array(part, { maxLength: 9 }), fc.nat(70), (some, other, n) => {
      const [pattern, text] = [`${'b'.repeat(n)}${some.join('')}`, `${'b'.repeat(n)}${other.join('')}`]
      expect(compileGlob(pattern, '/')(text)).toBe(expression(pattern, '[^/]*').test(text))
      expect(compileGlob(pattern)(text)).toBe(expression(pattern, '[^]*').test(text))
    }),
    { numRuns: 1_000 },
  )
})

test('as many stars as a pattern can have, against names as long as a document can have', () => {
  const text = 'a'.repeat(300_000)
  expect(compileGlob('*a'.repeat(250))(text)).toBe(true)
  expect(compileGlob(`${'**a*'.repeat(120)}b`, '/')(text)).toBe(false)
})

test('of a very large description some operations can be chosen, and no more than may become tools', async () => {
  const paths = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`/p${i}`, { get: {} }]))
  const { tools } = await read({ openapi: '3.1.0', paths }, { include: ['/p59*'] })
  expect(tools).toHaveLength(111)
  await expect(read({ openapi: '3.1.0', paths })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('"include"') as string,
  })
})

describe('names', () => {
  const of = async (operations: Record<string, string | undefined>) => {
    const paths = Object.fromEntries(
      Object.entries(operations).map(([path, operationId]) => [path, { get: { operationId } }]),
    )
    return (await read({ openapi: '3.1.0', paths })).tools.map(({ name }) => name.slice(4))
  }

  test('are the operationId, with what a name cannot have replaced, else method and path', async () => {
    expect(await of({ '/a': 'list pets!', '/b': '…', '/c/{id}/d': undefined, '/': undefined })).toEqual([
      'list_pets_',
      'get_b',
      'get_c_by_id_d',
      'get_root',
    ])
  })

  test('that meet get a suffix of their own, whatever else is there', async () => {
    const [first, second, third] = await of({ '/a': 'same', '/b': 'same', '/c': 'same' })
    const [, without] = await of({ '/a': 'same', '/c': 'same' })
    expect([first, new Set([first, second, third]).size, without]).toEqual(['same', 3, third])
  })

  test('that are too long are cut and stay apart', async () => {
    const long = 'x'.repeat(300)
    const [first = '', second = ''] = await of({ '/a': `${long}1`, '/b': `${long}2` })
    expect([first.length, second.length, first === second]).toEqual([124, 124, false])
  })
})
