import { describe, expect, test } from 'vitest'
import type { Executor } from '../../src/executor/executor.ts'
import { never, run, start, until } from './harness.ts'

/** What every executor must do, whatever walls it has: the files of the single executors call this. */
export function testExecutor(getExecutor: () => Executor): void {
  const executor: Pick<Executor, 'start'> = { start: (request, host) => getExecutor().start(request, host) }

  describe('a program', () => {
    test('returns its value and keeps what it printed, in order', async () => {
      const ending = await run(executor, `console.log('one'); console.error('two'); return { sum: 1 + 1 }`)
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '{"sum":2}', openCalls: [], unawaitedCalls: [] })
      expect(ending.logs.map(({ level, text }) => [level, text])).toEqual([
        ['log', 'one'],
        ['error', 'two'],
      ])
    })

    test('ends as thrown with the error it did not catch', async () => {
      const ending = await run(executor, `throw new TypeError('no such thing')`)
      expect(ending).toMatchObject({ kind: 'threw', error: { name: 'TypeError', message: 'no such thing' } })
    })

    test('is told when it does not parse', async () => {
      const ending = await run(executor, `const = 1`)
      expect(ending).toMatchObject({ kind: 'stopped', code: 'COMPILE_ERROR' })
    })

    test('has its parallel calls open at the same time', async () => {
      let open = 0
      let most = 0
      const ending = await run(executor, `return await Promise.all([1, 2, 3, 4].map((n) => tools.slow({ n })))`, {
        tools: {
          async slow(args) {
            most = Math.max(most, ++open)
            await new Promise((resolve) => setTimeout(resolve, 30))
            open--
            return args
          },
        },
      })
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '[{"n":1},{"n":2},{"n":3},{"n":4}]' })
      expect(most).toBe(4)
      expect(ending.calls.map(({ number }) => number)).toEqual([1, 2, 3, 4])
    })

    test('gets results as they settle, not as they were asked for', async () => {
      const ending = await run(executor, `return await Promise.race([tools.never({}), tools.echo({ n: 1 })])`, {
        tools: { never: never },
        limits: { wallMs: 1_000 },
      })
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '{"n":1}', openCalls: [1], unawaitedCalls: [1] })
    })

    test('catches the failure of a call as an error of its own', async () => {
      const program = `try { await tools.deny({}) } catch (e) { return [e.name, e.code, e.tool] }`
      const { run: started } = start(
        {
          start: (request, host) =>
            executor.start(request, {
              ...host,
              call: () =>
                Promise.resolve({
                  ok: false,
                  json: JSON.stringify({
                    tool: 'deny',
                    code: 'POLICY_DENIED',
                    message: 'no',
                    phase: 'pre',
                    bodyStarted: false,
                    retryable: false,
                  }),
                }),
            }),
        },
        program,
        { tools: { deny: () => null } },
      )
      expect(await started.ending).toMatchObject({
        kind: 'returned',
        resultJson: '["ToolError","POLICY_DENIED","deny"]',
      })
    })

    test('a host function that breaks its promise and rejects still answers the program', async () => {
      const ending = await run(executor, `try { await tools.broken({}) } catch (e) { return e.code }`, {
        tools: { broken: () => Promise.reject(new Error('bug')) },
      })
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '"TOOL_FAILED"' })
    })

    test('its timers fire in order of their time, and cleared ones not at all', async () => {
      const ending = await run(
        executor,
        `const seen = []
         const after = (ms) => new Promise((resolve) => setTimeout(() => { seen.push(ms); resolve() }, ms))
         const cleared = setTimeout(() => seen.push('cleared'), 5)
         const all = Promise.all([after(40), after(10), after(20)])
         clearTimeout(cleared)
         await all
         return seen`,
      )
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '[10,20,40]' })
    })

    test('sees a clock that starts where the run says and moves with deliveries', async () => {
      const ending = await run(
        executor,
        `const start = Date.now(); for (let i = 0; i < 1e6; i++); const same = Date.now()
         await new Promise((resolve) => setTimeout(resolve, 50)); return [start, same - start, Date.now() - start >= 50]`,
      )
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '[1700000000000,0,true]' })
    })

    test('reads values larger than one batch unharmed, many at a time', async () => {
      const ending = await run(
        executor,
        `const values = await Promise.all(Array.from({ length: 40 }, (_, n) => tools.large({ n })))
         return values.every((value, n) => value.length === 100_000 && value.startsWith(n + '-é€'))`,
        { tools: { large: (args) => `${(args as { n: number }).n}-é€`.padEnd(100_000, '✓') } },
      )
      expect(ending).toMatchObject({ kind: 'returned', resultJson: 'true' })
    })
  })

  describe('limits', () => {
    test('a loop that never yields ends at its CPU budget, with what it had printed, and the next run is fine', async () => {
      const ending = await run(executor, `console.log('here'); for (;;) {}`, { limits: { cpuMs: 200 } })
      expect(ending).toMatchObject({
        kind: 'stopped',
        code: 'TIMEOUT',
        message: expect.stringContaining('cpuMs (200)'),
      })
      expect(ending.logs).toMatchObject([{ text: 'here' }])
      expect(await run(executor, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
    })

    test('a loop after a call ends the same way', async () => {
      const ending = await run(executor, `await tools.echo({}); for (;;) {}`, { limits: { cpuMs: 200 } })
      expect(ending).toMatchObject({ kind: 'stopped', code: 'TIMEOUT' })
      expect(ending.calls).toHaveLength(1)
    })

    test('budgets add up over slices', async () => {
      const spin = 'for (let i = 0; i < 3e6; i++) Math.sqrt(i);'
      const ending = await run(executor, `for (;;) { ${spin} await tools.echo({}) }`, { limits: { cpuMs: 300 } })
      expect(ending).toMatchObject({ kind: 'stopped', code: 'TIMEOUT', message: expect.stringContaining('cpuMs') })
      expect(ending.calls.length).toBeGreaterThan(1)
    })

    test('a call that never settles ends the run at its wall time, naming it, and its signal is aborted', async () => {
      const ending = await run(executor, `await tools.echo({}); await tools.never({})`, {
        tools: { never },
        limits: { wallMs: 300 },
      })
      expect(ending).toMatchObject({
        kind: 'stopped',
        code: 'TIMEOUT',
        message: 'the program used up its wallMs (300)',
        openCalls: [2],
      })
      expect(ending.calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
    })

    test('the wall clock stands still while it is paused', async () => {
      const answer = Promise.withResolvers<string>()
      const { run: started } = start(executor, `return await tools.ask({})`, {
        tools: { ask: () => answer.promise },
        limits: { wallMs: 300 },
      })
      {
        using _outer = started.pauseWall()
        using _inner = started.pauseWall()
        await new Promise((resolve) => setTimeout(resolve, 600))
      }
      answer.resolve('yes')
      expect(await started.ending).toMatchObject({ kind: 'returned', resultJson: '"yes"' })
    })

    test('a program that waits for what nothing can settle fails at once', async () => {
      const ending = await run(executor, `await new Promise(() => {})`)
      expect(ending).toMatchObject({ kind: 'stopped', code: 'DEADLOCK' })
    })

    test('a program that fills its heap ends at its memory limit, and the next run is fine', async () => {
      const ending = await run(executor, `const a = []; for (;;) a.push(new Array(1000).fill(1.5))`, {
        limits: { memoryMb: 16 },
      })
      expect(ending).toMatchObject({ kind: 'stopped', code: 'MEMORY_LIMIT' })
      expect(await run(executor, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
    })

    test('a result over its bound ends the run with what it did', async () => {
      const ending = await run(executor, `await tools.echo({}); return 'x'.repeat(5000)`, {
        limits: { maxResultBytes: 1_000 },
      })
      expect(ending).toMatchObject({ kind: 'stopped', code: 'OUTPUT_LIMIT' })
      expect(ending.calls).toHaveLength(1)
    })

    test('what is printed over its bound is cut, and that is said', async () => {
      const ending = await run(executor, `for (let i = 0; i < 500; i++) console.log('x'.repeat(100)); return 1`, {
        limits: { maxLogBytes: 2_000 },
      })
      expect(ending).toMatchObject({ kind: 'returned' })
      const bytes = ending.logs.reduce((total, { text }) => total + text.length, 0)
      expect(bytes).toBeLessThan(4_000)
      expect(bytes).toBeGreaterThan(1_000)
    })
  })

  describe('ends', () => {
    test('calls nobody awaited are let settle, and what follows them runs', async () => {
      const ending = await run(
        executor,
        `tools.slow({}).then(() => tools.echo({})).then(() => console.log('done')); return 'early'`,
        { tools: { slow: () => new Promise((resolve) => setTimeout(() => resolve(1), 30)) } },
      )
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '"early"', openCalls: [], unawaitedCalls: [1, 2] })
      expect(ending.calls.map(({ name }) => name)).toEqual(['slow', 'echo'])
      expect(ending.logs).toMatchObject([{ text: 'done' }])
    })

    test('after a throw open calls are drained only so long, then aborted', async () => {
      const ending = await run(executor, `tools.never({}); throw new Error('over')`, {
        tools: { never },
        limits: { drainMs: 50 },
      })
      expect(ending).toMatchObject({ kind: 'threw', openCalls: [1], unawaitedCalls: [1] })
      expect(ending.calls[0]?.signal.aborted).toBe(true)
    })

    test('a cancelled run ends as aborted, once, and its late replies go nowhere', async () => {
      const answer = Promise.withResolvers<string>()
      const { run: started, calls } = start(executor, `await tools.ask({}); await tools.echo({})`, {
        tools: { ask: () => answer.promise },
      })
      await until(() => calls.length === 1)
      started.cancel('the client left')
      started.cancel('again')
      expect(await started.ending).toMatchObject({
        kind: 'stopped',
        code: 'ABORTED',
        message: 'the client left',
        openCalls: [1],
      })
      answer.resolve('late')
      expect(await run(executor, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
      expect(calls).toHaveLength(1)
    })

    test('a signal that is aborted already starts nothing', async () => {
      const ending = await run(executor, `await tools.echo({})`, { signal: AbortSignal.abort('not now') })
      expect(ending).toMatchObject({ kind: 'stopped', code: 'ABORTED', message: 'not now' })
      expect(ending.calls).toEqual([])
    })
  })

  describe('isolation between runs', () => {
    test('what one program does to its globals the next one does not see', async () => {
      await run(executor, `globalThis.left = 1; Array.prototype.map = () => 'stolen'; Object.prototype.x = 1; return 1`)
      const ending = await run(executor, `return [typeof globalThis.left, [1].map((n) => n + 1), ({}).x === undefined]`)
      expect(ending).toMatchObject({ kind: 'returned', resultJson: '["undefined",[2],true]' })
    })
  })
}
