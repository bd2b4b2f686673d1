import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, defineTool, STAGES, type EngineOptions, type RunResult, type SessionLog } from '../src/index.ts'
import { startPingPong } from './_ping-pong.ts'
import { sandboxesMb } from './_processes.ts'
import { compare, rest, toRows, type Benchmark, type Rounds, type Size, type Table, type Variant } from './_runner.ts'
import { createEmptyTool, createTextTool, fivePolicies } from './_tools.ts'

interface Sizes {
  readonly calls: Rounds & { readonly perRun: number }
  readonly runs: Rounds & { readonly perRound: number }
  readonly bursts: { readonly engines: number; readonly runs: number; readonly calls: number }
  readonly waitingRuns: number
}

const SIZES: Readonly<Record<Size, Sizes>> = {
  full: {
    calls: { warmUp: 8, measured: 10, perRun: 1_000 },
    runs: { warmUp: 3, measured: 6, perRound: 15 },
    bursts: { engines: 5, runs: 50, calls: 10 },
    waitingRuns: 100,
  },
  tiny: {
    calls: { warmUp: 0, measured: 1, perRun: 20 },
    runs: { warmUp: 0, measured: 1, perRound: 2 },
    bursts: { engines: 1, runs: 3, calls: 2 },
    waitingRuns: 4,
  },
}

/** What a call waits for in the burst, as a quick peer would take it. */
const WORK_MS = 5

export const dispatchBenchmark: Benchmark = {
  method: [
    'Everything goes through `engine.run`: a model’s call of `run_code` with the whole pipeline around it, the program compiled from its text (each text is new, so no cache helps), a fresh isolate in a confined child process (type checking is off but where a row says otherwise), and for each call of the program the whole pipeline again, with five policies and the dispatch events in the session log.',
    'After every run its value and its log are checked: every call stands there with a start and one settle event. A run that does not show this ends the benchmark.',
    'Sequential calls: the time from one body to the next, so one sample holds the way back to the program, its next line, the way to the host and the pipeline. The raw ping-pong is 100 bytes through the same kind of pipe to a blocking child and back, alternating with it: the ratio between the two is the figure to compare between machines.',
    '“With spare”: the isolate was prepared before the run came (the runs are 60 ms apart). “No spare”: the runs follow each other and ask for another memory limit each time, so none that is prepared can be used. “One after the other”: the isolate of a run is made while its program is compiled and checked.',
    'Memory is the proportional share (Pss) of all sandbox processes together.',
    'Targets come from a prototype without TypeScript, policy or log on a quiet machine; they are not asserted anywhere.',
  ],
  async measure(size) {
    const sizes = SIZES[size]
    return [
      ...(await measureSequential(sizes)),
      await measureParallel(sizes),
      await measurePayloads(sizes),
      await measureStages(sizes),
      await measureRuns(sizes),
      await measureStart(sizes),
      await measureBursts(sizes),
      await measureMemory(sizes),
    ]
  },
}

// --- calls ----------------------------------------------------------------------------------------------------------

async function measureSequential({ calls }: Sizes): Promise<readonly Table[]> {
  await using folder = await temporaryFolder()
  await using pingPong = await startPingPong()
  await using memory = await startBench()
  await using sameProcess = await startBench({ isolation: 'in-process' })
  await using sqlite = await startBench({ store: { sqlite: join(folder.path, 'sessions.sqlite') } })
  const cpu = {
    pingPong: [] as number[],
    memory: [] as number[],
    sqlite: [] as number[],
    sameProcess: [] as number[],
  }
  const sequential = (bench: Bench, cpuSamples: number[]) => async () => {
    bench.bodyTimes.length = 0
    const before = process.cpuUsage()
    await bench.run(
      `let sum = 0
       for (let n = 1; n <= ${calls.perRun}; n++) sum += (await tools.empty({ n })).n`,
      { value: 'sum', expected: (calls.perRun * (calls.perRun + 1)) / 2, calls: calls.perRun },
    )
    cpuSamples.push(cpuSince(before) / calls.perRun)
    return bench.bodyTimes.slice(1).map((time, index) => (time - (bench.bodyTimes[index] ?? 0)) * 1_000)
  }
  const latency = await compare('One call of a program, sequential', 'µs', 'a sample is one round trip', calls, [
    {
      name: 'raw ping-pong over pipes',
      async round() {
        const before = process.cpuUsage()
        const samples = await pingPong.play(calls.perRun)
        cpu.pingPong.push(cpuSince(before) / calls.perRun)
        return samples
      },
    },
    { name: 'call, memory log', target: { p50: 65 }, round: sequential(memory, cpu.memory) },
    { name: 'call, SQLite log', round: sequential(sqlite, cpu.sqlite) },
    {
      name: 'call, memory log, in-process',
      target: { p50: 15 },
      round: sequential(sameProcess, cpu.sameProcess),
    },
  ])
  const measuredOf = (samples: readonly number[]) => samples.slice(calls.warmUp)
  return [
    latency,
    {
      title: 'Processor time of the host for one such call',
      unit: 'µs',
      sample: `a sample is the mean over a run of ${calls.perRun.toLocaleString('en')} calls, all threads, compiling included`,
      rows: toRows([
        { name: 'raw ping-pong over pipes', samples: measuredOf(cpu.pingPong) },
        { name: 'call, memory log', samples: measuredOf(cpu.memory) },
        { name: 'call, SQLite log', samples: measuredOf(cpu.sqlite) },
        { name: 'call, memory log, in-process', samples: measuredOf(cpu.sameProcess) },
      ]),
    },
  ]
}

