import type { RunEvent } from '../../codemode/run-code.ts'
import { paletteFor, safe, type Io } from '../io.ts'

/** Steps of a run as they happen, on stderr, for a person who waits. Nothing for pipes and files. */
export function createProgressPrinter(io: Io, quiet: boolean): ((event: RunEvent) => void) | undefined {
  if (quiet || io.stderr.isTTY !== true) return undefined
  const { dim, green, red } = paletteFor(io.stderr, io.env)
  const line = (text: string) => void io.stderr.write(`${text}\n`)
  return (event) => {
    switch (event.type) {
      case 'dispatch-started':
        return line(dim(`· ${safe(event.name)} …`))
      case 'dispatch-settled': {
        const { name, isError, code, runMs } = event.call
        return line(
          isError
            ? `${red('✗')} ${safe(name)} ${safe(code ?? '')}`
            : `${green('✓')} ${safe(name)} ${dim(`${Math.round(runMs)} ms`)}`,
        )
      }
      case 'progress': {
        const share = event.fraction === undefined ? '' : ` ${Math.round(event.fraction * 100)} %`
        return line(dim(`· ${safe(event.message ?? 'progress')}${share}`))
      }
      case 'log':
      case 'notice':
      case 'show':
        return undefined
    }
  }
}
