/** Threat-model rows D04, D05, D06, D10, D15, D16, D19: floods of calls, output, nesting and source; waits without end. */
import { describe, expect, test } from 'vitest'
import { useBench } from '../support/hostile-bench.ts'

const bench = useBench({ limits: { cpuMs: 2_000, wallMs: 8_000 } })

describe('D04 floods of calls', () => {
  test('calls made one after the other stop at maxCalls, and exactly so many bodies ran', async () => {
    const { code, calls, progress } = await bench.attack(`for (let n = 0; ; n++) await tools.echo({ n })`)
    expect([code, calls.length]).toEqual(['CALL_LIMIT', 500])
    expect(progress).toBeGreaterThan(0)
  })

  test('calls made at once stop at maxCalls', async () => {
    const { code, calls } = await bench.attack(
      `await Promise.all(Array.from({ length: 5000 }, (_, n) => tools.echo({ n })))`,
    )
    expect([code, calls.length]).toEqual(['CALL_LIMIT', 500])
  })

  test('a loop that catches every refusal is stopped by its time, and no more bodies run', async () => {
    const { code, calls } = await bench.attack(`for (;;) try { await tools.echo({}) } catch {}`, {
      limits: { cpuMs: 400, wallMs: 2_000 },
    })
    expect([code, calls.length]).toEqual(['TIMEOUT', 500])
  })

  test('a loop that calls and never waits ends without having reached more bodies than may be pending', async () => {
    const { code, calls, progress } = await bench.attack(`for (;;) tools.echo({ a: 'x'.repeat(100) })`)
    expect(['TIMEOUT', 'MEMORY_LIMIT', 'CALL_LIMIT']).toContain(code)
    expect(calls.length).toBeLessThanOrEqual(500)
    expect(progress).toBeGreaterThan(0)
  })
})

describe('D05 floods of the console', () => {
  test.each([
    ['many lines', `for (let n = 0; n < 1e5; n++) console.log('line', n); return 1`],
    ['one line of 16 MB', `console.log('x'.repeat(2 ** 24)); return 1`],
    ['empty lines', `for (let n = 0; n < 2e5; n++) console.log(''); return 1`],
    [
      'large objects',
      `const o = Array.from({ length: 1e5 }, (_, n) => ({ n })); console.log(o); console.log(o); return 1`,
    ],
    ['lines of wide characters', `for (let n = 0; n < 1e4; n++) console.error('\\u{1F600}'.repeat(50)); return 1`],
  ])('%s: cut and said, and the run goes on', async (_name, program) => {
    const { code, value, texts, notices } = await bench.attack(program)
    expect([code, value]).toEqual(['OK', 1])
    const bytes = texts.reduce((total, text) => total + Buffer.byteLength(text), 0)
    expect(bytes).toBeLessThanOrEqual(256 * 1024 + 64 * 1024)
    expect([...texts.slice(-1), ...notices].join('\n')).toMatch(/cut|dropped|more|left out|truncated/i)
  })

  test('one line of 256 MB: cut, or more than the memory of the run', async () => {
    const { code, texts } = await bench.attack(`console.log('x'.repeat(2 ** 28)); return 1`)
    expect(['OK', 'MEMORY_LIMIT']).toContain(code)
    expect(texts.join('').length).toBeLessThanOrEqual(256 * 1024 + 64 * 1024)
  })

  test('progress and shown blocks are bounded too', async () => {
    const { code, result } = await bench.attack(
      `for (let n = 0; n < 2e4; n++) { progress('p' + n, n); show('x'.repeat(1000)) } return 1`,
    )
    expect(code).toBe('OK')
    expect(JSON.stringify(result.outcome.content).length).toBeLessThan(2 * 1024 * 1024)
  })
})

