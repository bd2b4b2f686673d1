import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/data/outcome.ts'
import type { Next } from '../../src/pipeline/call.ts'
import { createRig, tool } from './rig.ts'

/** What an author keeps, or gives too late, must not reach a call that is over. */
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('nothing begins once a call has settled', () => {
  test('when a wrapper goes on without the wrappers inside it, these start no body any more, and hear of the end', async () => {
    const rig = createRig()
    let bodies = 0
    let heard = false
    rig.registry.register(tool({ name: 'pay', execute: () => ++bodies }))
    rig.runtime.use({
      name: 'impatient',
      around: (_call, next) => Promise.race([next(), later(5).then(() => next.succeed(0))]),
    })
    let inner: Promise<unknown> | undefined
    rig.runtime.use({
      name: 'slow',
      around(call, next) {
        call.signal.addEventListener('abort', () => (heard = true))
        const begin = async () => (await later(30), next())
        const work = begin()
        inner = work
        return work
      },
    })
    expect(await rig.call('pay')).toMatchObject({ isError: false, value: 0 })
    expect(heard).toBe(true)
    expect(await inner).toMatchObject({ outcome: { isError: true, error: { code: 'ABORTED_BEFORE_DISPATCH' } } })
    expect(bodies).toBe(0)
  })

  test.each([
    ['after the call', undefined],
    ['after its wrapper has ended, while one around it is at work', 10],
  ])('a next() that was kept and is called %s runs nothing', async (_when, outerMs) => {
    const rig = createRig()
    let bodies = 0
    rig.registry.register(tool({ name: 'pay', execute: () => ++bodies }))
    let kept: Next | undefined
    let second: Promise<unknown> | undefined
    if (outerMs !== undefined) {
      rig.runtime.use({
        name: 'outer',
        async around(_call, next) {
          const passed = await next()
          second = kept?.()
          await later(outerMs)
          return passed
        },
      })
    }
    rig.runtime.use({ name: 'keeps', around: (_call, next) => ((kept = next), next()) })
    expect(await rig.call('pay')).toMatchObject({ isError: false, value: 1 })
    second ??= kept?.()
    expect(await second).toMatchObject({ outcome: { isError: true } })
    expect(bodies).toBe(1)
  })
})

describe('a hook that was written async where nothing is waited for rejects unheard', () => {
  const rejecting = () => Promise.reject(new Error('later')) as never
  const cases: Readonly<Record<string, (rig: ReturnType<typeof createRig>) => void>> = {
    started: (rig) => void rig.runtime.observe({ started: rejecting }),
    settled: (rig) => void rig.runtime.observe({ settled: rejecting }),
    isConcurrencySafe: (rig) =>
      rig.runtime.isConcurrencySafe({
        name: 't',
        arguments: { raw: '{}' },
        scope: 'global',
        entry: 'host',
      }),
  }

  test.each(Object.keys(cases))('%s', async (name) => {
    const unheard: unknown[] = []
    const listener = (reason: unknown) => void unheard.push(reason)
    process.on('unhandledRejection', listener)
    try {
      const rig = createRig()
      rig.registry.register({ ...tool({ name: 't', execute: () => 1 }), isConcurrencySafe: rejecting })
      cases[name]?.(rig)
      expect(await rig.call('t')).toMatchObject({ isError: false, value: 1 })
      await later(5)
      expect(unheard).toEqual([])
    } finally {
      process.off('unhandledRejection', listener)
    }
  })

  test('onSuccess, onDiagnostic and onProgress', async () => {
    const unheard: unknown[] = []
    const listener = (reason: unknown) => void unheard.push(reason)
    process.on('unhandledRejection', listener)
    try {
      const rig = createRig({ onSuccess: rejecting, onDiagnostic: rejecting })
      rig.registry.register(
        tool({
          name: 't',
          execute(_args, exec) {
            exec.reportProgress({ message: 'half' })
            return 1
          },
        }),
      )
      expect(await rig.call('t', {}, { onProgress: rejecting })).toMatchObject({ isError: false })
      await later(5)
      expect(unheard).toEqual([])
    } finally {
      process.off('unhandledRejection', listener)
    }
  })
})

test('calls that nest without ever waiting end as failures long before there is no stack left, and none rejects', async () => {
  const rig = createRig()
  const results: Promise<Outcome>[] = []
  rig.registry.register(
    tool({
      name: 'deep',
      execute() {
        if (results.length < 20_000)
          results.push(rig.runtime.execute({ name: 'deep', arguments: { value: {} }, scope: 'global', entry: 'host' }))
        return 1
      },
    }),
  )
  await rig.call('deep')
  const settled = await Promise.allSettled(results)
  expect(settled.filter(({ status }) => status === 'rejected')).toEqual([])
  const failed = settled.flatMap((one) => (one.status === 'fulfilled' && one.value.isError ? [one.value.error] : []))
  expect(settled.length).toBeGreaterThan(50)
  expect(failed).toMatchObject([{ code: 'POLICY_FAILED', message: expect.stringContaining('open in one another') }])
  expect(await rig.call('deep')).toMatchObject({ isError: false })
})

test('a signal that is none is told to the caller before anything is done', async () => {
  const rig = createRig()
  rig.registry.register(tool({ name: 't', execute: () => 1 }))
  const outcome = await rig.call('t', {}, { signal: {} as AbortSignal })
  expect(outcome).toMatchObject({ isError: true, error: { code: 'INVALID_ARGS', phase: 'lookup' } })
})
