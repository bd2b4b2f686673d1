import { execFileSync } from 'node:child_process'
import { closeSync, constants, linkSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FRAME_HEADER_BYTES } from '../../sandbox/wire.ts'
import { ChildLink, type ChildLinkOptions } from '../../src/executor/child-link.ts'

export interface RawFrame {
  readonly type: number
  readonly run: number
  readonly body: Buffer
}

/** A real child process that does nothing, whose ends of the pipes are held by the test: it speaks what the test wants. */
export interface Tap {
  readonly link: ChildLink
  /** Bytes to the host. False: the pipe is full or gone. */
  say(bytes: Buffer): boolean
  /** Whole frames that the host has sent since the last look. */
  heard(): RawFrame[]
  close(): void
}

export interface Taps {
  open(events: Pick<ChildLinkOptions, 'onReady' | 'onChange' | 'onExit'>): Tap
  remove(): void
}

const BATCH = 200

/**
 * FIFOs are made ahead and linked under a second name before the link opens and unlinks them: so a hostile child costs
 * two short processes instead of a Node.
 */
export function createTaps(options: { readonly readyMs: number; readonly graceMs: number }): Taps {
  const directory = mkdtempSync(join(tmpdir(), 'tap-'))
  let made = 0
  let used = 0
  const opened = new Set<Tap>()
  const nextName = () => {
    if (used === made) {
      const names = Array.from({ length: BATCH }, () => String(++made))
      execFileSync(
        'mkfifo',
        names.flatMap((name) => [`${name}.in`, `${name}.out`]),
        { cwd: directory },
      )
      for (const name of names) {
        for (const end of ['in', 'out'])
          linkSync(join(directory, `${name}.${end}`), join(directory, `${name}.${end}.tap`))
      }
    }
    return String(++used)
  }

  return {
    open(events) {
      const name = nextName()
      const link = new ChildLink({
        command: { file: '/bin/sleep', args: ['600'], cwd: '/' },
        fifo: { mkfifo: '/bin/true', directory, name },
        ...options,
        ...events,
      })
      const tap = (end: string, flags: number) => {
        const path = join(directory, `${name}.${end}.tap`)
        const fd = openSync(path, flags | constants.O_NONBLOCK)
        rmSync(path)
        return fd
      }
      const input = tap('in', constants.O_RDONLY)
      const output = tap('out', constants.O_WRONLY)
      let isClosed = false
      let pending = Buffer.alloc(0)
      const chunk = Buffer.alloc(64 * 1024)
      const self: Tap = {
        link,
        say(bytes) {
          try {
            return !isClosed && writeSync(output, bytes) === bytes.length
          } catch {
            return false
          }
        },
        heard() {
          for (let read = 1; read > 0 && !isClosed;) {
            try {
              read = readSync(input, chunk)
            } catch {
              read = 0
            }
            pending = Buffer.concat([pending, chunk.subarray(0, read)])
          }
          const frames: RawFrame[] = []
          while (pending.length >= FRAME_HEADER_BYTES) {
            const end = FRAME_HEADER_BYTES + pending.readUInt32LE(0)
            if (pending.length < end) break
            frames.push({
              type: pending.readUInt8(4),
              run: pending.readUInt32LE(5),
              body: Buffer.from(pending.subarray(FRAME_HEADER_BYTES, end)),
            })
            pending = pending.subarray(end)
          }
          return frames
        },
        close() {
          if (isClosed) return
          isClosed = true
          opened.delete(self)
          closeSync(input)
          closeSync(output)
        },
      }
      opened.add(self)
      return self
    },
    remove() {
      for (const tap of opened) tap.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export function rawFrame(type: number, run: number, body: Buffer | string, announced?: number): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + bytes.length)
  frame.writeUInt32LE(Math.min(announced ?? bytes.length, 2 ** 32 - 1), 0)
  frame.writeUInt8(type, 4)
  frame.writeUInt32LE(run, 5)
  bytes.copy(frame, FRAME_HEADER_BYTES)
  return frame
}
