import { formatNumber } from './_report.ts'
import type { Table } from './_runner.ts'

const ROW = 26
const TOP = 52
const NAMES = 270
const PLOT = 440
const RIGHT = 90

/**
 * One table as a picture: a line from min to p99, a dot at p50, a tick at the target. The axis is logarithmic, as a
 * p99 may be fifty times a p50.
 */
export function toSvg(table: Table): string {
  const values = table.rows.flatMap(({ min, p50, p99, target }) => [min, p50, p99, target?.p50 ?? p50])
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const x = (value: number) => round(NAMES + ((Math.log10(value) - low) / (high - low)) * PLOT)
  const bottom = TOP + table.rows.length * ROW
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${NAMES + PLOT + RIGHT}" height="${bottom + 34}" font-family="sans-serif" font-size="12" fill="#808890">`,
    `<text x="8" y="20" font-size="14">${escape(table.title)} (${escape(table.unit)}, logarithmic)</text>`,
    '<text x="8" y="38">line: min to p99 · dot: p50 · bar: target p50</text>',
  ]
  for (let power = low; power <= high; power++) {
    const at = x(10 ** power)
    parts.push(
      `<line x1="${at}" y1="${TOP - 4}" x2="${at}" y2="${bottom}" stroke="#808890" stroke-opacity="0.3"/>`,
      `<text x="${at}" y="${bottom + 18}" text-anchor="middle">${formatNumber(10 ** power)}</text>`,
    )
  }
  for (const [index, { name, min, p50, p99, target }] of table.rows.entries()) {
    const y = TOP + index * ROW + ROW / 2
    parts.push(
      `<text x="${NAMES - 10}" y="${y + 4}" text-anchor="end">${escape(name)}</text>`,
      `<line x1="${x(min)}" y1="${y}" x2="${x(p99)}" y2="${y}" stroke="#3b82c4" stroke-width="2"/>`,
      `<circle cx="${x(p50)}" cy="${y}" r="4.5" fill="#3b82c4"/>`,
      `<text x="${NAMES + PLOT + 14}" y="${y + 4}">${formatNumber(p50)}</text>`,
    )
    if (target?.p50 !== undefined) {
      const at = x(target.p50)
      parts.push(`<line x1="${at}" y1="${y - 9}" x2="${at}" y2="${y + 9}" stroke="#d97706" stroke-width="2.5"/>`)
    }
  }
  return `${[...parts, '</svg>'].join('\n')}\n`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
