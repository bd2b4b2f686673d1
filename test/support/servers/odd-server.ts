/**
 * An MCP server over stdio, by hand and without a library, so that it can do what a library would not: fall silent,
 * die in the middle of a call, list nonsense. Run as `node odd-server.ts <mode> [notes file]`; what it noticed (calls,
 * cancellations) is appended to the notes file, one JSON text a line.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [mode = 'plain', notesPath] = process.argv.slice(2)

function note(what: unknown): void {
  if (notesPath !== undefined) appendFileSync(notesPath, `${JSON.stringify(what)}\n`)
}
function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

note({ started: process.pid })
if (mode === 'fails') {
  process.stderr.write(
    `starting with token ${process.env.TOKEN ?? ''}\n\u001b]0;owned\u0007\u001b[31mcannot open the database\u001b[0m\n`,
  )
  process.exit(3)
}

if (mode === 'silent') process.stderr.write(`fetching with ${process.argv.slice(4).join(' ')}\n`)
if (mode === 'chatty') {
  process.stderr.write(`${'noise '.repeat(2_000)}\nthe last word\n`)
  process.exit(3)
}
if (mode === 'environment') note({ environment: { ...process.env } })

const PLAIN_TOOLS = [
  {
    name: 'echo',
    description: 'Gives back.',
    inputSchema: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
  },
  { name: 'die', inputSchema: { type: 'object' } },
  { name: 'hang', inputSchema: { type: 'object' } },
  { name: 'steps', inputSchema: { type: 'object' } },
  { name: 'blocks', inputSchema: { type: 'object' } },
  { name: 'fail', inputSchema: { type: 'object' } },
  { name: 'json', inputSchema: { type: 'object' } },
  { name: 'big', inputSchema: { type: 'object' } },
  { name: 'rpc-error', inputSchema: { type: 'object' } },
  { name: 'nonsense', inputSchema: { type: 'object' } },
  { name: 'grow', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false, title: 'Grow' } },
]
const WEIRD_TOOLS: unknown[] = [
  { name: 'fine', inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } },
  { name: 'bad-type', inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } },
  { name: 'no-object', inputSchema: 'a string' },
  { name: 'dangling', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } } },
  {
    name: 'bad-output',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { a: { pattern: '(' } } },
  },
  { name: 'no-schema' },
  { name: '__proto__', inputSchema: { type: 'object' } },
  { name: 'white space', inputSchema: { type: 'object' } },
  { name: 'esc\u001b[2J', inputSchema: { type: 'object' } },
  { name: 'fine', description: 'once more', inputSchema: { type: 'object' } },
  { name: 'x'.repeat(200), inputSchema: { type: 'object' } },
  { name: '..', inputSchema: { type: 'object' } },
  { name: 7, inputSchema: { type: 'object' } },
  null,
]
let listed: unknown[] = mode === 'weird' ? WEIRD_TOOLS : PLAIN_TOOLS

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly words?: string }
    readonly cursor?: string
    readonly _meta?: { readonly progressToken?: number; readonly 'codeferry/idempotency-key'?: string }
    readonly requestId?: number
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request // The peer is our own client.
  if (method === 'notifications/cancelled') note({ cancelled: params?.requestId })
  if (id === undefined) return
  switch (method) {
    case 'initialize':
      if (mode === 'silent') return
      if (mode === 'refuses') return send({ id, error: { code: -32_602, message: 'set API_KEY first' } })
      return send({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: mode === 'toolless' ? {} : { tools: { listChanged: true } },
          serverInfo: { name: 'odd', version: '1.0.0' },
        },
      })
    case 'tools/list':
      if (mode === 'endless') return send({ id, result: { tools: [], nextCursor: `after ${params?.cursor ?? ''}` } })
      if (mode === 'paged') {
        const at = Number(params?.cursor ?? 0)
        return send({
          id,
          result: { tools: listed.slice(at, at + 2), ...(at + 2 < listed.length && { nextCursor: String(at + 2) }) },
        })
      }
      return send({ id, result: { tools: listed } })
    case 'tools/call':
      note({ called: params?.name, id })
      return call(id, params ?? {})
    default:
      return send({ id, error: { code: -32_601, message: `no such method: ${method}` } })
  }
})

function call(id: number, params: NonNullable<Request['params']>): void {
  const idempotencyKey = params._meta?.['codeferry/idempotency-key']
  if (idempotencyKey !== undefined) note({ idempotencyKey })
  switch (params.name) {
    case 'die':
      process.stderr.write('a bug\n')
      return process.exit(7)
    case 'hang':
      return
    case 'steps': {
      const progressToken = params._meta?.progressToken
      for (const progress of [1, 2]) {
        send({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2, message: `step ${progress}` },
        })
      }
      // Clients may drop progress that arrives together with the answer.
      return void setTimeout(() => send({ id, result: text('done') }), 50)
    }
    case 'blocks':
      return send({
        id,
        result: {
          content: [
            { type: 'text', text: 'one', annotations: { audience: ['user'] }, _meta: { 'odd/a': 1 } },
            { type: 'image', data: 'AAAA', mimeType: 'image/png' },
            { type: 'resource', resource: { uri: 'odd://r', text: 'inside' } },
            { type: 'resource_link', uri: 'odd://l', name: 'link' },
          ],
        },
      })
    case 'fail':
      return send({
        id,
        result: { content: [{ type: 'text', text: 'row 7 is locked' }], structuredContent: { row: 7 }, isError: true },
      })
    case 'json':
      return send({ id, result: text('{"rows": [1, 2]}') })
    case 'big':
      return send({ id, result: text('{"id": 9007199254740993}') })
    case 'rpc-error':
      return send({ id, error: { code: -32_000, message: 'quota used up' } })
    case 'nonsense':
      return send({ id, result: { content: [{ type: 'text' }] } })
    case 'grow':
      listed = [...listed, { name: 'grown', inputSchema: { type: 'object' } }]
      send({ id, result: text('grown') })
      return send({ method: 'notifications/tools/list_changed' })
    case undefined:
    default:
      return send({ id, result: text(`you said ${params.arguments?.words ?? 'nothing'}`) })
  }
}
