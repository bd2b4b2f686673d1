import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Executor } from '../../src/executor/executor.ts'
import { createProcessExecutor } from '../../src/executor/process-executor.ts'
import { livingChildren, never, run, start, until } from './harness.ts'

let executor: Executor
beforeAll(async () => {
  // No spare: the living children are those that hold runs.
  executor = await createProcessExecutor({ hasWarmSpare: false, childrenPerTenant: 1, maxResumes: 3 })
}, 30_000)
afterAll(() => executor[Symbol.asyncDispose](), 30_000)

/** Kills the children that there are now and waits until the kernel has them no more; new ones may live already. */
async function killAll(): Promise<void> {
  const pids = livingChildren()
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await until(() => !livingChildren().some((pid) => pids.includes(pid)))
}

describe('the loss of a child', () => {
  test('between two calls is not seen by the program, and each call is made once', async () => {
    const made: number[] = []
    const ending = await run(
      executor,
      `const seen = []
       for (let n = 1; n <= 4; n++) { console.log('asks ' + n); seen.push(await tools.count({ n })) }
       return seen`,
      {
        tools: {
          async count(args) {
            const { n } = args as { n: number }
            made.push(n)
            // Between the settling of call 2 and of call 3; the answer follows when the process is surely gone.
            if (n === 3) {
              await killAll()
            }
            return n * 10
          },
        },
      },
    )
    expect(ending).toMatchObject({ kind: 'returned', resultJson: '[10,20,30,40]', usage: { resumes: 1 } })
    expect(made).toEqual([1, 2, 3, 4])
    expect(ending.logs.map(({ text }) => text)).toEqual(['asks 1', 'asks 2', 'asks 3', 'asks 4'])
  }, 20_000)

  test('does not repeat or disorder what is told of rejections', async () => {
    const ending = await run(
      executor,
      `Promise.reject(new Error('first')); console.log('one')
       await tools.kill({}); Promise.reject(new Error('second')); console.log('two')
       await tools.kill({}); return 'done'`,
      { tools: { kill: () => killAll() } },
    )
    expect(ending).toMatchObject({ kind: 'returned', resultJson: '"done"', usage: { resumes: 2 } })
    expect(ending.notices.map(({ message }) => /Error: (\w+)/.exec(message)?.[1])).toEqual(['first', 'second'])
    expect(ending.logs.map(({ text }) => text)).toEqual(['one', 'two'])
  }, 20_000)

  test('of a program that rejected and then needed a slice for itself alone is none', async () => {
    const { run: other } = start(executor, `await new Promise((resolve) => setTimeout(resolve, 1_500)); return 1`)
    const ending = await run(
      executor,
      `console.log('one'); Promise.reject(new Error('lost')); let n = 0
       for (let i = 0; i < 6e8; i++) n += i % 7
       console.log('two'); return n`,
    )
    expect(ending).toMatchObject({ kind: 'returned' })
    expect(ending.logs.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(ending.notices.map(({ message }) => message)).toEqual([expect.stringContaining('Error: lost')])
    await other.ending
  }, 20_000)

  test('at the very moment of a delivery is survived too', async () => {
    const made: number[] = []
    const ending = await run(executor, `for (let n = 0; n < 5; n++) await tools.count({ n }); return 'done'`, {
      tools: {
        count(args) {
          const { n } = args as { n: number }
          made.push(n)
          if (n === 2) for (const pid of livingChildren()) process.kill(pid, 'SIGKILL')
          return n
        },
      },
    })
    expect(ending).toMatchObject({ kind: 'returned', resultJson: '"done"' })
    expect(made).toEqual([0, 1, 2, 3, 4])
  }, 20_000)

  test('leaves calls in flight alone: parallel calls keep their answers, in the order in which they settled', async () => {
    const answers = new Map<number, (value: unknown) => void>()
    const { run: started, calls } = start(
      executor,
      `const order = []
       await Promise.all([1, 2, 3].map((n) => tools.ask({ n }).then(() => order.push(n))))
       return order`,
      {
        tools: {
          ask: (args) => new Promise((resolve) => answers.set((args as { n: number }).n, resolve)),
        },
      },
    )
    await until(() => calls.length === 3)
    answers.get(2)?.(null)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await killAll()
    answers.get(3)?.(null)
    answers.get(1)?.(null)
    expect(await started.ending).toMatchObject({ kind: 'returned', resultJson: '[2,3,1]', usage: { resumes: 1 } })
    expect(calls).toHaveLength(3)
  }, 20_000)

  test('keeps clock, random numbers and timers as they were', async () => {
    const { run: started, calls } = start(
      executor,
      `const before = [Math.random(), crypto.randomUUID(), Date.now()]
       await tools.ask({ before })
       const slept = new Promise((resolve) => setTimeout(() => resolve('slept'), 300))
       await tools.ask({ before })
       return [await slept, before]`,
      {
        tools: {
          async ask() {
            if (calls.length < 2) return null
            await killAll()
            return null
          },
        },
      },
    )
    const ending = await started.ending
    expect(ending).toMatchObject({ kind: 'returned', usage: { resumes: 1 } })
    const { before } = JSON.parse(calls[0]?.argumentsJson ?? '') as { before: unknown }
    expect(calls[1]?.argumentsJson).toBe(calls[0]?.argumentsJson)
    expect(JSON.parse((ending.kind === 'returned' && ending.resultJson) || '')).toEqual(['slept', before])
  }, 20_000)

  test('is given up after maxResumes, with what the program had done', async () => {
    const { run: started, calls } = start(executor, `console.log('up'); await tools.never({})`, { tools: { never } })
    await until(() => calls.length === 1)
    let isOver = false
    void started.ending.then(() => (isOver = true))
    while (!isOver) {
      // Long enough for a new child to come up: one that dies before it is ready counts as a failed start.
      await new Promise((resolve) => setTimeout(resolve, 700))
      await killAll()
    }
    expect(await started.ending).toMatchObject({
      kind: 'stopped',
      code: 'SANDBOX_LOST',
      logs: [{ text: 'up' }],
      openCalls: [1],
      usage: { resumes: 3 },
    })
    expect(calls).toHaveLength(1)
    expect(calls[0]?.signal.aborted).toBe(true)
    expect(await run(executor, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
  }, 30_000)
})

describe('a neighbour', () => {
  // `fill` passes no point where V8 looks at the heap limit, so only the end of the process stops it.
  test.each([
    ['fills the memory', `const a = []; for (;;) a.push(new Array(1000).fill(7))`],
    ['fills one array', `new Array(5e8).fill(0)`],
  ])(
    'that %s ends as MEMORY_LIMIT, and an innocent run in its child makes each of its calls once',
    async (_name, bomb) => {
      const made: number[] = []
      const innocent = start(executor, `for (let n = 0; n < 50; n++) await tools.count({ n }); return 'done'`, {
        tools: {
          async count(args) {
            made.push((args as { n: number }).n)
            await new Promise((resolve) => setTimeout(resolve, 20))
            return null
          },
        },
      })
      await until(() => made.length > 3)
      const ending = await run(executor, `await tools.echo({}); ${bomb}`, { limits: { cpuMs: 15_000 } })
      expect(ending).toMatchObject({ kind: 'stopped', code: 'MEMORY_LIMIT' })
      expect(await innocent.run.ending).toMatchObject({ kind: 'returned', resultJson: '"done"' })
      expect(made).toEqual(Array.from({ length: 50 }, (_, n) => n))
      expect(await run(executor, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
    },
    30_000,
  )
})

describe('a run that waits for a person', () => {
  async function withParking(work: (parking: Executor) => Promise<void>): Promise<void> {
    const options = { hasWarmSpare: false, childrenPerTenant: 1, maxRunsPerChild: 1, parkAfterMs: 50, maxResumes: 1 }
    await using parking = await createProcessExecutor(options)
    await work(parking)
  }
  const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

  test('gives its isolate back after a while, and goes on in a fresh one when the answer is there', async () => {
    await withParking(async (parking) => {
      let answer: (value: string) => void = () => {}
      const waiting = start(
        parking,
        `const before = [Math.random(), await tools.echo({ n: 1 })]
         console.log('asked')
         const answer = await tools.ask({})
         return [before, answer, await tools.echo({ n: 2 })]`,
        { tools: { ask: () => new Promise((resolve) => (answer = resolve)) } },
      )
      await until(() => waiting.calls.length === 2)
      using _asking = waiting.run.pauseWall()
      // The one place there is belongs to the run that waits, until it is parked.
      expect(await run(parking, `return 'served'`)).toMatchObject({ resultJson: '"served"' })
      answer('yes')
      const ending = await waiting.run.ending
      expect(ending).toMatchObject({ kind: 'returned', usage: { resumes: 0 } })
      expect(ending.logs.map(({ text }) => text)).toEqual(['asked'])
      expect(waiting.calls.map(({ name }) => name)).toEqual(['echo', 'ask', 'echo'])
    })
  }, 20_000)

  test('comes back for a timer and for another call’s answer, and is parked again', async () => {
    await withParking(async (parking) => {
      let answer: (value: string) => void = () => {}
      const waiting = start(
        parking,
        `const asked = tools.ask({})
         const seen = []
         setTimeout(() => seen.push('timer'), 200)
         seen.push(await tools.slow({}))
         seen.push(await asked)
         return seen`,
        {
          tools: {
            ask: () => new Promise((resolve) => (answer = resolve)),
            slow: () => later(400).then(() => 'slow'),
          },
        },
      )
      await until(() => waiting.calls.length === 2)
      using _asking = waiting.run.pauseWall()
      await later(700)
      expect(await run(parking, `return 'served'`)).toMatchObject({ resultJson: '"served"' })
      answer('yes')
      expect(await waiting.run.ending).toMatchObject({ kind: 'returned', resultJson: '["timer","slow","yes"]' })
    })
  }, 20_000)

  test('can be cancelled while it is parked', async () => {
    await withParking(async (parking) => {
      const waiting = start(parking, `await tools.ask({})`, { tools: { ask: never } })
      await until(() => waiting.calls.length === 1)
      using _asking = waiting.run.pauseWall()
      await later(150)
      waiting.run.cancel('changed my mind')
      expect(await waiting.run.ending).toMatchObject({ kind: 'stopped', code: 'ABORTED' })
      expect(await run(parking, `return 1`)).toMatchObject({ resultJson: '1' })
    })
  }, 20_000)
})
