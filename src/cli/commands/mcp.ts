import { createApprovalPolicy } from '../../policy/approval.ts'
import type { Mode } from '../../registry/scope.ts'
import { createApprovalDesk } from '../../service/approvals/approval-desk.ts'
import { serveMcp } from '../../service/mcp/server.ts'
import { StdioTransport } from '../../service/mcp/stdio-transport.ts'
import { newHexId } from '../../service/runs/run-ids.ts'
import { EXIT } from '../exit-codes.ts'
import { watchInterrupt } from '../interrupt.ts'
import { warn, type Io } from '../io.ts'
import { readSources, startEngine, type SourceOptions } from '../tool-sources.ts'
import { VERSION } from '../version.ts'

export interface McpCommandOptions extends SourceOptions {
  readonly mode?: Mode
  readonly db?: string
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  /** Whether calls that need a person's approval are put to the user of the client. Default `elicit`. */
  readonly approve?: 'elicit' | 'never'
}

/**
 * Serves MCP over stdio until the client closes its end; what it asked for before is finished and answered first. stdout
 * belongs to the protocol; everything else goes to stderr.
 */
export async function mcpCommand(options: McpCommandOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  const sources = readSources(options, io)
  const approvals = createApprovalDesk({ now: Date.now, newId: newHexId })
  const asking = createApprovalPolicy({
    rules: [{ tools: [...sources.approvalRequired], reason: 'the mock file says "approval": "required"' }],
  })
  await using engine = await interrupt.race(
    startEngine(sources, io, {
      approver: approvals.approver,
      policies: sources.approvalRequired.size > 0 ? [asking] : [],
      ...(options.db !== undefined && { store: { sqlite: options.db } }),
      ...(options.requireConfinement !== undefined && { requireConfinement: options.requireConfinement }),
    }),
  )
  const transport = new StdioTransport(io.stdin, io.stdout, {
    finishMs: engine.limits.wallMs + engine.limits.drainMs,
    onProblem: (message) => warn(io, message),
  })
  await using _serving = serveMcp(engine, transport, {
    ...(options.mode !== undefined && { mode: options.mode }),
    scope: sources.scope,
    version: VERSION,
    approvals,
    ...(options.approve !== undefined && { approve: options.approve }),
    onProblem: (message) => warn(io, message),
  })
  try {
    await interrupt.race(transport.drained)
    return EXIT.ok
  } catch (thrown) {
    if (interrupt.exitCode === undefined) throw thrown
    if (transport.open > 0)
      warn(io, `interrupted: ${transport.open} ${transport.open === 1 ? 'request is' : 'requests are'} not answered`)
    return interrupt.exitCode
  }
}
