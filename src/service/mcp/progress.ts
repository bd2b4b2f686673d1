import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent } from '../../codemode/run-code.ts'

/** Something to tell whoever waits. The fraction is of the whole call, from 0 to 1. */
export interface Step {
  readonly message?: string
  readonly fraction?: number
}

/** A call's steps as progress notifications, when the client asked for them. The number only ever grows. */
export function createProgressReporter(ctx: ServerContext): ((step: Step) => void) | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let last: number | undefined
  return ({ message, fraction }) => {
    const percent = fraction === undefined || !Number.isFinite(fraction) ? undefined : Math.min(1, fraction) * 100
    if (percent === undefined || percent <= (last ?? -1)) last = (last ?? 0) + (percent === undefined ? 1 : SAME)
    else last = percent
    // A client that is gone gets no progress; the call itself hears of it by its signal.
    ctx.mcpReq
      .notify({
        method: 'notifications/progress',
        params: {
          progressToken,
          progress: last,
          ...(percent !== undefined && last <= 100 && { total: 100 }),
          ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE) }),
        },
      })
      .catch(() => {})
  }
}

/** What a fraction that did not grow counts for: a client may refuse a number that stands still. */
const SAME = 0.001
const MAX_MESSAGE = 1_000

/**
 * A run has no measure of its own: a step counts one. What a program says of its progress is in the message, the
 * fraction too, since its calls are counted in between.
 */
export function runStep(event: RunEvent): Step | undefined {
  switch (event.type) {
    case 'dispatch-started':
      return { message: `${event.name} …` }
    case 'dispatch-settled': {
      const { name, isError, code, runMs } = event.call
      return { message: isError ? `${name} failed (${code ?? 'error'})` : `${name} done in ${Math.round(runMs)} ms` }
    }
    case 'progress': {
      const percent = event.fraction === undefined ? '' : `${Math.round(event.fraction * 100)} %`
      const said = event.message ?? ''
      if (said === '') return percent === '' ? undefined : { message: percent }
      return { message: percent === '' ? said : `${said} (${percent})` }
    }
    case 'log':
    case 'notice':
    case 'show':
      return undefined
  }
}

export function toolStep({ message, fraction }: Step): Step | undefined {
  if (message === undefined && fraction === undefined) return undefined
  return { ...(message !== undefined && { message }), ...(fraction !== undefined && { fraction }) }
}
