import { FRAME_HEADER_BYTES } from '../wire.ts'

export interface Frame {
  readonly type: number
  readonly run: number
  readonly body: string
}

/** Where bytes come from and go to. Blocking; `read` gives 0 when the host has closed its end. */
export interface Port {
  read(buffer: Buffer, offset: number, length: number): number
  write(buffer: Buffer): void
}

export interface FrameReader {
  /** The next frame, or undefined at the end. Throws on a frame over the limit. */
  next(): Frame | undefined
}

const CHUNK_BYTES = 64 * 1024

/** Reads frames one by one. A frame that does not fit the chunk gets one buffer of its announced size, filled in place. */
export function createFrameReader(port: Port, maxFrameBytes: number): FrameReader {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let start = 0
  let end = 0

  /** Makes at least `wanted` (small) bytes available in the chunk; false at the end of the pipe. */
  const fill = (wanted: number): boolean => {
    if (end - start >= wanted) return true
    if (start + wanted > CHUNK_BYTES) {
      chunk.copyWithin(0, start, end)
      end -= start
      start = 0
    }
    while (end - start < wanted) {
      const read = port.read(chunk, end, CHUNK_BYTES - end)
      if (read === 0) return false
      end += read
    }
    return true
  }

  return {
    next() {
      if (start === end) start = end = 0
      if (!fill(FRAME_HEADER_BYTES)) return undefined
      const length = chunk.readUInt32LE(start)
      const type = chunk.readUInt8(start + 4)
      const run = chunk.readUInt32LE(start + 5)
      if (length > maxFrameBytes)
        throw new RangeError(`a frame of ${length} bytes is over the limit of ${maxFrameBytes}`)
      start += FRAME_HEADER_BYTES
      if (length <= CHUNK_BYTES - FRAME_HEADER_BYTES) {
        if (!fill(length)) return undefined
        const body = chunk.toString('utf8', start, start + length)
        start += length
        return { type, run, body }
      }
      const whole = Buffer.allocUnsafe(length)
      let filled = chunk.copy(whole, 0, start, end)
      start = end = 0
      while (filled < length) {
        const read = port.read(whole, filled, length - filled)
        if (read === 0) return undefined
        filled += read
      }
      return { type, run, body: whole.toString('utf8') }
    },
  }
}

/** Writes frames; header and body leave in one write. */
export function createFrameWriter(port: Port): (type: number, run: number, body: string) => void {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  return (type, run, body) => {
    // Three bytes are the most that one UTF-16 unit takes.
    const most = FRAME_HEADER_BYTES + body.length * 3
    const target = most <= CHUNK_BYTES ? buffer : Buffer.allocUnsafe(FRAME_HEADER_BYTES + Buffer.byteLength(body))
    const length = target.write(body, FRAME_HEADER_BYTES)
    target.writeUInt32LE(length, 0)
    target.writeUInt8(type, 4)
    target.writeUInt32LE(run, 5)
    port.write(target.subarray(0, FRAME_HEADER_BYTES + length))
  }
}