describe('D06 large values on the way out', () => {
  test.each([
    ['a returned text of the longest length', `return 'x'.repeat(2 ** 29 - 25)`, ['OUTPUT_LIMIT', 'MEMORY_LIMIT']],
    ['a returned text of 2 MB', `return 'x'.repeat(2 << 20)`, ['OUTPUT_LIMIT']],
    ['a returned array', `return Array.from({ length: 1e6 }, (_, n) => n)`, ['OUTPUT_LIMIT', 'MEMORY_LIMIT']],
    ['one text many times', `const s = 'x'.repeat(1e6); return Array(1e5).fill(s)`, ['OUTPUT_LIMIT', 'MEMORY_LIMIT']],
    [
      'an object that contains itself a billion times',
      `let o = 'x'; for (let n = 0; n < 40; n++) o = [o, o]; return o`,
      ['OUTPUT_LIMIT', 'MEMORY_LIMIT', 'TIMEOUT'],
    ],
    ['a thrown text', `throw 'x'.repeat(2 ** 28)`, ['PROGRAM_ERROR', 'MEMORY_LIMIT']],
    ['a thrown error', `throw new Error('x'.repeat(2 ** 28))`, ['PROGRAM_ERROR', 'MEMORY_LIMIT']],
    ['an argument', `await tools.echo({ a: 'x'.repeat(2 ** 28) })`, ['PROGRAM_ERROR', 'MEMORY_LIMIT']],
    ['a tool name', `await tools['x'.repeat(2 ** 27)]({})`, ['PROGRAM_ERROR', 'MEMORY_LIMIT']],
    ['a tool name by full()', `await tools.full('x'.repeat(2 ** 27), {})`, ['PROGRAM_ERROR', 'MEMORY_LIMIT']],
    [
      'a rejection nobody handles',
      `Promise.reject(new Error('x'.repeat(2 ** 28))); await tools.slow({ ms: 20 }); return 1`,
      ['OK', 'MEMORY_LIMIT', 'PROGRAM_ERROR', 'TIMEOUT'],
    ],
  ])('%s', async (_name, program, codes) => {
    const { code, message, calls } = await bench.attack(program)
    expect(codes).toContain(code)
    expect(calls.filter(({ name }) => name === 'echo')).toEqual([])
    expect(message.length).toBeLessThan(100_000)
  })

  test('an argument over maxValueBytes is refused before it is sent, and the program can go on', async () => {
    const { value, calls } = await bench.attack(
      `return await tools.echo({ a: 'x'.repeat(3 << 20) }).catch((e) => [e.code, e.bodyStarted])`,
    )
    expect([value, calls]).toEqual([['INVALID_ARGS', false], []])
  })
})

describe('D10 nesting', () => {
  test.each([
    ['recursion', `const f = () => f(); try { f() } catch (e) { return e.name }`, 'RangeError'],
    [
      'recursion in finally',
      `const f = () => { try { f() } finally { try { f() } catch {} } }; try { f() } catch (e) { return e.name }`,
      'TIMEOUT',
    ],
    [
      'toString that calls itself',
      `const o = { toString: () => String(o) }; try { String(o) } catch (e) { return e.name }`,
      'RangeError',
    ],
    [
      'JSON text',
      `try { JSON.parse('['.repeat(2e5) + ']'.repeat(2e5)); return 'RangeError' } catch (e) { return e.name }`,
      'RangeError',
    ],
    [
      'JSON values',
      `let o = {}; for (let n = 0; n < 1e5; n++) o = { o }; try { return JSON.stringify(o).length > 1e5 ? 'RangeError' : '' } catch (e) { return e.name }`,
      'RangeError',
    ],
    [
      'a regular expression',
      `try { new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('') } catch (e) { return e.name }`,
      'SyntaxError',
    ],
    [
      'code from a string',
      `try { eval('('.repeat(1e5) + '1' + ')'.repeat(1e5)) } catch (e) { return e.name }`,
      'RangeError',
    ],
    [
      'a proxy chain',
      `let p = {}; for (let n = 0; n < 1e5; n++) p = new Proxy(p, {}); try { p.x } catch (e) { return e.name }`,
      'RangeError',
    ],
    [
      'bound functions',
      `let f = () => 1; for (let n = 0; n < 1e5; n++) f = f.bind(null); try { f(); return 'RangeError' } catch (e) { return e.name }`,
      'RangeError',
    ],
    [
      'a cause chain',
      `let e = new Error('0'); for (let n = 0; n < 1e5; n++) e = new Error('x', { cause: e }); throw e`,
      'PROGRAM_ERROR',
    ],
    [
      'a printed chain',
      `let o = {}; for (let n = 0; n < 1e5; n++) o = { o }; console.log(o); return 'RangeError'`,
      'RangeError',
    ],
    ['a returned chain', `let o = {}; for (let n = 0; n < 1e5; n++) o = { o }; return o`, 'OK'],
    [
      'a clone of a chain',
      `let o = {}; for (let n = 0; n < 1e5; n++) o = { o }; try { structuredClone(o); return 'RangeError' } catch (e) { return e.name }`,
      'RangeError',
    ],
  ])('%s', async (_name, program, expected) => {
    const { code, value } = await bench.attack(program)
    expect([code, value]).toContain(expected)
  })
})

