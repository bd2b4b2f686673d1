import { readdirSync, readFileSync } from 'node:fs'
import { parse } from '@babel/parser'
import { transformSync, type TransformOptions } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyseProgram } from '../../src/codemode/compile/analyse.ts'

/** What two texts have in common when they are the same code: their tokens, as esbuild prints them. */
const OPTIONS: TransformOptions = {
  minifyWhitespace: true,
  target: 'esnext',
  legalComments: 'none',
  logLevel: 'silent',
  tsconfigRaw: { compilerOptions: { alwaysStrict: true, target: 'ESNext', useDefineForClassFields: true } },
}

/** Undefined when the types were not blanked: then esbuild takes the program as it is. */
function bothWays(text: string): { readonly blanked: string; readonly lowered: string } | undefined {
  const analysis = analyseProgram(text)
  if (!analysis.ok || analysis.plain === undefined) return undefined
  return { blanked: printed(analysis.plain, 'js'), lowered: printed(analysis.edited.text, 'ts') }
}

/** The syntax tree of what esbuild makes of it, without places and empty statements: one stands where a type stood. */
function printed(text: string, loader: 'js' | 'ts'): string {
  const { program } = parse(transformSync(text, { ...OPTIONS, loader }).code, {
    sourceType: 'module',
    allowReturnOutsideFunction: true,
  })
  return JSON.stringify(program, (key, value: unknown) => {
    if (['start', 'end', 'loc', 'extra'].includes(key)) return undefined
    if (typeof value === 'bigint') return String(value)
    return Array.isArray(value)
      ? value.filter((one: { type?: string } | null) => one?.type !== 'EmptyStatement')
      : value
  })
}

function programsOf(folder: string): readonly (readonly [name: string, text: string])[] {
  const root = new URL(folder, import.meta.url)
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') || name.endsWith('.js'))
    .map((name) => [name, readFileSync(new URL(name, root), 'utf8')] as const)
}

const PROGRAMS = [...programsOf('../corpus/programs/src/'), ...programsOf('../programs/src/')]

describe('a program with its types blanked is the program that lowering gives', () => {
  test('for every program there is', () => {
    const compared = PROGRAMS.flatMap(([name, text]) => {
      const both = bothWays(text)
      return both === undefined ? [] : [{ name, ...both }]
    })
    expect(compared.map(({ name, blanked }) => [name, blanked])).toEqual(
      compared.map(({ name, lowered }) => [name, lowered]),
    )
    const typed = compared.filter(({ name }) => {
      const text = PROGRAMS.find(([other]) => other === name)?.[1] ?? ''
      const analysis = analyseProgram(text)
      return analysis.ok && analysis.plain !== analysis.edited.text
    })
    console.info(
      `${compared.length} of ${PROGRAMS.length} programs need no lowering, ${typed.length} of them have types`,
    )
    expect(typed.length).toBeGreaterThan(10)
  })

  test('for any statements in any order, with or without semicolons', () => {
    let count = 0
    fc.assert(
      fc.property(fc.array(STATEMENT, { minLength: 1, maxLength: 6 }), (statements) => {
        const text = statements.join('')
        const both = bothWays(text)
        if (both === undefined) return
        count++
        expect(both.blanked, text).toBe(both.lowered)
      }),
      { numRuns: 1_500 },
    )
    console.info(`${count} of 1500 made programs had their types blanked`)
    expect(count).toBeGreaterThan(300)
  })
})

const TYPE = fc.constantFrom(
  'T',
  'string',
  'number[]',
  '{ a: 1 }',
  '{\n a: T\n}',
  'Map<string, T>',
  '(a: T) => T',
  '"x" | 1',
)
const VALUE = fc.constantFrom(
  'a',
  'f(1)',
  'a.b',
  '[1, 2]',
  '{ a: 1 }',
  '(a)',
  'await f()',
  '`x`',
  'a + b',
  '-a',
  'a ?? b',
)
const TYPED_VALUE = fc
  .tuple(VALUE, TYPE, fc.constantFrom('as', 'satisfies', 'both', '!', 'none', '()', 'as const'))
  .map(([value, type, how]) => {
    switch (how) {
      case 'as':
      case 'satisfies':
        return `${value} ${how} ${type}`
      case 'both':
        return `${value} as ${type} as T`
      case '!':
        return `(${value})!`
      case '()':
        return `(${value} as ${type})`
      case 'as const':
        return `${value} as const`
      case 'none':
        return value
    }
  })
const END = fc.constantFrom(';', '\n', ';\n', '\n\n', ' // so\n', ' /* so */\n', '\n// so\n')
const TOKEN = /"[^"]*"|`[^`]*`|\/a\/g|[A-Za-z_$][\w$]*|=>|\?\?|\?\.|\+\+|--|\s+|./g
const TRIVIA = fc.constantFrom(
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u2028',
  '\u00a0',
  '\u3000',
  '\f',
  '\ufeff',
  '/* so */',
  '/*\n*/',
  '// so\n',
)
const STATEMENT = fc
  .tuple(
    fc.oneof(
      fc.tuple(TYPE, TYPED_VALUE).map(([type, value]) => `var x: ${type} = ${value}`),
      TYPED_VALUE.map((value) => `f(${value}, ${value})`),
      TYPED_VALUE.map((value) => `x = ${value}`),
      TYPED_VALUE.map((value) => `[x] = ${value}`),
      TYPED_VALUE.map((value) => `(x = ${value})`),
      TYPED_VALUE.map((value) => `x = ${value} + 1`),
      TYPED_VALUE.map((value) => `x = a ? ${value} : b`),
      TYPED_VALUE.map((value) => `if (${value}) return ${value}`),
      TYPED_VALUE.map((value) => `(async () => ${value})()`),
      fc.tuple(TYPE, TYPED_VALUE).map(([type, value]) => `x = (a: ${type}, b?: T): T => ${value}`),
      fc.tuple(TYPE, TYPED_VALUE).map(([type, value]) => `x = <U>(a: ${type} = ${value}): ${type} => a`),
      fc.tuple(TYPE, TYPED_VALUE).map(([type, value]) => `function g<T>(a?: ${type}): ${type} { return ${value} }`),
      fc
        .tuple(TYPE, TYPED_VALUE)
        .map(([type, value]) => `x = class { y: ${type} = ${value}; z?: T; #m(): ${type} {} }`),
      TYPE.map((type) => `interface I { a: ${type} }`),
      TYPE.map((type) => `type U = ${type}`),
      TYPE.map((type) => `f<${type}>(1)`),
      TYPE.map((type) => `new Map<${type}, T>()`),
      fc.constantFrom(
        '++x',
        '--x',
        '/a/g.test(x)',
        '`t`',
        '(x)',
        '[x]',
        '+x',
        'x!',
        'x!\n.y',
        'let q: T',
        'a?.b!.c',
        'for (const y of x as T[]) f(y)',
      ),
    ),
    END,
  )
  .chain(([statement, end]) => spread(statement).map((text) => text + end))

/** White space, line ends and comments between the tokens of a statement. */
function spread(statement: string): fc.Arbitrary<string> {
  const tokens = statement.match(TOKEN) ?? []
  return fc
    .array(fc.oneof({ weight: 12, arbitrary: fc.constant('') }, TRIVIA), {
      minLength: tokens.length,
      maxLength: tokens.length,
    })
    .map((trivia) => tokens.map((token, index) => token + (trivia[index] ?? '')).join(''))
}
