import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { toSvg } from '../_chart.ts'
import { pssTreeMb } from '../_processes.ts'
import { describeMachine, formatNumber, toJson, type Machine } from '../_report.ts'
import { toRows, type Table, type Unit } from '../_runner.ts'

interface Contestant {
  readonly name: string
  readonly file: string
  readonly options?: Readonly<Record<string, unknown>>
  /** What stands between a program and the host. */
  readonly wall: string
}

/** The first one is ours: ratios are against it. */
const CONTESTANTS: readonly Contestant[] = [
  { name: 'codeferry', file: 'codeferry.mjs', wall: 'isolate in a confined process' },
  {
    name: 'codeferry, type-checked',
    file: 'codeferry.mjs',
    options: { typecheck: 'error' },
    wall: 'isolate in a confined process',
  },
  {
    name: 'codeferry, in-process',
    file: 'codeferry.mjs',
    options: { isolation: 'in-process' },
    wall: 'isolate in the host process',
  },
  { name: '@utcp/code-mode', file: 'utcp.mjs', wall: 'isolate in the host process' },
  { name: '@tanstack/ai-code-mode', file: 'tanstack.mjs', wall: 'isolate in the host process' },
  { name: 'run', file: 'run.mjs', wall: 'QuickJS in a worker thread' },
  { name: 'quickjs-emscripten', file: 'quickjs.mjs', wall: 'QuickJS on the host’s thread' },
  { name: 'node:vm (unsafe)', file: 'node-vm.mjs', wall: 'none' },
]

interface Work {
  readonly title: string
  readonly unit: Unit | 'runs/s'
  readonly sample: string
  readonly ask: Readonly<Record<string, unknown>> & { readonly name: string }
  readonly rounds: number
  /** Rounds before that are not counted. */
  readonly warmUp: number
}

const METHOD = [
  'Each contestant is a process of its own, started anew, on the same Node; in each round all of them do the same work one after the other, each round beginning with another one. Rounds before are not counted: eight for calls, one for runs.',
  'Programs are the same but for how a tool is named, and each text is new. Every result is checked. What a run sets up per run (isolate, worker, interpreter) is in the time of the run.',
  'The tools do nothing (`empty`), give a text (`text`), wait 5 ms (`work`), or wait until they are let go (`gate`).',
  'Memory is the proportional share (Pss) of the contestant’s process and all below it, less what it held before the runs began.',
]

const FAIRNESS = [
  'Codeferry does more for a call than the others: five policies are mounted, arguments are parsed strictly, checked and copied, the call goes through its pipeline, and both its ends are events of a session log. The others call the function.',
  'Only the process wall survives a program that hangs a built-in or exhausts memory natively; `codeferry` alone has it. Compare `codeferry, in-process` with those that run in the host.',
  '`@utcp/code-mode`: calls block the program, so parallel calls are made one after the other; its line of output per call is silenced, in its favour.',
  '`@utcp/code-mode` and `@tanstack/ai-isolate-node` ask for isolated-vm 6, which has no build for this Node: they run on the version 7 that Codeferry uses. `@tanstack/ai-isolate-node` asks for a version of `ai-code-mode` that was not published; the latest one is used.',
  '`run`: its caps (256 calls, 32 of them open, few workers) are lifted to fit the work. `@ai-sdk/code-mode` is built on it and is not measured separately.',
  '`quickjs-emscripten` is an interpreter, not a code mode: it is given the least glue. It is slow at computing, which this work hardly does. `node:vm` has no wall at all and stands here as the floor.',
]

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    out: { type: 'string' },
    size: { type: 'string', default: 'full' },
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
})
const isTiny = values.size === 'tiny'
const WORKS: readonly Work[] = [
  {
    title: 'No-op run (`return 1`)',
    unit: 'ms',
    sample: 'a sample is one run; each follows the one before at once',
    ask: { name: 'noop', runs: isTiny ? 2 : 25 },
    rounds: isTiny ? 1 : 6,
    warmUp: 1,
  },
  {
    title: 'One call of a program, sequential',
    unit: 'µs',
    sample: 'a sample is the mean over a run of so many calls, its start included',
    ask: { name: 'sequential', calls: isTiny ? 10 : 1_000 },
    rounds: isTiny ? 1 : 8,
    warmUp: isTiny ? 1 : 8,
  },
  {
    title: '1,000 parallel calls in one run',
    unit: 'ms',
    sample: 'a sample is a whole run',
    ask: { name: 'parallel', calls: isTiny ? 10 : 1_000 },
    rounds: isTiny ? 1 : 8,
    warmUp: isTiny ? 1 : 8,
  },
  ...(['100 B', '10 kB', '1 MB'] as const).map((size, index): Work => {
    const bytes = 100 ** (index + 1)
    const calls = isTiny ? 2 : index === 2 ? 10 : 200
    return {
      title: `One call of a program, sequential, with a result of ${size}`,
      unit: 'µs',
      sample: `a sample is the mean over a run of ${calls} calls, its start included`,
      ask: { name: 'payload', calls, bytes },
      rounds: isTiny ? 1 : 5,
      warmUp: isTiny ? 0 : 2,
    }
  }),
  {
    title: '50 runs at once, each with 10 calls of 5 ms one after the other',
    unit: 'ms',
    sample: 'a sample is the whole burst; the calls alone take 50 ms',
    ask: { name: 'burst', runs: isTiny ? 3 : 50, calls: isTiny ? 2 : 10 },
    rounds: isTiny ? 1 : 5,
    warmUp: 1,
  },
  {
    title: 'No-op runs a second, 4 at once (more is better)',
    unit: 'runs/s',
    sample: 'a sample is two seconds',
    ask: { name: 'throughput', forMs: isTiny ? 50 : 2_000, atOnce: 4 },
    rounds: isTiny ? 1 : 4,
    warmUp: 1,
  },
]

