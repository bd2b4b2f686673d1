import { createInterface } from 'node:readline/promises'
import type { ApprovalAnswer, Approver } from '../pipeline/call.ts'
import { paletteFor, safe, type Io } from './io.ts'

const MAX_SHOWN_ARGUMENTS = 2_000

/**
 * Asks the person at the terminal, one question at a time; anything but a clear yes is a no. Undefined when nobody is
 * there to ask (then questions fail closed), or when stdin is the program itself.
 */
export function createTerminalApprover(io: Io, stdinIsTaken: boolean): Approver | undefined {
  if (stdinIsTaken || io.stdin.isTTY !== true || io.stderr.isTTY !== true) return undefined
  const { bold } = paletteFor(io.stderr, io.env)
  let previous: Promise<unknown> = Promise.resolve()
  return {
    ask(request, signal) {
      const answer = previous.then(async (): Promise<ApprovalAnswer> => {
        if (signal.aborted) return { answer: 'dismiss' }
        const shown = safe(JSON.stringify(request.arguments, undefined, 2)).slice(0, MAX_SHOWN_ARGUMENTS)
        io.stderr.write(`\n${bold(`May the program call ${safe(request.toolName)}?`)}\n${shown}\n`)
        for (const reason of request.reasons) io.stderr.write(`  ${safe(reason)}\n`)
        const lines = createInterface({ input: io.stdin, output: io.stderr })
        try {
          const said = await lines.question('Allow? [y/N] ', { signal })
          return /^y(es)?$/i.test(said.trim())
            ? { answer: 'approve', by: 'terminal' }
            : { answer: 'reject', by: 'terminal' }
        } catch {
          return { answer: 'dismiss' }
        } finally {
          lines.close()
        }
      })
      previous = answer
      return answer
    },
  }
}
