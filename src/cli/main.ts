#!/usr/bin/env node
import { CommanderError } from 'commander'
import { CodedError, thrownMessage } from '../data/failure.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { Interrupted } from './interrupt.ts'
import { paletteFor, safe, writeJson, type Io } from './io.ts'
import { createProgram } from './program.ts'

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
}

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const exitCode = await main(process.argv)
// Written out before the end, as output to a pipe is asynchronous.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit(exitCode)

async function main(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json')
  let code: number = EXIT.ok
  try {
    await createProgram(io, (given) => (code = given)).parseAsync(argv)
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Commander has said what there is to say; help and version are no failures.
      if (thrown.exitCode === 0) return EXIT.ok
      if (json)
        writeJson(io, { ok: false, exitCode: EXIT.usage, error: { code: 'CONFIG_INVALID', message: thrown.message } })
      return EXIT.usage
    }
    if (thrown instanceof Interrupted) {
      if (json)
        writeJson(io, {
          ok: false,
          exitCode: thrown.exitCode,
          error: { code: 'ABORTED', message: 'interrupted before anything ran' },
        })
      else io.stderr.write('interrupted before anything ran\n')
      return thrown.exitCode
    }
    if (thrown instanceof CodedError) {
      const exit = exitCodeOf(thrown.code)
      if (json) writeJson(io, { ok: false, exitCode: exit, error: { code: thrown.code, message: thrown.message } })
      else io.stderr.write(`${paletteFor(io.stderr, io.env).red('error:')} ${safe(thrown.message)}\n`)
      return exit
    }
    io.stderr.write(
      `codeferry has a fault: ${safe(thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrownMessage(thrown))}\n`,
    )
    return EXIT.internal
  }
}