/** µs of processor time, of the system too. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function measureParallel({ calls }: Sizes): Promise<Table> {
  await using bench = await startBench()
  return await compare(
    `${calls.perRun.toLocaleString('en')} parallel calls in one run`,
    'ms',
    'a sample is a whole run (16 bodies at a time, 256 calls pending); a no-op run beside it',
    calls,
    [
      {
        name: `${calls.perRun.toLocaleString('en')} calls`,
        target: { p50: 18 },
        round: async () => [
          await bench.run(
            `const all = await Promise.all(Array.from({ length: ${calls.perRun} }, (_, n) => tools.empty({ n })))
             const sum = all.reduce((total, { n }) => total + n, 0)`,
            { value: 'sum', expected: (calls.perRun * (calls.perRun - 1)) / 2, calls: calls.perRun },
          ),
        ],
      },
      { name: 'no call', round: async () => [await bench.noOp()] },
    ],
  )
}

/** Bytes of a result, and how many calls one sample has: large ones are few. */
const PAYLOADS = [
  { name: '100 B', bytes: 100, share: 1 },
  { name: '10 kB', bytes: 10_000, share: 1 },
  { name: '1 MB', bytes: 1_000_000, share: 0.02 },
] as const

async function measurePayloads({ calls }: Sizes): Promise<Table> {
  await using bench = await startBench()
  return await compare(
    'One call of a program, sequential, by the size of its result',
    'µs',
    'a sample is the mean over the calls of a run, its start included',
    calls,
    PAYLOADS.map(({ name, bytes, share }): Variant => {
      const count = Math.max(1, Math.round((calls.perRun * share) / 5))
      return {
        name: `${name}`,
        round: async () => [
          ((await bench.run(
            `let length = 0\n for (let n = 0; n < ${count}; n++) length += (await tools.text({ n: ${bytes} })).text.length`,
            { value: 'length', expected: count * bytes, calls: count },
          )) *
            1_000) /
            count,
        ],
      }
    }),
  )
}

/** Of one call of a program: what its stages take on the host, and the rest of the way there and back. */
async function measureStages({ calls }: Sizes): Promise<Table> {
  const nsByStage = new Map<string, number[]>()
  let isMeasured = false
  await using bench = await startBench({
    observers: [
      {
        settled({ entry }, _outcome, { stageNs }) {
          if (!isMeasured || entry !== 'program') return
          for (const [stage, ns] of Object.entries(stageNs)) {
            const samples = nsByStage.get(stage) ?? []
            samples.push(ns / 1_000)
            nsByStage.set(stage, samples)
          }
        },
      },
    ],
  })
  const whole: number[] = []
  for (let round = -calls.warmUp; round < calls.measured; round++) {
    isMeasured = round >= 0
    bench.bodyTimes.length = 0
    await bench.run(
      `let sum = 0
       for (let n = 1; n <= ${calls.perRun}; n++) sum += (await tools.empty({ n })).n`,
      { value: 'sum', expected: (calls.perRun * (calls.perRun + 1)) / 2, calls: calls.perRun },
    )
    if (!isMeasured) continue
    for (const [index, time] of bench.bodyTimes.slice(1).entries())
      whole.push((time - (bench.bodyTimes[index] ?? 0)) * 1_000)
  }
  return {
    title: 'Where the time of one such call goes',
    unit: 'µs',
    sample: 'a sample is one call; what is not in a stage is the isolate, the pipes, the frames and the log',
    rows: toRows([
      { name: 'there and back', samples: whole },
      ...STAGES.flatMap((stage) => {
        const samples = nsByStage.get(stage)
        return samples === undefined ? [] : [{ name: `stage ${stage}`, samples }]
      }),
    ]),
  }
}

