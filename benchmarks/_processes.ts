import { readFileSync, readdirSync } from 'node:fs'

/**
 * Memory of all processes that this one has started, in MB: the proportional share (Pss), in which a page that several
 * processes map is counted once. Undefined where there is no /proc, or where it does not show this.
 */
export function descendantsMb(): number | undefined {
  try {
    return descendants(process.pid).reduce((sum, pid) => sum + pssKb(pid), 0) / 1_024
  } catch {
    return undefined
  }
}

/** The same for a process and all below it. */
export function pssTreeMb(pid: number): number | undefined {
  try {
    return [pid, ...descendants(pid)].reduce((sum, each) => sum + pssKb(each), 0) / 1_024
  } catch {
    return undefined
  }
}

function pssKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
  } catch (thrown) {
    // It has ended since it was listed.
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ESRCH')) return 0
    throw thrown
  }
}

function descendants(pid: number): readonly number[] {
  let children: readonly number[]
  try {
    children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch (thrown) {
    // One below may end while it is looked at; without /proc there is not even this process.
    if (pid === process.pid) throw thrown
    return []
  }
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** Sandbox processes that this one has started and that live, in no order. Empty where there is no /proc. */
export function sandboxPids(): readonly number[] {
  try {
    return descendants(process.pid).filter(isSandbox)
  } catch {
    return []
  }
}

/** Memory (Pss, as above) of the sandbox processes alone, in MB; undefined where it cannot be read. */
export function sandboxesMb(): number | undefined {
  const pids = sandboxPids()
  try {
    return pids.length === 0 ? undefined : pids.reduce((sum, pid) => sum + pssKb(pid), 0) / 1_024
  } catch {
    return undefined
  }
}

/** All processes below one, in no order. Empty where there is no /proc. */
export function descendantsOf(pid: number): readonly number[] {
  return descendants(pid)
}

/** Resident memory of a process, in MB; undefined where it cannot be read. */
export function rssMb(pid: number): number | undefined {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return undefined
  }
}

/** Whether it is a sandbox process that lives. */
export function isSandbox(pid: number): boolean {
  return livesAs(pid, (command) => command.includes('child.cjs'))
}

/** Whether it is an upstream server of `load` that lives, under this name. */
export function isServer(pid: number, name: string): boolean {
  return livesAs(pid, (command) => command.includes(`_load-server.ts\0${name}\0`))
}

function livesAs(pid: number, isMeant: (command: string) => boolean): boolean {
  try {
    const isDead = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return !isDead && isMeant(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}
