import { execFileSync } from 'node:child_process'

/** Living sandbox processes under this one, as the kernel lists them: our own report is not asked. */
export function sandboxPids(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row))
    .flatMap((match) =>
      match === null || match[3]?.startsWith('Z')
        ? []
        : [{ pid: Number(match[1]), parent: Number(match[2]), args: match[4] ?? '' }],
    )
  const below = new Set([process.pid])
  // Rows come in any order: repeat until nothing is added.
  for (let size = 0; size !== below.size;) {
    size = below.size
    for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid)
  }
  return rows
    .filter(({ pid, args }) => pid !== process.pid && below.has(pid) && /child\.cjs/.test(args))
    .map(({ pid }) => pid)
}
