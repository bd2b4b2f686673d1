import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { load, type Latency, type LoadReport, type LoadSample } from './_load.ts'
import { describeMachine, type Machine } from './_report.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    /** Clients; each has one run at a time. */
    concurrency: { type: 'string', default: '200' },
    /** Runs begun in a second. Without it: as many as the clients get through. */
    rps: { type: 'string' },
    json: { type: 'boolean', default: false },
    /** Keeps the figures in results/. */
    write: { type: 'boolean', default: false },
  },
})
const seconds = positive('seconds', values.seconds)
const concurrency = Math.ceil(positive('concurrency', values.concurrency))
const rps = values.rps === undefined ? undefined : positive('rps', values.rps)

const loadBefore = loadavg()[0] ?? 0
const asked = rps === undefined ? 'as many runs as they get through' : `${rps} runs a second`
console.error(`${concurrency} clients for ${seconds} s, ${asked}`)
const report = await load({
  durationMs: seconds * 1_000,
  concurrency,
  rps,
  onSample: (sample) => console.error(line(sample)),
})
const isBroken = report.complaints.length > 0
const machine = describeMachine(loadBefore)
const document = { machine, seconds, concurrency, rps, ok: !isBroken, ...report }
if (values.json) console.log(JSON.stringify(document, null, 2))
else console.log(tableOf(report, machine))
if (values.write && !isBroken) {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'load.json'), `${JSON.stringify(document, null, 2)}\n`)
  writeFileSync(join(folder, 'load.md'), markdownOf(report, machine))
}
process.exitCode = isBroken ? 1 : 0

function line({ elapsedMs, runs, refusals, rssMb, heapMb, kept, sandboxes }: LoadSample): string {
  const heap = heapMb === undefined ? '' : `, live heap ${heapMb.toFixed(0)} MB`
  return `${(elapsedMs / 1_000).toFixed(0).padStart(4)} s  ${runs} runs, ${refusals} told to wait, ${kept} kept, ${sandboxes} sandboxes, ${rssMb?.toFixed(0) ?? '–'} MB resident${heap}`
}

function rowsOf({ latencyMs, ...report }: LoadReport): readonly (readonly [string, string])[] {
  const latency = ({ runs, p50, p99, max }: Latency) =>
    `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms (${runs})`
  return [
    ['runs', `${report.runs}, ${report.runsPerSecond.toFixed(1)} a second`],
    ['a run of the tenant with three quarters of the clients', latency(latencyMs.north)],
    ['… of the other tenant', latency(latencyMs.south)],
    ['… that was told to come later, with the wait', latency(latencyMs.told)],
    ['… of the first sixth of the time, when all come at once', latency(latencyMs.cold)],
    ['answers 429 and 503, with Retry-After', `${report.refusals}`],
    ['events followed, over streams that were left and come back to', `${report.events}`],
    ['runs found again by their key', `${report.returns}`],
    ['sandbox processes killed, and most seen at a time', `${report.killedSandboxes}, ${report.maxSandboxes}`],
    ['upstream servers killed, and runs they took along', `${report.killedUpstreams}, ${report.excused}`],
    ['memory of the service', report.memory ?? 'not judged: too few runs'],
    ['delay of the event loop of the clients, p99', `${report.clientLagMs.toFixed(0)} ms`],
    [
      'broken',
      Object.entries(report.broken)
        .map(([what, count]) => `${what} ${count}`)
        .join(', '),
    ],
  ]
}

function machineLine({ cores, cpu, node, loadBefore: before, loadAfter }: Machine): string {
  return `${cores} × ${cpu}, Node ${node}, load ${before} before, ${loadAfter} after`
}

function tableOf(given: LoadReport, on: Machine): string {
  const rows = rowsOf(given).map(([what, figures]) => `${what.padEnd(62)} ${figures}`)
  return [
    ...rows,
    machineLine(on),
    ...given.complaints,
    given.complaints.length > 0 ? 'BROKEN' : 'all promises held',
  ].join('\n')
}

function markdownOf(given: LoadReport, on: Machine): string {
  const rows = [['what', 'figures'] as const, ...rowsOf(given)]
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = ([what, figures]: readonly string[]) =>
    `| ${what?.padEnd(first ?? 0) ?? ''} | ${figures?.padEnd(second ?? 0) ?? ''} |`
  const [head, ...rest] = rows.map(line)
  return `# Load

${concurrency} clients of two tenants for ${seconds} s against one \`codeferry serve\` with a SQLite store and two MCP servers over stdio; clients, service, sandboxes and servers share the machine. ${machineLine(on)}.

${head}
| ${'-'.repeat(first ?? 0)} | ${'-'.repeat(second ?? 0)} |
${rest.join('\n')}
`
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  console.error(`--${name} must be a number above 0; got ${JSON.stringify(text)}`)
  process.exit(2)
}
