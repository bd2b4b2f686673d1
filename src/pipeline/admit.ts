import { thrownMessage } from '../data/failure.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, type Settlement } from './settle.ts'
import { untilAborted } from './signals.ts'

export type Admission =
  { readonly kind: 'admitted'; readonly slot: Disposable } | { readonly kind: 'refused'; readonly settled: Settlement }

/** Waits for the caller's leave to begin (a place in a pool). A slot that comes after an abort is given back at once. */
export async function runAdmit(call: LiveCall, definition: ToolDefinition, parts: RuntimeParts): Promise<Admission> {
  try {
    const slot = Promise.resolve(call.request.admit?.({ ...call.view, definition }))
    const ended = await untilAborted(slot, call.callerSignal, () => {})
    switch (ended.kind) {
      case 'left':
        void slot.then(
          (late) => release(call, late, parts),
          () => {},
        )
        return refused(settleAborted(call, 'guards'))
      case 'thrown':
        if (call.isAborted) return refused(settleAborted(call, 'guards'))
        return refused(notAdmitted(call, ended.thrown))
      case 'value': {
        const given = ended.value ?? NO_SLOT
        if (!call.isAborted) return { kind: 'admitted', slot: given }
        release(call, given, parts)
        return refused(settleAborted(call, 'guards'))
      }
    }
  } catch (thrown) {
    return refused(notAdmitted(call, thrown))
  }
}

/** Gives a slot back. What the caller's own hook throws there must not cost the call its outcome. */
export function release(call: LiveCall, slot: Disposable | undefined, parts: RuntimeParts): void {
  try {
    slot?.[Symbol.dispose]()
  } catch (thrown) {
    parts.diagnose({ code: 'HOOK_FAILED', message: `admit: ${thrownMessage(thrown)}`, callId: call.callId })
  }
}

const NO_SLOT: Disposable = { [Symbol.dispose]: () => {} }

function notAdmitted(call: LiveCall, thrown: unknown): Settlement {
  return settleFailure(call, 'POLICY_FAILED', `${call.toolName}: it was not admitted: ${thrownMessage(thrown)}`, {
    phase: 'guards',
  })
}

function refused(settled: Settlement): Admission {
  return { kind: 'refused', settled }
}
