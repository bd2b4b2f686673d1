import type { SliceState } from '../../sandbox/wire.ts'
import type { RunEndingKind } from './executor.ts'

/** What the program itself came to; the run goes on until its open calls have settled. */
export type ProgramEnd = Exclude<RunEndingKind, { kind: 'stopped' }>

export function programEndOf(state: Extract<SliceState, { s: 'returned' | 'threw' }>): ProgramEnd {
  if (state.s === 'returned') {
    return { kind: 'returned', ...(state.json !== undefined && { resultJson: state.json }) }
  }
  const { name, message, stack, code, tool } = state
  return {
    kind: 'threw',
    error: { name, message, stack, ...(code !== undefined && { code }), ...(tool !== undefined && { tool }) },
  }
}
