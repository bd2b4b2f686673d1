import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createEngine } from '../../engine.ts'
import type { Mode } from '../../registry/scope.ts'
import { serveMcp } from '../../service/mcp/server.ts'
import { EXIT } from '../exit-codes.ts'
import { watchInterrupt } from '../interrupt.ts'
import { warn, type Io } from '../io.ts'
import { readSources, warnProblem, type SourceOptions } from '../tool-sources.ts'
import { VERSION } from '../version.ts'

export interface McpCommandOptions extends SourceOptions {
  readonly mode?: Mode
  readonly db?: string
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
}

/** Serves MCP over stdio until the client closes its end. stdout belongs to the protocol; everything else goes to stderr. */
export async function mcpCommand(options: McpCommandOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  const sources = readSources(options, io)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  io.stdin.once('end', end)
  io.stdin.once('close', end)
  await using engine = await interrupt.race(
    createEngine({
      tools: sources.tools,
      mcpServers: sources.servers,
      ...(options.mode !== undefined && { mode: options.mode }),
      ...(options.db !== undefined && { store: { sqlite: options.db } }),
      ...(options.requireConfinement !== undefined && { requireConfinement: options.requireConfinement }),
      onProblem: (problem) => warnProblem(io, problem),
    }),
  )
  await using _serving = serveMcp(engine, new StdioServerTransport(io.stdin, io.stdout), {
    version: VERSION,
    onProblem: (message) => warn(io, message),
  })
  try {
    await interrupt.race(ended)
    return EXIT.ok
  } catch (thrown) {
    if (interrupt.exitCode === undefined) throw thrown
    return interrupt.exitCode
  }
}
