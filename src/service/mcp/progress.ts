import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent } from '../../codemode/run-code.ts'

/** A run's steps as progress notifications, when the client asked for them. The count only ever grows. */
export function createProgressReporter(ctx: ServerContext): ((event: RunEvent) => void) | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = 0
  return (event) => {
    const message = describe(event)
    if (message === undefined) return
    progress++
    // A client that is gone gets no progress; the run itself hears of it by its signal.
    ctx.mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => {})
  }
}

function describe(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'dispatch-started':
      return `${event.name} …`
    case 'dispatch-settled': {
      const { name, isError, code, runMs } = event.call
      return isError ? `${name} failed (${code ?? 'error'})` : `${name} done in ${Math.round(runMs)} ms`
    }
    case 'progress':
      return event.message ?? (event.fraction === undefined ? undefined : `${Math.round(event.fraction * 100)} %`)
    case 'log':
    case 'notice':
    case 'show':
      return undefined
  }
}
