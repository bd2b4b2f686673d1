import { readFileSync, readdirSync } from 'node:fs'

/**
 * Memory of all processes that this one has started, in MB: the proportional share (Pss), in which a page that several
 * processes map is counted once. Undefined where there is no /proc, or where it does not show this.
 */
export function descendantsMb(): number | undefined {
  try {
    const kilobytes = descendants(process.pid).map((pid) => {
      const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
      return Number(found?.[1])
    })
    return kilobytes.reduce((sum, kb) => sum + kb, 0) / 1_024
  } catch {
    return undefined
  }
}

function descendants(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...descendants(child)])
}
