import type { CallView } from '../pipeline/call.ts'

/** What an owner claims of a tool, with the protocol's defaults where the claim is silent. Claims, not guarantees. */
export interface Hints {
  readonly isAnnotated: boolean
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
  readonly isOpenWorld: boolean
}

/** MCP's defaults: a tool that says nothing may write, may destroy and may reach the open world. */
export function hintsOf(call: CallView): Hints {
  const claims = call.definition?.annotations
  const isReadOnly = claims?.readOnlyHint === true
  return {
    isAnnotated:
      claims?.readOnlyHint !== undefined ||
      claims?.destructiveHint !== undefined ||
      claims?.openWorldHint !== undefined,
    isReadOnly,
    // The hint has no meaning for a tool that only reads.
    isDestructive: !isReadOnly && claims?.destructiveHint !== false,
    isOpenWorld: claims?.openWorldHint !== false,
  }
}
