import { describe, expect, test } from 'vitest'
import { startBody, startHost, tool } from '../support/scripted-host.ts'
import { FRAME_HEADER_BYTES, HOST_FRAME, WIRE_VERSION } from '../../sandbox/wire.ts'

function header(length: number, type: number, run: number): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES)
  bytes.writeUInt32LE(length, 0)
  bytes.writeUInt8(type, 4)
  bytes.writeUInt32LE(run, 5)
  return bytes
}

describe('the child', () => {
  test('says ready once, with its versions, and is silent until asked', async () => {
    await using host = await startHost()
    expect(host.ready.version).toBe(WIRE_VERSION)
    expect(host.ready.node).toMatch(/^26\./)
    expect((await host.run('return 1')).value).toBe(1)
  })

  test('ends when the host closes its pipe, with runs still open', async () => {
    await using host = await startHost()
    await host.start(1, startBody('await new Promise(() => {})'))
    ;(host.child.stdio[3] as { end(): void } | null)?.end()
    expect(await host.exited).toEqual({ code: 0, signal: null })
  })

  test('dies of SIGTERM: it installs no handler', async () => {
    await using host = await startHost()
    host.child.kill('SIGTERM')
    expect(await host.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  test('reads frames that come in pieces, and frames larger than its buffer', async () => {
    await using host = await startHost()
    const text = 'é'.repeat(200_000)
    const body = Buffer.from(
      JSON.stringify(
        startBody(`return (await tools.t({})).length + ${JSON.stringify(text)}.length`, { bindings: [tool('t')] }),
      ),
    )
    const frame = Buffer.concat([header(body.length, HOST_FRAME.start, 5), body])
    for (let at = 0; at < frame.length; at += 60_001) host.sendRaw(frame.subarray(at, at + 60_001))
    const waiting = host.deliver(5, Date.UTC(2026, 1, 1), [{ t: 'ok', n: 1, json: JSON.stringify(text) }])
    expect((await waiting).state).toEqual({ s: 'waiting' })
  })

  test('keeps runs apart and answers in the order of the frames', async () => {
    await using host = await startHost()
    const source = 'globalThis.mine = (globalThis.mine ?? 0) + 1; const got = await tools.t({}); return [mine, got]'
    const first = await host.start(1, startBody(source, { bindings: [tool('t')] }))
    const second = await host.start(2, startBody(source, { bindings: [tool('t')] }))
    expect([first.state, second.state]).toEqual([{ s: 'waiting' }, { s: 'waiting' }])
    expect((await host.deliver(2, 0, [{ t: 'ok', n: 1, json: '"b"' }])).state).toEqual({
      s: 'returned',
      json: '[1,"b"]',
    })
    expect((await host.deliver(1, 0, [{ t: 'ok', n: 1, json: '"a"' }])).state).toEqual({
      s: 'returned',
      json: '[1,"a"]',
    })
  })

  test('repeats the answer of a run it has stopped', async () => {
    await using host = await startHost()
    const stopped = await host.start(1, { ...startBody('for (;;) {}'), sliceMs: 50 })
    expect(stopped.state).toMatchObject({ s: 'stopped', why: 'slice-timeout' })
    expect((await host.deliver(1, 0, [])).state).toEqual(stopped.state)
  })

  test('holds spares ready that are as fresh as any', async () => {
    await using host = await startHost()
    host.prepare(3)
    for (let index = 0; index < 5; index++) {
      expect((await host.run('globalThis.n = (globalThis.n ?? 0) + 1; return n')).value).toBe(1)
    }
    host.prepare(0)
    expect((await host.run('return 2', { limits: { memoryMb: 32 } })).value).toBe(2)
  })

  test('meters the CPU of a run, not its waiting', async () => {
    await using host = await startHost()
    const done = await host.run('let x = 0; for (let i = 0; i < 3e7; i++) x += i % 7; return x')
    expect(done.cpuMs).toBeGreaterThan(1)
    expect(done.cpuMs).toBeLessThan(5000)
  })

  test.each([
    ['a frame over the limit', (limit: number) => header(limit + 1, HOST_FRAME.start, 1), 'over the limit'],
    ['a frame of an unknown type', () => header(0, 99, 1), 'unknown'],
    [
      'a delivery for a run that is not here',
      () => Buffer.concat([header(2, HOST_FRAME.deliver, 9), Buffer.from('{}')]),
      'not here',
    ],
  ])('tells %s as fatal and ends', async (_name, make, words) => {
    await using host = await startHost({ args: ['--max-frame-bytes', '1000000'] })
    const lost = host.start(1, startBody('await new Promise(() => {})')).then(() => {
      host.sendRaw(make(1_000_000))
      return host.deliver(1, 0, [])
    })
    await expect(lost).rejects.toThrow('fatal')
    expect(host.fatal()).toMatchObject({ why: 'internal', message: expect.stringContaining(words) })
    expect(await host.exited).toMatchObject({ code: 70 })
  })

  test('an isolate that cannot be saved ends the process at once', async () => {
    await using host = await startHost()
    const lost = host.run('const a = []; a.length = 2 ** 32 - 1; new Array(2e8).fill(0).map(() => [])', {
      limits: { memoryMb: 16 },
      sliceMs: 30_000,
    })
    const outcome = await lost.then(
      (done) => done.state.s,
      () => 'gone',
    )
    if (outcome === 'gone') expect((await host.exited).signal).toBe('SIGABRT')
    else expect(outcome).toBe('stopped')
  }, 60_000)
})