install()
const loadBefore = loadavg()[0] ?? 0
const chosen = CONTESTANTS.filter(({ name }) => values.only === undefined || values.only.includes(name))
const failures: string[] = []
const tables: Table[] = []
for (const work of WORKS) tables.push(await compete(work))
const memory = await measureMemory(isTiny ? 3 : 100)
if (memory !== undefined) tables.push(memory)
const machine = describeMachine(loadBefore)
const report = { benchmark: 'peers', takenAt: new Date().toISOString(), size: values.size, machine, method: METHOD }
const document = { ...report, fairness: FAIRNESS, contestants: chosen, tables, failures }
const folder = values.out ?? (values.write ? join(import.meta.dirname, '../results') : undefined)
const json = toJson(document as unknown as Parameters<typeof toJson>[0])
const markdown = toMarkdown(machine)
if (folder === undefined) console.log(values.json ? json : markdown)
else {
  await mkdir(folder, { recursive: true })
  const [first] = tables
  await writeFile(join(folder, 'peers.json'), json)
  await writeFile(join(folder, 'peers.md'), markdown)
  if (first !== undefined) await writeFile(join(folder, 'peers.svg'), toSvg(first))
  console.log(`written: ${resolve(folder)}/peers.{json,md,svg}`)
}

/** The one place that installs: exact versions, without their scripts. */
function install(): void {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const names = Object.keys(manifest.dependencies)
  if (names.every((name) => existsSync(join(import.meta.dirname, 'node_modules', name)))) return
  execFileSync('npm', ['install'], { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function compete(work: Work): Promise<Table> {
  await using field = await startAll()
  const samplesByName = new Map<string, number[]>()
  for (let round = -work.warmUp; round < work.rounds; round++) {
    for (let turn = 0; turn < field.players.length; turn++) {
      const player = field.players[(turn + round + work.warmUp) % field.players.length]
      if (player === undefined) continue
      const answer = await player.ask(work.ask)
      if ('failure' in answer) note(`${work.title}: ${player.name}: ${answer.failure}`)
      else if (round >= 0) {
        samplesByName.set(player.name, [...(samplesByName.get(player.name) ?? []), ...answer.samples])
      }
    }
  }
  return tableOf(work, samplesByName)
}

async function measureMemory(runs: number): Promise<Table | undefined> {
  if (pssTreeMb(process.pid) === undefined) return undefined
  const samplesByName = new Map<string, number[]>()
  await using field = await startAll()
  for (const player of field.players) {
    await player.ask({ name: 'noop', runs: 3 })
    await sleep(1_000)
    const before = pssTreeMb(player.pid) ?? Number.NaN
    const answer = await player.ask({ name: 'wait', runs })
    const during = pssTreeMb(player.pid) ?? Number.NaN
    if ('failure' in answer) note(`memory: ${player.name}: ${answer.failure}`)
    else if (answer.samples[0] !== runs)
      note(`memory: ${player.name}: only ${answer.samples[0]} of ${runs} runs wait at a time`)
    else samplesByName.set(player.name, [Math.max(0.01, during - before)])
    const released = await player.ask({ name: 'release' })
    if ('failure' in released) note(`memory: ${player.name}: ${released.failure}`)
  }
  const title = `Memory of ${runs} runs that wait for a call`
  return tableOf({ title, unit: 'MB', sample: 'one reading each, beyond the process at rest' }, samplesByName)
}

function tableOf(
  { title, unit, sample }: Pick<Work, 'title' | 'unit' | 'sample'>,
  samplesByName: ReadonlyMap<string, readonly number[]>,
): Table {
  const measured = chosen.flatMap(({ name }) => {
    const samples = samplesByName.get(name)
    return samples === undefined || samples.length === 0 ? [] : [{ name, samples }]
  })
  return { title, unit: unit as Unit, sample, rows: toRows(measured) }
}

interface Player {
  readonly name: string
  readonly pid: number
  ask(work: Record<string, unknown>): Promise<{ readonly samples: readonly number[] } | { readonly failure: string }>
}

async function startAll(): Promise<{ readonly players: readonly Player[] } & AsyncDisposable> {
  const players: Player[] = []
  for (const contestant of chosen) {
    const started = await startOne(contestant)
    if ('failure' in started) note(`${contestant.name} does not start: ${started.failure}`)
    else players.push(started)
  }
  return {
    players,
    async [Symbol.asyncDispose]() {
      for (const { pid, ask } of players) {
        await Promise.race([ask({ name: 'close' }), sleep(5_000)])
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has left by itself.
        }
      }
    },
  }
}

async function startOne({ name, file, options }: Contestant): Promise<Player | { readonly failure: string }> {
  const child = fork(join(import.meta.dirname, 'contestant.mjs'), [file, JSON.stringify(options ?? {})], {
    execArgv: ['--no-node-snapshot', '--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)))
  const ready = await answerOf(child)
  if ('failure' in ready)
    return {
      failure: `${ready.failure}${
        errors === ''
          ? ''
          : `: ${
              errors
                .trim()
                .split('\n')
                .find((line) => /error/i.test(line)) ?? ''
            }`
      }`,
    }
  return {
    name,
    pid: child.pid ?? 0,
    ask(work) {
      if (!child.connected) return Promise.resolve({ failure: 'its process has ended' })
      const answer = answerOf(child)
      child.send(work)
      return answer
    },
  }
}

function answerOf(child: ChildProcess): ReturnType<Player['ask']> {
  return new Promise((done) => {
    const finish = (answer: Awaited<ReturnType<Player['ask']>>) => {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      done(answer)
    }
    const onMessage = (message: unknown) => finish(message as Awaited<ReturnType<Player['ask']>>) // Our own file’s.
    const onExit = (code: number | null, signal: string | null) =>
      finish({ failure: `its process ended (${signal ?? code})` })
    const timer = setTimeout(() => finish({ failure: 'no answer within 90 s' }), 90_000)
    child.on('message', onMessage)
    child.on('exit', onExit)
  })
}

function note(text: string): void {
  if (!failures.includes(text)) failures.push(text)
  console.error(text)
}

function toMarkdown(on: Machine): string {
  const lines = [
    '# peers',
    '',
    `Measured ${report.takenAt.slice(0, 10)} (size: ${values.size}) on ${on.cores} × ${on.cpu}, ${on.memoryGb} GB, ${on.system}, Node ${on.node} (V8 ${on.v8}). Load average ${on.loadBefore} before, ${on.loadAfter} after.`,
    '',
    ...METHOD.map((line) => `- ${line}`),
    '',
    'What stands between a program and the host:',
    '',
    ...chosen.map(({ name, wall }) => `- ${name}: ${wall}`),
    '',
    '![peers: no-op run, p50 with the range from min to p99](peers.svg)',
  ]
  for (const { title, unit, sample, rows } of tables) {
    const cells = rows.map(({ name, min, p50, p99, ratio, samples }) => [
      name,
      ...[min, p50, p99].map(formatNumber),
      `${ratio.toFixed(2)} ×`,
      String(samples),
    ])
    lines.push(
      '',
      `## ${title}`,
      '',
      `In ${unit}; ${sample}.`,
      '',
      ...align([['', 'min', 'p50', 'p99', 'ratio', 'samples'], ...cells]),
    )
  }
  lines.push('', '## Fairness', '', ...FAIRNESS.map((line) => `- ${line}`))
  if (failures.length > 0) lines.push('', '## What did not work', '', ...failures.map((line) => `- ${line}`))
  return `${lines.join('\n')}\n`
}

function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = rows
  return [line(head), `| ${rule.join(' | ')} |`, ...body.map(line)]
}
