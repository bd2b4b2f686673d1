import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FRAME_HEADER_BYTES } from '../../sandbox/wire.ts'
import { encodeFrame, FrameDecoder } from '../../src/executor/frames.ts'

interface Seen {
  readonly frames: { type: number; run: number; body: string }[]
  readonly violations: string[]
  readonly decoder: FrameDecoder
}

function decoderWith(maxBodyBytes: (type: number, run: number) => number = () => 1 << 20): Seen {
  const frames: Seen['frames'] = []
  const violations: string[] = []
  const decoder = new FrameDecoder({
    maxBodyBytes,
    onFrame: (type, run, body) => frames.push({ type, run, body: body.toString() }),
    onViolation: (message) => violations.push(message),
  })
  return { frames, violations, decoder }
}

const frame = fc.record({
  type: fc.integer({ min: 0, max: 255 }),
  run: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  body: fc.string({ unit: 'grapheme', maxLength: 300 }),
})

describe('frames', () => {
  test('any frames come out as they went in, wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 40 })), (sent, cuts) => {
        const { frames, violations, decoder } = decoderWith()
        let rest = Buffer.concat(sent.map(({ type, run, body }) => encodeFrame(type, run, body)))
        for (let at = 0; rest.length > 0; at++) {
          const size = cuts.length === 0 ? rest.length : (cuts[at % cuts.length] ?? 1)
          // A copy that is overwritten afterwards: the decoder may keep no window on a chunk.
          const chunk = Buffer.from(rest.subarray(0, size))
          decoder.push(chunk)
          chunk.fill(0xff)
          rest = rest.subarray(size)
        }
        expect(frames).toEqual(sent)
        expect(violations).toEqual([])
        expect(decoder.isMidFrame).toBe(false)
      }),
    )
  })

  test('a frame is allowed at its limit and refused one byte over it, by its header alone', () => {
    const exact = decoderWith(() => 4)
    exact.decoder.push(encodeFrame(1, 7, 'four'))
    expect(exact.frames).toEqual([{ type: 1, run: 7, body: 'four' }])

    const over = decoderWith(() => 4)
    over.decoder.push(encodeFrame(1, 7, 'fives').subarray(0, FRAME_HEADER_BYTES))
    expect(over.violations).toEqual(['frame of type 1 for run 7: 5 bytes announced, at most 4 allowed'])
  })

  test('nothing is taken from a stream after a violation', () => {
    const { frames, violations, decoder } = decoderWith((type) => (type === 9 ? -1 : 100))
    decoder.push(Buffer.concat([encodeFrame(1, 1, 'a'), encodeFrame(9, 1, ''), encodeFrame(1, 1, 'b')]))
    decoder.push(encodeFrame(1, 1, 'c'))
    expect(frames.map(({ body }) => body)).toEqual(['a'])
    expect(violations).toEqual(['frame of type 9 for run 1: nothing of that kind is awaited'])
  })

  test('the longest length a header can hold is refused without a buffer of that size', () => {
    const { violations, decoder } = decoderWith()
    const header = Buffer.alloc(FRAME_HEADER_BYTES, 0xff)
    const before = process.memoryUsage().arrayBuffers
    decoder.push(header)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
    expect(violations).toHaveLength(1)
  })
})
