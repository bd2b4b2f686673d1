import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { CodedError, hasCode } from '../data/failure.ts'
import { printableLine } from './printable.ts'

/** A configuration is written by hand. A larger file is the wrong file, and is not read to its end. */
const MAX_CONFIG_BYTES = 1024 * 1024

/** Text of a configuration file; every way in which that can fail is one `CONFIG_INVALID` with one clear sentence. */
export function readConfigFile(path: string, maxBytes = MAX_CONFIG_BYTES): string {
  const shown = printableLine(path)
  let bytes: Buffer
  try {
    if (statSync(path).isDirectory()) throw invalid(`${shown} is a directory; give the path of a file`)
    bytes = readAtMost(path, maxBytes + 1)
  } catch (thrown) {
    if (hasCode(thrown, 'CONFIG_INVALID')) throw thrown
    if (hasCode(thrown, 'ENOENT')) throw invalid(`${shown} does not exist; check the path`)
    if (hasCode(thrown, 'EACCES')) throw invalid(`${shown} may not be read by this user`)
    throw invalid(`${shown} cannot be read (${hasCode(thrown) ? thrown.code : 'unknown error'})`)
  }
  if (bytes.length > maxBytes)
    throw invalid(`${shown} is larger than ${maxBytes} bytes, which is the most that is read`)
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw invalid(`${shown} is UTF-16 text; save it as UTF-8`)
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(`${shown} is not UTF-8 text`)
  }
  if (text.trim() === '') throw invalid(`${shown} is empty`)
  return text
}

/** For whoever must not tell a path that leads nowhere. */
export function isConfigFileThere(path: string): boolean {
  return existsSync(path)
}

// A size taken from `stat` says nothing about a pipe or a growing file: the bytes that are read are counted instead.
function readAtMost(path: string, limit: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(limit)
    let length = 0
    while (length < limit) {
      const read = readSync(file, buffer, length, limit - length, null)
      if (read === 0) break
      length += read
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

function invalid(message: string): CodedError {
  return new CodedError('CONFIG_INVALID', message)
}
