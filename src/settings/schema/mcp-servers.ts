import { z } from 'zod'

const texts = { type: 'array', items: { type: ['string', 'number'] } } as const
const textMap = { type: 'object', additionalProperties: { type: ['string', 'number', 'null'] } } as const
const duration = { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 } as const

/**
 * Only described here, for editors. `src/importers/mcp-config.ts` reads it, as it reads everybody's files: what is
 * wrong with one server leaves that one out, and keys that only other clients know are passed over.
 */
export const mcpServersSchema = z
  .record(
    z.string(),
    z.unknown().meta({
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The program to start; ${NAME} is the environment’s' },
        args: texts,
        env: textMap,
        cwd: { type: 'string' },
        type: { enum: ['stdio', 'http', 'streamable-http', 'sse'] },
        url: { type: 'string', description: 'Of a server that is reached over HTTP' },
        headers: textMap,
        disabled: { type: 'boolean' },
        disabledTools: texts,
        exclusive: { type: 'boolean', description: 'Every call of this server runs alone' },
        textResults: { enum: ['auto', 'text'], description: 'Whether a text that holds JSON reaches programs parsed' },
        connectTimeoutMs: duration,
        requestTimeoutMs: duration,
      },
    }),
  )
  .describe('MCP servers, as other clients’ files describe them')
