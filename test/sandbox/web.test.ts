import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as guest from '../../sandbox/guest/web/encoding.ts'
import { structuredClone as guestClone } from '../../sandbox/guest/web/structured-clone.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
// The guest has these as globals; here the module looks for one of them.
const outcome = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (thrown) {
    return (thrown as Error).name
  }
}

describe('encoding agrees with the platform', () => {
  test('UTF-8, both ways, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([...new guest.TextEncoder().encode(text)]).toEqual([...new TextEncoder().encode(text)])
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        expect(new guest.TextDecoder().decode(bytes as Uint8Array<ArrayBuffer>)).toBe(new TextDecoder().decode(bytes))
        expect(
          outcome(() => new guest.TextDecoder('utf-8', { fatal: true }).decode(bytes as Uint8Array<ArrayBuffer>)),
        ).toBe(outcome(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
      }),
    )
  })

  test('in a stream that is cut anywhere', () => {
    const bytes = new TextEncoder().encode('\ufeffaé€😀z')
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new guest.TextDecoder()
      expect(decoder.decode(bytes.slice(0, cut), { stream: true }) + decoder.decode(bytes.slice(cut))).toBe('aé€😀z')
    }
  })

  test('base64, both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = String.fromCharCode(...bytes)
        expect(guest.btoa(text)).toBe(btoa(text))
        expect(guest.atob(btoa(text))).toBe(text)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'Q', '=', '+', '/', ' ', '-') }), (text) => {
        expect(outcome(() => guest.atob(text))).toBe(outcome(() => atob(text)))
      }),
    )
    expect(outcome(() => guest.btoa('€'))).toBe('InvalidCharacterError')
  })
})

describe('structuredClone', () => {
  test('copies what the platform copies', () => {
    const cycle: Record<string, unknown> = {
      a: [1, { b: new Date(5) }],
      m: new Map([[{ k: 1 }, new Set([1n])]]),
      r: /x/gi,
      u: undefined,
      bytes: new Uint16Array([1, 2]),
    }
    cycle['self'] = cycle
    expect(guestClone(cycle)).toEqual(structuredClone(cycle))
    const copy = guestClone(cycle) as typeof cycle
    expect([copy === cycle, copy['self'] === copy, copy['a'] === cycle['a']]).toEqual([false, true, false])
    const error = guestClone(new RangeError('x', { cause: { y: 1 } })) as Error
    expect([error instanceof RangeError, error.message, error.cause]).toEqual([true, 'x', { y: 1 }])
  })

  test('refuses functions, symbols, promises and weak collections', () => {
    for (const bad of [() => {}, Symbol('s'), { f() {} }, [Promise.resolve()], new WeakMap()]) {
      expect(outcome(() => guestClone(bad))).toBe('DataCloneError')
    }
  })

  test('goes as deep as the data', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(Array.isArray(guestClone(deep))).toBe(true)
  })
})

describe('events and cancellation', () => {
  test('AbortController, AbortSignal and EventTarget work as in a browser', async () => {
    const { value } = await sandbox.run(`
      const seen = []
      const controller = new AbortController()
      const { signal } = controller
      signal.addEventListener('abort', (e) => seen.push(['listener', e.type, e.target === signal]))
      signal.addEventListener('abort', () => seen.push('once'), { once: true })
      signal.onabort = () => seen.push('onabort')
      const any = AbortSignal.any([signal, AbortSignal.timeout(1000)])
      controller.abort(); controller.abort('again')
      seen.push([signal.aborted, signal.reason.name, signal.reason.code, any.aborted, any.reason === signal.reason])
      try { signal.throwIfAborted() } catch (e) { seen.push([e instanceof DOMException, e instanceof Error, String(e)]) }
      const late = AbortSignal.timeout(50)
      await new Promise((r) => setTimeout(r, 60))
      seen.push([late.aborted, late.reason.name, AbortSignal.abort('why').reason])
      const target = new EventTarget()
      const gone = () => seen.push('gone')
      target.addEventListener('x', gone); target.removeEventListener('x', gone)
      target.addEventListener('x', { handleEvent: (e) => { e.preventDefault(); e.stopImmediatePropagation() } })
      target.addEventListener('x', gone)
      seen.push(target.dispatchEvent(new Event('x', { cancelable: true })))
      try { new AbortSignal() } catch (e) { seen.push(e.message) }
      return seen`)
    expect(value).toEqual([
      'onabort',
      ['listener', 'abort', true],
      'once',
      [true, 'AbortError', 20, true, true],
      [true, true, 'AbortError: This operation was aborted'],
      [true, 'TimeoutError', 'why'],
      false,
      'Illegal constructor',
    ])
  })

  test('what a listener throws is the program’s uncaught error, after the others have run', async () => {
    const done = await sandbox.run(`
      const target = new EventTarget()
      target.addEventListener('x', () => { throw new Error('in listener') })
      target.addEventListener('x', () => console.log('second'))
      target.dispatchEvent(new Event('x'))
      await new Promise(() => {})`)
    expect(done.logs).toEqual(['second'])
    expect(done.state).toMatchObject({ s: 'threw', message: 'in listener' })
  })
})

test('classes have their names, URLs are values of their own', async () => {
  const { value, logs } = await sandbox.run(`
    console.log(new URL('https://a/b'))
    return [[URL, URLSearchParams, AbortSignal, AbortController, Event, EventTarget, TextEncoder, TextDecoder, DOMException, structuredClone, atob].map((f) => f.name), new URL('https://a/b'), new URLSearchParams({ a: 1 })]`)
  expect(value).toEqual([
    [
      'URL',
      'URLSearchParams',
      'AbortSignal',
      'AbortController',
      'Event',
      'EventTarget',
      'TextEncoder',
      'TextDecoder',
      'DOMException',
      'structuredClone',
      'atob',
    ],
    'https://a/b',
    'a=1',
  ])
  expect(logs).toHaveLength(1)
})
