import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEngine, defineTool, type Engine, type EngineOptions, type RunResult } from '../../src/index.ts'

let engine: Engine
const asked: { answer(): void }[] = []
beforeAll(async () => {
  engine = await createEngine({
    limits: { drainMs: 300, wallMs: 20_000, cpuMs: 500 },
    approver: {
      async ask() {
        await new Promise<void>((resolve) => asked.push({ answer: resolve }))
        return { answer: 'approve' }
      },
    },
    policies: [{ name: 'ask', pre: (call) => ({ decision: call.toolName === 'asked' ? 'ask' : 'allow', reason: 'r' }) }],
  } satisfies EngineOptions) // prettier-ignore
  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => resolve('slept'), ms)
      signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('aborted'))), { once: true })
    })
  const anything = { type: 'object', properties: {} } as const
  const tools = [
    ['never', (_args, exec) => pause(1e9, exec.signal)],
    ['slow', (_args, exec) => pause(80, exec.signal)],
    ['asked', () => 'done'],
    ['fails', () => Promise.reject(new Error('no luck'))],
  ] satisfies [string, (args: unknown, exec: { readonly signal: AbortSignal }) => unknown][]
  engine.registry.registerAll(
    tools.map(([name, execute]) =>
      defineTool({ name, description: name, parameters: anything, execute, isConcurrencySafe: () => true }),
    ),
  )
  engine.registry.register(
    defineTool({
      name: 'list_files',
      description: 'list',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      execute: () => [],
    }),
  )
})
afterAll(() => engine[Symbol.asyncDispose]())

const notices = ({ value, partial }: RunResult) => (value ?? partial)?.notices.map(({ message }) => message) ?? []
const messageOf = ({ outcome }: RunResult) => (outcome.isError ? outcome.error.message : 'OK')

describe('when the program has ended', () => {
  test('a call that lost a race holds the run no longer than drainMs, and is not called forgotten', async () => {
    const result = await engine.run(
      `return await Promise.race([tools.never(), new Promise((r) => setTimeout(() => r('timer'), 20))])`,
    )
    expect(result.value?.result).toBe('timer')
    expect(notices(result)).toEqual([expect.stringMatching(/left behind by a race.*aborted.*outcome unknown: never\./)])
    expect(notices(result).join()).not.toContain('without waiting')
  })

  test('a call that settles in time is let settle, and its failure is told', async () => {
    const result = await engine.run(`tools.slow(); tools.slow().then(() => tools.fails()); return 1`)
    expect(result.value?.result).toBe(1)
    expect(notices(result).at(-1)).toMatch(/let settle: slow, fails\. Failed: fails: TOOL_FAILED .*no luck/)
  })

  test('failures of calls that were awaited are not told again', async () => {
    const result = await engine.run(`await tools.fails().catch(() => 0); tools.slow(); return 1`)
    expect(notices(result)).toHaveLength(1)
    expect(notices(result)[0]).not.toContain('Failed')
  })

  test('a callback that throws while a call is awaited says nothing false of the call', async () => {
    const result = await engine.run(`setTimeout(() => { throw new Error('in a timer') }, 10); await tools.never()`)
    expect(messageOf(result)).toMatch(/^in a timer/)
    expect(notices(result)).toEqual([expect.stringMatching(/not awaited, or left behind by a race or an error/)])
  })

  test('work that keeps making calls is bounded as well', async () => {
    const result = await engine.run(`const again = () => tools.slow().then(again); again(); return 'ended'`)
    expect(result.value?.result).toBe('ended')
    expect(notices(result).join()).toMatch(/let settle: slow/)
  })

  test('a person who is asked meanwhile is waited for', async () => {
    const running = engine.run(`tools.asked(); return 1`)
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    // Twice the time that open calls have.
    await new Promise((resolve) => setTimeout(resolve, 600))
    asked.pop()?.answer()
    expect(notices(await running)).toEqual([expect.stringMatching(/let settle: asked/)])
  })
})

describe('a run that is stopped', () => {
  test('names what is open, once, in one sentence', async () => {
    const message = messageOf(await engine.run(`await tools.never()`, { limits: { wallMs: 300 } }))
    expect(message).toBe('the program used up its wallMs (300); still open: never')
  })

  test.each([
    ['for (;;) {}', false],
    [`return /^(a+)+$/.test('a'.repeat(50) + 'b')`, false],
    ['const end = Date.now() + 1e9; while (Date.now() < end) {}', true],
    ['while (performance.now() < 1e9) {}', true],
    ['const d = new Date(); while (new Date() - d < 1e9) {}', true],
  ])('speaks of the clock only when the program reads it: %s', async (program, isTold) => {
    const message = messageOf(await engine.run(program, { typecheck: 'off' }))
    expect(message).toContain('cpuMs (500)')
    expect(message.includes('clock')).toBe(isTold)
  })
})

test('a scalar for a tool with one optional property is refused with the call that was meant', async () => {
  const result = await engine.run(`return await tools.list_files('src' as any).catch((e) => e.message)`)
  expect(result.value?.result).toContain('Write tools.list_files({ path: "src" })')
})

test('a stack that the program returns speaks of what was submitted', async () => {
  const result = await engine.run(`interface A { a: string }\nconst e: Error = new Error('x')\nreturn e.stack`)
  expect(result.value?.result).toBe('Error: x\n    at program.ts:2:18')
})

test('a rejection that nothing handles is told in a notice', async () => {
  const result = await engine.run(`async function go() {\n  throw new Error('lost')\n}\ngo()\nreturn 1`)
  expect(result.value?.result).toBe(1)
  expect(notices(result)).toEqual([expect.stringMatching(/Error: lost at go \(program\.ts:2:9\)/)])
})
