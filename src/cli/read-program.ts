import { readConfigFile } from '../importers/config-file.ts'
import { CodedError } from '../data/failure.ts'
import type { Io } from './io.ts'

/** More than any limit on programs allows; whoever raises `maxProgramBytes` hits this last. */
const MAX_BYTES = 16 * 1024 * 1024

/** Program text from a file, or from stdin for `-`. */
export async function readProgram(path: string, io: Io): Promise<string> {
  if (path !== '-') return readConfigFile(path, MAX_BYTES)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk as Buffer | string)
    length += bytes.length
    if (length > MAX_BYTES)
      throw new CodedError('CONFIG_INVALID', `the program on stdin is larger than ${MAX_BYTES} bytes`)
    chunks.push(bytes)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  if (text.trim() === '') throw new CodedError('CONFIG_INVALID', 'there is no program on stdin')
  return text
}
