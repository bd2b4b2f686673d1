import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Two one-way pipes, host ends non-blocking, child ends blocking. */
export interface Channel {
  readonly hostOut: number
  readonly hostIn: number
  readonly childIn: number
  readonly childOut: number
  /** The child has its own copies after the spawn; the host must not keep these, or it would never see the end. */
  closeChildEnds(): void
}

/**
 * Opens two FIFOs in a private directory and unlinks them at once, so that nobody else can open them. One-way pipes
 * are a third faster here than a socket pair, and each end is a file description of its own: making the host's end
 * non-blocking leaves the child's blocking.
 */
export function openFifoChannel(mkfifo: string, directory: string, name: string): Channel {
  const toChild = join(directory, `${name}.in`)
  const toHost = join(directory, `${name}.out`)
  execFileSync(mkfifo, ['-m', '600', toChild, toHost], { stdio: 'ignore' })
  const opened: number[] = []
  const open = (path: string, flags: number) => {
    const fd = openSync(path, flags)
    opened.push(fd)
    return fd
  }
  try {
    // Opening one end blocks until the other exists; a read-write opening never does and stands in for it.
    const standIn = open(toChild, constants.O_RDWR | constants.O_NONBLOCK)
    const childIn = open(toChild, constants.O_RDONLY)
    const hostOut = open(toChild, constants.O_WRONLY | constants.O_NONBLOCK)
    const hostIn = open(toHost, constants.O_RDONLY | constants.O_NONBLOCK)
    const childOut = open(toHost, constants.O_WRONLY)
    closeSync(standIn)
    return {
      hostOut,
      hostIn,
      childIn,
      childOut,
      closeChildEnds() {
        closeSync(childIn)
        closeSync(childOut)
      },
    }
  } catch (thrown) {
    for (const fd of opened) closeSync(fd)
    throw thrown
  } finally {
    rmSync(toChild, { force: true })
    rmSync(toHost, { force: true })
  }
}
