import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine, defineTool } from '../../src/index.ts'
import { checkEvents } from '../../src/session/invariants.ts'

/** Sandbox processes under this one, found from outside: our own report is not asked. */
function sandboxPids(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row))
    .flatMap((match) =>
      match === null ? [] : [{ pid: Number(match[1]), parent: Number(match[2]), args: match[3] ?? '' }],
    )
  const below = new Set([process.pid])
  // Rows come in any order: repeat until nothing is added.
  for (let size = 0; size !== below.size;) {
    size = below.size
    for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid)
  }
  return rows
    .filter(({ pid, args }) => pid !== process.pid && below.has(pid) && /child\.c?js/.test(args))
    .map(({ pid }) => pid)
}

function counter() {
  const seen: number[] = []
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    output: {},
    execute: ({ n }) => {
      seen.push(n)
      return seen.length
    },
  })
  return { seen, count }
}

test('a child that is killed between the settle of call 2 and call 3 costs nothing: the run is resumed, no call is made twice', async () => {
  const { seen, count } = counter()
  const engine = await createEngine({ tools: [count] })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const session = engine.openSession()
  let killed = 0
  const result = await engine.run(
    `const first = await tools.count({ n: 1 })
     const second = await tools.count({ n: 2 })
     console.log('two done')
     await new Promise((go) => setTimeout(go, 700))
     return [first, second, await tools.count({ n: 3 })]`,
    {
      session,
      onEvent(event) {
        if (event.type !== 'log') return
        for (const pid of sandboxPids()) {
          process.kill(pid, 'SIGKILL')
          killed++
        }
      },
    },
  )
  expect(killed).toBeGreaterThan(0)
  expect(seen).toEqual([1, 2, 3])
  expect(result.value).toMatchObject({ result: [1, 2, 3], logs: [{ text: 'two done' }] })
  expect(checkEvents(session.events())).toEqual([])

  const next = await engine.run('return await tools.count({ n: 4 })', { session })
  expect(next.value?.result).toBe(4)
})

test('a run whose child is killed again and again ends as SANDBOX_LOST with what it had done, and the next run works', async () => {
  const { seen, count } = counter()
  const engine = await createEngine({ tools: [count] })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const running = engine.run(`
    await tools.count({ n: 1 })
    await tools.count({ n: 2 })
    for (;;) {}`)
  let isOver = false
  const finished = running.finally(() => (isOver = true))
  while (seen.length < 2) await pause(5)
  while (!isOver) {
    for (const pid of sandboxPids()) process.kill(pid, 'SIGKILL')
    await pause(150)
  }
  const { outcome, partial } = await finished
  expect(outcome).toMatchObject({ isError: true, error: { code: 'SANDBOX_LOST' } })
  expect(partial?.calls).toMatchObject([
    { name: 'count', isError: false },
    { name: 'count', isError: false },
  ])
  expect(seen).toEqual([1, 2])
  expect((await engine.run('return 7')).value?.result).toBe(7)
})

test('no sandbox process is left when the engine is closed', async () => {
  const engine = await createEngine()
  await engine.run('return 1')
  const before = sandboxPids()
  expect(before.length).toBeGreaterThan(0)
  await engine[Symbol.asyncDispose]()
  const living = before.filter((pid) => {
    try {
      return !readFileSync(`/proc/${pid}/status`, 'utf8').includes('State:\tZ')
    } catch {
      return false
    }
  })
  expect(living).toEqual([])
})
