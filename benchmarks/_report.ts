import { cpus, loadavg, release, totalmem } from 'node:os'
import type { Row, Size, Table, Target } from './_runner.ts'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
  readonly v8: string
  /** One-minute load average; above the number of cores other work slowed the figures down. */
  readonly loadBefore: number
  readonly loadAfter: number
}

export interface Report {
  readonly benchmark: string
  readonly takenAt: string
  /** Results of `tiny` say that the benchmark runs, and nothing else. */
  readonly size: Size
  readonly machine: Machine
  readonly method: readonly string[]
  readonly tables: readonly Table[]
}

export function describeMachine(loadBefore: number): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    loadBefore: round(loadBefore),
    loadAfter: round(loadavg()[0] ?? 0),
  }
}

export function toMarkdown(report: Report): string {
  const { benchmark, machine } = report
  const lines = [
    `# ${benchmark}`,
    '',
    `Measured ${report.takenAt.slice(0, 10)} (size: ${report.size}) on ${machine.cores} × ${machine.cpu}, ${machine.memoryGb} GB, ` +
      `${machine.system}, Node ${machine.node} (V8 ${machine.v8}). Load average ${machine.loadBefore} before, ${machine.loadAfter} after.`,
    '',
    ...report.method.map((line) => `- ${line}`),
    '',
    `![${benchmark}: first table, p50 with the range from min to p99](${benchmark}.svg)`,
  ]
  for (const table of report.tables) {
    lines.push('', `## ${table.title}`, '', `In ${table.unit}; ${table.sample}.`, '')
    lines.push(...alignTable([HEADINGS, ...table.rows.map(cellsOf)]))
  }
  return `${lines.join('\n')}\n`
}

const HEADINGS = ['', 'min', 'p50', 'p99', 'ratio', 'target p50 / p99', 'samples']

function cellsOf(row: Row): string[] {
  const { name, min, p50, p99, ratio, target, samples } = row
  return [
    name,
    ...[min, p50, p99].map(formatNumber),
    Number.isFinite(ratio) ? `${ratio.toFixed(2)} ×` : '–',
    formatTarget(target),
    String(samples),
  ]
}

function formatTarget(target: Target | undefined): string {
  if (target === undefined) return ''
  return [target.p50, target.p99].map((value) => (value === undefined ? '–' : String(value))).join(' / ')
}

/** Padded as the formatter of this tree pads tables, so that a written result stays as it is. */
function alignTable(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = rows
  return [line(head), `| ${rule.join(' | ')} |`, ...body.map(line)]
}

/** Three significant digits, which is more than such a measurement is worth. */
export function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value)
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(digits, 3))
}

export function toJson(report: Report): string {
  return `${JSON.stringify(report, (_key, value: unknown) => (typeof value === 'number' ? round(value) : value), 2)}\n`
}

function round(value: number): number {
  return Number(value.toPrecision(5))
}
