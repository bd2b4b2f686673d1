/**
 * An upstream MCP server for `load`: each call takes some milliseconds, gives back what it was asked for, and says how
 * often it was asked for that and by which process. By hand, so that its own cost is small beside the service's.
 */
import { createInterface } from 'node:readline'

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly arguments?: { readonly key?: string; readonly i?: number; readonly ms?: number } }
}

const timesByCall = new Map<string, number>()
const number = { type: 'number' }
const WORK = {
  name: 'work',
  description: 'Works for so many milliseconds.',
  inputSchema: {
    type: 'object',
    properties: { key: { type: 'string' }, i: number, ms: number },
    required: ['key', 'i', 'ms'],
  },
  outputSchema: {
    type: 'object',
    properties: { i: number, times: number, pid: number },
    required: ['i', 'times', 'pid'],
  },
  annotations: { readOnlyHint: true },
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line) as Request // The peer is the service that is under load.
    if (id === undefined) return
    const answer = (result: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
    switch (method) {
      case 'initialize':
        return answer({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'load', version: '1.0.0' },
        })
      case 'tools/list':
        return answer({ tools: [WORK] })
      default: {
        const { key = '', i = 0, ms = 0 } = params?.arguments ?? {}
        const times = (timesByCall.get(`${key}/${i}`) ?? 0) + 1
        timesByCall.set(`${key}/${i}`, times)
        const value = { i, times, pid: process.pid }
        setTimeout(answer, ms, { structuredContent: value, content: [{ type: 'text', text: JSON.stringify(value) }] })
      }
    }
  })
  // Whoever started this has gone.
  .on('close', () => process.exit())
