import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { ChildLink, type ChildExit } from '../../src/executor/child-link.ts'
import { findTool } from '../../src/executor/confinement-ladder.ts'
import type { Executor, GuestCall, RunEnding } from '../../src/executor/executor.ts'
import { LiveRun } from '../../src/executor/live-run.ts'
import { Pool } from '../../src/executor/pool.ts'
import { never, start } from './harness.ts'

const SCRIPT = fileURLToPath(new URL('../support/programs/scripted-child.mjs', import.meta.url))
const pools: Pool[] = []
const directories: string[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

/** Children get FIFOs where they can be made, socket pairs elsewhere: the host must read both alike. */
type Transport = 'fifo' | 'socket pair'

/** A pool whose children are scripted, one behaviour after the other; the last one stays. */
function poolOf(behaviours: readonly string[], transport: Transport = 'fifo') {
  const mkfifo = transport === 'fifo' ? findTool('mkfifo') : undefined
  const directory = mkdtempSync(join(tmpdir(), 'hostile-child-'))
  directories.push(directory)
  const exits: ChildExit[] = []
  let started = 0
  const pool = new Pool({
    maxChildren: 4,
    childrenPerTenant: 1,
    maxRunsPerChild: 8,
    maxQueue: 4,
    recycleAfterRuns: 100,
    recycleAfterMs: 60_000,
    busyMs: 50,
    childRssMb: 1_024,
    sharedSliceMs: 250,
    hasWarmSpare: false,
    spawn: (events) =>
      new ChildLink({
        command: {
          file: process.execPath,
          args: [SCRIPT, behaviours[Math.min(started++, behaviours.length - 1)] ?? ''],
          cwd: '/',
        },
        ...(mkfifo !== undefined && { fifo: { mkfifo, directory, name: String(started) } }),
        readyMs: 2_000,
        graceMs: 100,
        ...events,
        onExit(link, exit) {
          exits.push(exit)
          events.onExit(link, exit)
        },
      }),
  })
  pools.push(pool)
  const executor = {
    start: (request: ConstructorParameters<typeof LiveRun>[0], host: ConstructorParameters<typeof LiveRun>[1]) =>
      new LiveRun(request, host, pool, {
        maxResumes: 3,
        maxReplayBytes: 1 << 20,
        graceMs: 100,
        sharedSliceMs: 250,
        parkAfterMs: 60_000,
      }),
  }
  return { executor, exits, starts: () => started }
}

async function runIn(
  behaviour: string,
  transport?: Transport,
): Promise<{ ending: RunEnding; exit: ChildExit | undefined }> {
  const { executor, exits } = poolOf([behaviour], transport)
  const { run } = start(executor, '', {
    limits: { cpuMs: 200, wallMs: 10_000, maxResultBytes: 1_000 },
    tools: { never },
  })
  const ending = await run.ending
  await expect.poll(() => exits.length, { timeout: 5_000 }).toBeGreaterThan(0)
  return { ending, exit: exits[0] }
}

describe.each<Transport>(['fifo', 'socket pair'])('a child that lies over a %s', (transport) => {
  test.each([
    'says garbage',
    'sends text that is not JSON',
    'sends a slice of another shape',
    'speaks for a run that is not there',
    'answers twice',
    'skips a call number',
    'repeats a call number',
    'announces a frame of four gigabytes',
    'is ready twice',
    'makes more calls than may be pending',
    'sets one timer twice',
    'closes its pipe and lives on',
    'returns a larger result than allowed',
  ])('%s: it is killed and its run is lost', async (behaviour) => {
    const { ending, exit } = await runIn(behaviour, transport)
    expect(exit).toMatchObject({ signal: 'SIGKILL', killed: { reason: 'forged' } })
    expect(ending).toMatchObject({ kind: 'stopped', code: 'SANDBOX_LOST' })
  })
})

describe('a child that fails', () => {
  test.each([
    ['never answers', 'TIMEOUT'],
    ['ends by SIGSEGV inside', 'MEMORY_LIMIT'],
    ['reports a fatal out-of-memory', 'MEMORY_LIMIT'],
  ])('%s: the run inside ends as %s', async (behaviour, code) => {
    const { ending } = await runIn(behaviour)
    expect(ending).toMatchObject({ kind: 'stopped', code })
  })

  test.each(['ends before it is ready', 'never gets ready', 'speaks another version'])(
    '%s: after some tries the runs that wait are told why',
    async (behaviour) => {
      const { executor, starts } = poolOf([behaviour])
      const { run } = start(executor, '', { limits: { wallMs: 60_000 } })
      const ending = await run.ending
      expect(ending).toMatchObject({
        kind: 'stopped',
        code: 'SANDBOX_LOST',
        message: expect.stringMatching(/start|version/),
      })
      expect(starts()).toBe(5)
    },
    30_000,
  )

  test('a start that failed is tried again', async () => {
    const { executor, starts } = poolOf(['ends before it is ready', 'ends before it is ready', 'behaves'])
    const { run } = start(executor, '')
    expect(await run.ending).toMatchObject({ kind: 'returned', resultJson: '"fine"' })
    expect(starts()).toBe(3)
  })

  test('a program that does something else when it is run again ends as a divergence, and nothing of it is executed', async () => {
    const { executor } = poolOf(['does not repeat itself'])
    const calls: GuestCall[] = []
    const unanswered: Pick<Executor, 'start'> = {
      start: (request) => executor.start(request, { call: (call) => (calls.push(call), never()) }),
    }
    const { run } = start(unanswered, '', { limits: { wallMs: 10_000 } })
    await expect.poll(() => calls.length, { timeout: 5_000 }).toBe(1)
    const pid = /\d+/.exec(calls[0]?.name ?? '')?.[0]
    process.kill(Number(pid), 'SIGKILL')
    const ending = await run.ending
    expect(ending).toMatchObject({ kind: 'stopped', code: 'REPLAY_DIVERGED' })
    expect(ending.kind === 'stopped' && ending.message).toContain(`call-of-${pid}`)
    expect(calls).toHaveLength(1)
  })
})

describe('a full pool', () => {
  test('refuses the run that would wait behind too many others', async () => {
    const { executor } = poolOf(['never gets ready'])
    const runs = Array.from({ length: 5 }, () => start(executor, '').run)
    expect(await runs[4]?.ending).toMatchObject({ kind: 'stopped', code: 'OVERLOADED' })
    for (const run of runs) run.cancel('seen')
  })
})
