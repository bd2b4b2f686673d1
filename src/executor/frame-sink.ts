import { closeSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { hasCode } from '../data/failure.ts'

/**
 * Writes frames to a non-blocking descriptor, which it owns from then on. What is put in during one turn of the event
 * loop goes out in one write; when the pipe is full the rest goes through a stream until it has drained.
 */
export class FrameSink {
  readonly #fd: number | undefined
  readonly #onBroken: (thrown: unknown) => void
  #waiting: Buffer[] = []
  #isScheduled = false
  #stream: Socket | undefined
  #isDraining = false
  #isClosed = false

  constructor(end: { readonly fd: number } | { readonly stream: Socket }, onBroken: (thrown: unknown) => void) {
    if ('fd' in end) this.#fd = end.fd
    else this.#stream = this.#watch(end.stream)
    this.#onBroken = onBroken
  }

  put(frame: Buffer): void {
    if (this.#isClosed) return
    this.#waiting.push(frame)
    if (this.#isScheduled || this.#isDraining) return
    this.#isScheduled = true
    // After the current microtasks: the replies that one frame brought about share one write.
    process.nextTick(() => this.#flush())
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting = []
    // A stream owns its descriptor: closing it beside the stream could shut a stranger's that got the same number.
    if (this.#stream !== undefined) this.#stream.destroy()
    else if (this.#fd !== undefined) closeSync(this.#fd)
  }

  #flush(): void {
    this.#isScheduled = false
    if (this.#isClosed || this.#isDraining || this.#waiting.length === 0) return
    const frames = this.#waiting
    this.#waiting = []
    const bytes = frames.length === 1 && frames[0] !== undefined ? frames[0] : joinFrames(frames)
    const written = this.#fd === undefined ? 0 : this.#tryWrite(this.#fd, bytes)
    if (written === bytes.length || this.#isClosed) return
    this.#isDraining = true
    this.#openStream().write(bytes.subarray(written), (error) => {
      this.#isDraining = false
      if (error) this.#break(error)
      else this.#flush()
    })
  }

  #tryWrite(fd: number, bytes: Buffer): number {
    try {
      return writeSync(fd, bytes)
    } catch (thrown) {
      if (!hasCode(thrown, 'EAGAIN')) this.#break(thrown)
      return 0
    }
  }

  #break(thrown: unknown): void {
    if (this.#isClosed) return
    this.close()
    this.#onBroken(thrown)
  }

  #openStream(): Socket {
    this.#stream ??= this.#watch(
      new Socket({ ...(this.#fd !== undefined && { fd: this.#fd }), readable: false, writable: true }),
    )
    return this.#stream
  }

  #watch(stream: Socket): Socket {
    return stream.on('error', (error) => this.#break(error))
  }
}

/** One write for a whole flush. The total is known, so each frame is copied once. */
function joinFrames(frames: readonly Buffer[]): Buffer {
  let total = 0
  for (const frame of frames) total += frame.length
  const all = Buffer.allocUnsafe(total)
  let at = 0
  for (const frame of frames) at += frame.copy(all, at)
  return all
}
