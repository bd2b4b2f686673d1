import { FRAME_HEADER_BYTES } from '../../sandbox/wire.ts'

/** Makes one frame: header and body in one buffer. */
export function encodeFrame(type: number, run: number, body: string): Buffer {
  const bodyBytes = Buffer.byteLength(body)
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + bodyBytes)
  frame.writeUInt32LE(bodyBytes, 0)
  frame.writeUInt8(type, 4)
  frame.writeUInt32LE(run, 5)
  frame.write(body, FRAME_HEADER_BYTES)
  return frame
}

export interface FrameDecoderOptions {
  /**
   * Largest body this frame may announce, asked before anything is allocated for it: a forged length must not make the
   * host reserve memory. A negative answer refuses the frame whatever its length.
   */
  readonly maxBodyBytes: (type: number, run: number) => number
  /** The body is only valid during the call: it may be a window on a buffer that is filled again. */
  readonly onFrame: (type: number, run: number, body: Buffer) => void
  readonly onViolation: (message: string) => void
}

/**
 * Cuts a byte stream into frames. A frame that is complete in a chunk is handed on in place; one that is not gets a
 * single buffer of its announced size, filled as the bytes arrive. After a violation everything further is ignored.
 */
export class FrameDecoder {
  readonly #options: FrameDecoderOptions
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES)
  #headerFilled = 0
  #body: Buffer | undefined
  #bodyFilled = 0
  #isBroken = false

  constructor(options: FrameDecoderOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.#isBroken) {
      if (this.#body !== undefined) {
        at += this.#fillBody(this.#body, chunk, at)
        continue
      }
      // Headers are gathered in their own nine bytes, as one may be split anywhere.
      const taken = chunk.copy(this.#header, this.#headerFilled, at, at + FRAME_HEADER_BYTES - this.#headerFilled)
      at += taken
      this.#headerFilled += taken
      if (this.#headerFilled < FRAME_HEADER_BYTES) return
      this.#headerFilled = 0
      at += this.#openBody(chunk, at)
    }
  }

  /** Whether the stream stops in the middle of a frame. */
  get isMidFrame(): boolean {
    return this.#body !== undefined || this.#headerFilled > 0
  }

  #openBody(chunk: Buffer, at: number): number {
    const bodyBytes = this.#header.readUInt32LE(0)
    const type = this.#header.readUInt8(4)
    const run = this.#header.readUInt32LE(5)
    const allowed = this.#options.maxBodyBytes(type, run)
    if (bodyBytes > allowed) {
      this.#isBroken = true
      this.#options.onViolation(
        allowed < 0
          ? `frame of type ${type} for run ${run}: nothing of that kind is awaited`
          : `frame of type ${type} for run ${run}: ${bodyBytes} bytes announced, at most ${allowed} allowed`,
      )
      return 0
    }
    if (chunk.length - at >= bodyBytes) {
      this.#options.onFrame(type, run, chunk.subarray(at, at + bodyBytes))
      return bodyBytes
    }
    this.#body = Buffer.allocUnsafe(bodyBytes)
    this.#bodyFilled = 0
    return 0
  }

  #fillBody(body: Buffer, chunk: Buffer, at: number): number {
    const taken = chunk.copy(body, this.#bodyFilled, at, at + body.length - this.#bodyFilled)
    this.#bodyFilled += taken
    if (this.#bodyFilled === body.length) {
      this.#body = undefined
      this.#options.onFrame(this.#header.readUInt8(4), this.#header.readUInt32LE(5), body)
    }
    return taken
  }
}
