import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describeMachine } from './_report.ts'
import { loadavg } from 'node:os'
import { soak, type SoakFigures } from './_soak.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    concurrency: { type: 'string', default: '16' },
    /** Seconds between two lines of figures. */
    every: { type: 'string', default: '5' },
    /** Seconds between two sandbox processes that are killed from outside. */
    kill: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const minutes = positive('minutes', values.minutes)
const concurrency = Math.ceil(positive('concurrency', values.concurrency))

// The heap is only told from garbage after a collection.
setFlagsFromString('--expose-gc')
globalThis.gc ??= runInNewContext('gc') as NodeJS.GCFunction

const loadBefore = loadavg()[0] ?? 0
if (!values.json) console.log(`${concurrency} runs at a time for ${minutes} min, one in four hostile\n${headings()}`)
const report = await soak({
  durationMs: minutes * 60_000,
  concurrency,
  everyMs: positive('every', values.every) * 1_000,
  killEveryMs: positive('kill', values.kill) * 1_000,
  onFigures: (figures) => {
    if (!values.json) console.log(line(figures))
  },
})
const last = report.figures.at(-1)
const isBroken = report.complaints.length > 0
const runs = (last?.innocents ?? 0) + (last?.hostiles ?? 0)
if (values.json) {
  console.log(
    JSON.stringify({ machine: describeMachine(loadBefore), minutes, concurrency, ok: !isBroken, ...report }, null, 2),
  )
} else {
  const { lost, wrong, twice, surprises, left } = report.broken
  const { node, cpu, cores, loadAfter } = describeMachine(loadBefore)
  console.log(`
innocent runs lost   ${lost}
wrong results        ${wrong}
calls made twice     ${twice}
hostile surprises    ${surprises}
processes left       ${left}
runs                 ${runs} (${last?.hostiles ?? 0} hostile), ${((runs * 1_000) / (last?.elapsedMs ?? 1)).toFixed(1)} a second
calls                ${last?.calls ?? 0}
killed from outside  ${last?.killed ?? 0}
machine              ${cores} × ${cpu}, Node ${node}, load ${loadBefore.toFixed(1)} before, ${loadAfter} after
${report.complaints.map((text) => `\n${text}`).join('')}
${isBroken ? 'BROKEN' : 'all promises held'}`)
}
process.exitCode = isBroken ? 1 : 0

function headings(): string {
  return '   time  runs/s    good  hostile  lost wrong twice   host  heap children (n)   lag p50/p99/max ms'
}

function line(f: SoakFigures): string {
  const time = `${Math.floor(f.elapsedMs / 60_000)}:${String(Math.floor(f.elapsedMs / 1_000) % 60).padStart(2, '0')}`
  const cell = (value: number | string, width: number) =>
    String(typeof value === 'number' ? Math.round(value) : value).padStart(width)
  const { lost, wrong, twice } = f.broken
  const { p50, p99, max } = f.lagMs
  return [
    cell(time, 7),
    cell(f.runsPerSecond, 7),
    cell(f.innocents, 7),
    cell(f.hostiles, 8),
    cell(lost, 5),
    cell(wrong, 5),
    cell(twice, 5),
    cell(f.hostMb, 6),
    cell(f.heapMb, 5),
    cell(f.childrenMb ?? '–', 8),
    cell(`(${f.children})`, 3),
    cell(`${p50.toFixed(0)}/${p99.toFixed(0)}/${max.toFixed(0)}`, 20),
  ].join(' ')
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  console.error(`--${name} must be a number above 0; got ${JSON.stringify(text)}`)
  process.exit(2)
}
