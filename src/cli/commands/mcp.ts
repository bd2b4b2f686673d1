import type { Mode } from '../../registry/scope.ts'
import { serveMcp } from '../../service/mcp/server.ts'
import { StdioTransport } from '../../service/mcp/stdio-transport.ts'
import { EXIT } from '../exit-codes.ts'
import { watchInterrupt } from '../interrupt.ts'
import { warn, type Io } from '../io.ts'
import { readSources, startEngine, type SourceOptions } from '../tool-sources.ts'
import { VERSION } from '../version.ts'

export interface McpCommandOptions extends SourceOptions {
  readonly mode?: Mode
  readonly db?: string
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
}

/**
 * Serves MCP over stdio until the client closes its end; what it asked for before is finished and answered first. stdout
 * belongs to the protocol; everything else goes to stderr.
 */
export async function mcpCommand(options: McpCommandOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  const sources = readSources(options, io)
  await using engine = await interrupt.race(
    startEngine(sources, io, {
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
