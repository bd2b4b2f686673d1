import { CommanderError } from 'commander'
import { CodedError, thrownMessage } from '../data/failure.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { Interrupted } from './interrupt.ts'
import { paletteFor, safe, writeJson, type Io } from './io.ts'
import { watchOutput } from './output-watch.ts'
import { createProgram } from './program.ts'

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
}

const output = watchOutput(io)
let exitCode = await main(process.argv)
// Written out before the end, as output to a pipe is asynchronous.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
if (output.fault !== undefined) {
  writeError(`the output could not be written: ${output.fault}`)
  exitCode = EXIT.outputLost
}
process.exit(exitCode)

/** What went wrong first; that closing down then failed as well (mostly of the same) says nothing new. */
function firstFault(thrown: unknown): unknown {
  let fault = thrown
  while (fault instanceof SuppressedError) fault = fault.suppressed
  return fault
}

function writeError(message: string): void {
  io.stderr.write(`${paletteFor(io.stderr, io.env).red('error:')} ${safe(message)}\n`)
}

async function main(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json')
  let code: number = EXIT.ok
  try {
    await createProgram(io, (given) => (code = given), { isQuiet: json }).parseAsync(argv)
    return code
  } catch (caught) {
    const thrown = firstFault(caught)
    if (thrown instanceof CommanderError) {
      // Commander has said what there is to say; help and version are no failures.
      if (thrown.exitCode === 0) return EXIT.ok
      const message = thrown.message.replace(/^error: /, '')
      if (json) writeJson(io, { ok: false, exitCode: EXIT.usage, error: { code: 'CONFIG_INVALID', message } })
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
      else writeError(thrown.message)
      return exit
    }
    io.stderr.write(
      `codeferry has a fault: ${safe(thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrownMessage(thrown))}\n`,
    )
    return EXIT.internal
  }
}
