import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { CodedError } from '../../data/failure.ts'

/** Codings inside each other; nobody means more than one. */
const MAX_CODINGS = 2
export const ACCEPTED_CODINGS = 'gzip, deflate, br'

/**
 * A body whole and decompressed. What arrives and what comes out of it are both counted while they stream: a peer can
 * send for ever, and a few kilobytes of gzip can hold gigabytes.
 */
export async function readBody(
  source: Readable,
  headers: ReadonlyMap<string, string>,
  maxBytes: number,
): Promise<Uint8Array> {
  const announced = Number(headers.get('content-length') ?? 0)
  const steps: Transform[] = []
  try {
    if (announced > maxBytes) throw tooLarge(maxBytes)
    steps.push(...decoders(headers.get('content-encoding') ?? ''))
    return await collect(connect(source, steps, maxBytes), maxBytes)
  } finally {
    // Destroying what is not at its end gives up the connection; an error event of it afterwards is nobody's.
    for (const stream of [source, ...steps]) stream.on('error', () => {}).destroy()
  }
}

function decoders(coding: string): Transform[] {
  const names = coding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MAX_CODINGS) throw unreadable(`it is compressed ${names.length} times over`)
  return names.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip()
    if (name === 'deflate') return createInflate()
    if (name === 'br') return createBrotliDecompress()
    throw unreadable(`it is compressed with ${JSON.stringify(name.slice(0, 40))}, which was not asked for`)
  })
}

function connect(source: Readable, steps: readonly Transform[], maxBytes: number): Readable {
  let received = 0
  let end: Readable = source
  if (steps.length > 0) {
    source.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > maxBytes) source.destroy(tooLarge(maxBytes))
    })
  }
  for (const step of steps) {
    const from = end
    from.on('error', (error) => step.destroy(error))
    end = from.pipe(step)
  }
  return end
}

async function collect(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (thrown) {
    if (isZlibError(thrown)) throw unreadable('its compression is damaged')
    throw thrown
  }
  return Buffer.concat(chunks, length)
}

function isZlibError(thrown: unknown): boolean {
  const { code } = thrown as { code?: unknown } // Whatever was thrown, reading a property of an error is fine.
  return (
    typeof code === 'string' &&
    (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR'))
  )
}

function tooLarge(maxBytes: number): CodedError {
  return new CodedError(
    'VALUE_TOO_LARGE',
    `the answer has more than ${maxBytes} bytes, which is the most that is read; ask for less (a page, fewer fields)`,
  )
}

function unreadable(why: string): CodedError {
  return new CodedError('TOOL_FAILED', `the answer cannot be read: ${why}`)
}
