import { callId } from '../../src/data/ids.ts'
import type { ContentBlock } from '../../src/data/content.ts'
import type { CallToken, Execution } from '../../src/registry/tool.ts'

/** An execution outside the pipeline, for bodies of tools: what they send home is kept to be looked at. */
export interface RecordedExecution extends Execution {
  readonly attached: (readonly ContentBlock[])[]
  readonly progress: { readonly message?: string; readonly fraction?: number }[]
}

export function recordExecution(toolName: string, signal = new AbortController().signal): RecordedExecution {
  const attached: (readonly ContentBlock[])[] = []
  const progress: { readonly message?: string; readonly fraction?: number }[] = []
  return {
    callId: callId('call-1'),
    rootCallId: callId('call-1'),
    toolName,
    scope: 'global',
    signal,
    token: {} as CallToken, // Bodies only pass it on.
    attached,
    progress,
    deferContext: () => {},
    concludeTurn: () => {},
    reportProgress: (step) => void progress.push(step),
    attachContent: (blocks) => void attached.push(blocks),
  }
}