describe('D15 bombs of source', () => {
  test('ten megabytes of source are refused before they are parsed', async () => {
    const { code, message } = await bench.attack(`/*${'x'.repeat(10 << 20)}*/ return 1`)
    expect([code, message]).toEqual(['COMPILE_ERROR', expect.stringContaining('262144')])
  })
  test.each([
    ['parentheses', '('.repeat(1e5) + '1' + ')'.repeat(1e5)],
    ['brackets', 'return ' + '['.repeat(1.2e5)],
    ['blocks', '{'.repeat(1.2e5) + '}'.repeat(1.2e5)],
    ['unary operators', 'return ' + '!'.repeat(2e5) + '1'],
    ['additions', 'return ' + '1+'.repeat(1.2e5) + '1'],
    ['functions in functions', '(()=>'.repeat(4e4) + '1' + ')'.repeat(4e4)],
    ['templates', '`${'.repeat(6e4) + '1' + '}`'.repeat(6e4)],
    ['type arguments', 'let x: ' + 'A<'.repeat(6e4) + 'B' + '>'.repeat(6e4)],
    ['calls', 'return ' + 'f('.repeat(8e4) + ')'.repeat(8e4)],
    ['member chains', 'return a' + '.b'.repeat(1.2e5)],
    ['ifs', 'if(1)'.repeat(5e4) + ';'],
    ['elses', 'if(0);else '.repeat(2e4) + ';'],
    ['a comma list', 'return [' + '1,'.repeat(1.2e5) + ']'],
  ])('%s within the size are a compile error or an ordinary failure', async (_name, program) => {
    const { code, message } = await bench.attack(program)
    expect(['COMPILE_ERROR', 'PROGRAM_ERROR', 'OK']).toContain(code)
    expect(message.length).toBeLessThan(2_000)
  })
})

describe('D16 waiting for ever', () => {
  test('a promise that nothing can settle is a deadlock, at once', async () => {
    const { code } = await bench.attack(`await tools.echo({}); await new Promise(() => {})`)
    expect(code).toBe('DEADLOCK')
  })
  test('a tool that never settles ends the run at its wall time and is named', async () => {
    const { code, message, calls } = await bench.attack(`await tools.never({})`, { limits: { wallMs: 600 } })
    expect([code, message]).toEqual(['TIMEOUT', expect.stringContaining('never')])
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true])
  })
  test('a tool that ignores its abort is left behind and said to be', async () => {
    const { code, result } = await bench.attack(`await tools.stubborn({})`, { limits: { wallMs: 600 } })
    expect(code).toBe('TIMEOUT')
    expect(result.partial?.calls).toMatchObject([{ name: 'stubborn', state: 'abandoned', code: 'ABANDONED' }])
  })
})

describe('D19 large values on the way in', () => {
  test('a value over maxValueBytes does not enter the child: the program gets the id of an artifact', async () => {
    const { code, value } = await bench.attack(
      `return await tools.large({ bytes: 3 << 20 }).catch((e) => [e.code, typeof e.details.artifactId])`,
    )
    expect([code, value]).toEqual(['OK', ['VALUE_TOO_LARGE', 'string']])
  })
  test('a value of half a gigabyte is refused where it arrives in the host', async () => {
    const { code, value } = await bench.attack(
      `return await tools.large({ bytes: 500 << 20 }).catch((e) => [e.code, e.bodyStarted])`,
    )
    expect([code, value]).toEqual(['OK', [expect.stringMatching(/INVALID_TOOL_OUTPUT|VALUE_TOO_LARGE/), true]])
  })
  test('values of the allowed size in a flood are not kept in the host', async () => {
    const { code } = await bench.attack(
      `for (let n = 0; n < 40; n++) (await tools.large({ bytes: 1 << 20 })).length; return 1`,
    )
    expect(code).toBe('OK')
  })
})