// --- runs -----------------------------------------------------------------------------------------------------------

async function measureRuns({ runs }: Sizes): Promise<Table> {
  await using spaced = await startBench()
  await using drained = await startBench()
  await using checked = await startBench({ typecheck: 'error' })
  await using inTurn = await startBench()
  await using checkedInTurn = await startBench({ typecheck: 'error' })
  let memoryMb = 128
  const apart = (bench: Bench) => () =>
    times(runs.perRound, async () => {
      await rest(60)
      return bench.noOp()
    })
  const variants: Variant[] = [
    { name: 'with spare', target: { p50: 1, p99: 6 }, round: apart(spaced) },
    { name: 'with spare, type-checked', round: apart(checked) },
    {
      name: 'no spare',
      target: { p50: 4.5, p99: 10 },
      round: () => times(runs.perRound, () => drained.noOp({ memoryMb: (memoryMb = memoryMb === 128 ? 129 : 128) })),
    },
    { name: 'one after the other', round: () => times(runs.perRound, () => inTurn.noOp()) },
    { name: 'one after the other, type-checked', round: () => times(runs.perRound, () => checkedInTurn.noOp()) },
  ]
  return await compare('No-op run', 'ms', 'a sample is one run, compiling included', runs, variants)
}

async function measureStart({ bursts }: Sizes): Promise<Table> {
  const starts: number[] = []
  const firstRuns: number[] = []
  for (let i = 0; i < bursts.engines; i++) {
    const startedAt = performance.now()
    await using bench = await startBench()
    starts.push(performance.now() - startedAt)
    firstRuns.push(await bench.noOp())
  }
  return {
    title: 'Start',
    unit: 'ms',
    sample: 'a sample is one engine; its start probes the walls of the sandbox and waits for the first child',
    rows: toRows([
      { name: 'engine', samples: starts },
      { name: 'first run', samples: firstRuns },
    ]),
  }
}

async function measureBursts({ bursts: { engines, runs, calls } }: Sizes): Promise<Table> {
  const samples = { cold: [] as number[], warm: [] as number[] }
  for (let i = 0; i < engines; i++) {
    await using bench = await startBench()
    await bench.noOp()
    await rest(300)
    samples.cold.push(await burst(bench, runs, calls))
    // Long enough for the pool to prepare as many isolates as the burst has shown to be needed.
    await rest(1_200)
    samples.warm.push(await burst(bench, runs, calls))
  }
  return {
    title: `${runs} runs at once, each with ${calls} calls of ${WORK_MS} ms one after the other`,
    unit: 'ms',
    sample: `a sample is the whole burst; the calls alone take ${calls * WORK_MS} ms`,
    rows: toRows([
      { name: 'first burst of an engine', samples: samples.cold, target: { p50: 300 } },
      { name: 'second burst', samples: samples.warm, target: { p50: 130 } },
    ]),
  }
}

async function burst(bench: Bench, runs: number, calls: number): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: runs }, () =>
      bench.run(`let done = 0\n for (; done < ${calls}; done++) await tools.work({})`, {
        value: 'done',
        expected: calls,
        calls,
      }),
    ),
  )
  return performance.now() - startedAt
}

async function measureMemory({ bursts, waitingRuns }: Sizes): Promise<Table> {
  const samples = { rest: [] as number[], waiting: [] as number[], after: [] as number[] }
  for (let i = 0; i < Math.min(3, bursts.engines); i++) {
    await using bench = await startBench()
    await bench.noOp()
    await rest(600)
    const atRest = sandboxesMb()
    if (atRest === undefined)
      throw new Error('dispatch: memory of the children can only be read on Linux, with rights to /proc')
    samples.rest.push(atRest)
    const gate = bench.closeGate()
    const ended = Array.from({ length: waitingRuns }, () =>
      bench.run('const { n } = await tools.gate({})', { value: 'n', expected: 1, calls: 1 }),
    )
    await gate.reached(waitingRuns)
    samples.waiting.push(sandboxesMb() ?? Number.NaN)
    gate.open()
    await Promise.all(ended)
    await rest(3_000)
    samples.after.push(sandboxesMb() ?? Number.NaN)
  }
  return {
    title: 'Memory of the sandbox processes',
    unit: 'MB',
    sample: 'a sample is the sum over all children of an engine',
    rows: toRows([
      { name: 'at rest', samples: samples.rest },
      { name: `${waitingRuns} runs wait for a call`, samples: samples.waiting, target: { p50: 190 } },
      { name: '3 s after they have ended', samples: samples.after },
    ]),
  }
}

