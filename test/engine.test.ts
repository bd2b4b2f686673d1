import { expect, test } from 'vitest'
import { createEngine } from '../src/engine.ts'

test('an engine that is disposed says so itself, whatever is asked of it', async () => {
  const engine = await createEngine({ requireConfinement: 'none', typecheck: 'off' })
  await engine[Symbol.asyncDispose]()
  const refusal = expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/^engine: it is disposed/) as string,
  })
  await expect(engine.run('return 1')).rejects.toEqual(refusal)
  expect(() => engine.openSession()).toThrow(refusal)
  await expect(engine.report()).rejects.toEqual(refusal)
  await engine[Symbol.asyncDispose]()
})

test('a program that runs when the engine is disposed ends with its outcome, and no other is begun', async () => {
  const engine = await createEngine({ requireConfinement: 'none', typecheck: 'off' })
  const running = engine.run('await new Promise((r) => setTimeout(r, 60_000))')
  const disposing = engine[Symbol.asyncDispose]()
  await expect(engine.run('return 1')).rejects.toThrow(/^engine: it is disposed/)
  expect((await running).outcome).toMatchObject({ isError: true })
  await disposing
})