// --- the product under measurement ----------------------------------------------------------------------------------

interface Proof {
  /** An expression over what the statements declared. */
  readonly value: string
  readonly expected: number
  readonly calls: number
}

interface Bench extends AsyncDisposable {
  /** When the bodies of `empty` were entered, in order. */
  readonly bodyTimes: number[]
  /** Runs a program that nobody has run before, checks its result and its log, and gives its time in ms. */
  run(statements: string, proof: Proof, limits?: { readonly memoryMb: number }): Promise<number>
  noOp(limits?: { readonly memoryMb: number }): Promise<number>
  /** From now on calls of `gate` wait. */
  closeGate(): { reached(count: number): Promise<void>; open(): void }
}

async function startBench(options: EngineOptions = {}): Promise<Bench> {
  const bodyTimes: number[] = []
  const work = defineTool({
    name: 'work',
    description: `Takes ${WORK_MS} ms.`,
    parameters: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    isConcurrencySafe: () => true,
    execute: async () => {
      await rest(WORK_MS)
      return null
    },
  })
  let opened = Promise.resolve()
  let onWaiting = () => {}
  const gate = defineTool({
    name: 'gate',
    description: 'Waits until it is let go.',
    parameters: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    isConcurrencySafe: () => true,
    async execute() {
      onWaiting()
      await opened
      return { n: 1 }
    },
  })
  const engine = await createEngine({
    tools: [createEmptyTool(() => bodyTimes.push(performance.now())), createTextTool(), work, gate],
    policies: fivePolicies(),
    typecheck: 'off',
    ...options,
  })
  let texts = 0

  async function run(statements: string, proof: Proof, limits?: { readonly memoryMb: number }): Promise<number> {
    const session = engine.openSession()
    const nonce = ++texts
    const code = `const nonce = ${nonce}\n${statements}\nreturn { nonce, value: ${proof.value} }`
    const startedAt = performance.now()
    const result = await engine.run(code, { session, ...(limits !== undefined && { limits }) })
    const took = performance.now() - startedAt
    prove(result, session, nonce, proof)
    return took
  }

  return {
    bodyTimes,
    run,
    noOp: (limits) => run('', { value: '0', expected: 0, calls: 0 }, limits),
    closeGate() {
      const opening = Promise.withResolvers<void>()
      opened = opening.promise
      return {
        reached: (count) =>
          new Promise((resolve) => {
            let waiting = 0
            onWaiting = () => {
              if (++waiting === count) resolve()
            }
          }),
        open: opening.resolve,
      }
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

/** A fast wrong answer is no answer. */
function prove({ outcome, value }: RunResult, session: SessionLog, nonce: number, { expected, calls }: Proof): void {
  if (outcome.isError) throw new Error(`dispatch: a run failed: ${outcome.error.code}: ${outcome.error.message}`)
  const result = JSON.stringify(value?.result)
  if (result !== JSON.stringify({ nonce, value: expected })) throw new Error(`dispatch: a run returned ${result}`)
  const started = new Set<string>()
  const settled = new Set<string>()
  for (const event of session.events()) {
    if (event.type === 'tool/code-dispatch-start') started.add(event.callId)
    if (event.type === 'tool/code-dispatch' && !event.isError && event.valueDigest !== undefined)
      settled.add(event.callId)
  }
  if (started.size !== calls || settled.size !== calls) {
    throw new Error(`dispatch: ${calls} calls were made; the log has ${started.size} starts and ${settled.size} ends`)
  }
}

async function times(count: number, run: () => Promise<number>): Promise<readonly number[]> {
  const samples: number[] = []
  for (let i = 0; i < count; i++) samples.push(await run())
  return samples
}

async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'codeferry-bench-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
