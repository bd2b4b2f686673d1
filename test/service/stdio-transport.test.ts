import { PassThrough, Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { StdioTransport, type StdioOptions } from '../../src/service/mcp/stdio-transport.ts'

function rig(options: StdioOptions = {}) {
  const input = new PassThrough()
  let written = ''
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      done()
    },
  })
  const problems: string[] = []
  const got: JSONRPCMessage[] = []
  const transport = new StdioTransport(input, output, { onProblem: (message) => problems.push(message), ...options })
  transport.onmessage = (message) => got.push(message)
  const said = () =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  return { input, output, problems, got, transport, said }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const request = (id: number, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method })

test.each<[string, string, number, number | null]>([
  ['no JSON', '{"jsonrpc": "2.0", "id"', -32_700, null],
  ['an array', '[]', -32_600, null],
  ['a number', '7', -32_600, null],
  ['a message of another kind', '{"id": 7, "hello": 1}', -32_600, 7],
  ['bytes that are no text', '\xff\xfe', -32_700, null],
])('what is no message is answered, in one line to people, and the rest is read: %s', async (_name, line, code, id) => {
  const { input, transport, problems, got, said } = rig()
  await transport.start()
  input.write(Buffer.from(`${line}\n${JSON.stringify(request(1))}\n`, 'latin1'))
  await turn()
  expect(said()).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) as string } }])
  expect(problems).toEqual([expect.stringMatching(/^from the client: [^\n]{1,100}$/)])
  expect(got).toEqual([request(1)])
})

test('an oversized line is refused and skipped to its end, however it is cut, and the next one is read', async () => {
  const { input, transport, got, said } = rig({ maxMessageBytes: 100 })
  await transport.start()
  for (let n = 0; n < 10; n++) input.write('x'.repeat(99))
  input.write(`x\n${JSON.stringify(request(1))}\n`)
  await turn()
  expect(said()).toMatchObject([{ id: null, error: { code: -32_600 } }])
  expect(got).toEqual([request(1)])
})

test('a message may come in pieces, two in one piece, and the last without a line end', async () => {
  const { input, transport, got } = rig()
  await transport.start()
  const text = [1, 2, 3].map((id) => JSON.stringify({ ...request(id), params: { word: 'zwölf' } })).join('\n')
  for (const byte of Buffer.from(text)) input.write(Buffer.from([byte]))
  input.end()
  await turn()
  await turn()
  expect(got.map((message) => 'id' in message && message.id)).toEqual([1, 2, 3])
  expect(transport.open).toBe(3)
})

test('after the input has ended, it is drained when every request has its answer or was cancelled', async () => {
  const { input, transport } = rig()
  let isDrained = false
  void transport.drained.then(() => (isDrained = true))
  await transport.start()
  for (const id of [1, 2]) input.write(`${JSON.stringify(request(id))}\n`)
  input.write(`${JSON.stringify(request(3, 'subscriptions/listen'))}\n`)
  input.end('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
  await turn()
  await turn()
  expect(isDrained).toBe(false)
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  await turn()
  expect(isDrained).toBe(true)
})

test('a request that is not answered in time does not hold the end for ever, and is told', async () => {
  const { input, transport, problems } = rig({ finishMs: 1 })
  await transport.start()
  input.end(`${JSON.stringify(request(1))}\n`)
  await transport.drained
  expect(problems).toEqual([expect.stringContaining('1 of its requests')])
})

test('an output that is gone ends it at once, whatever is open', async () => {
  const { input, output, transport } = rig()
  await transport.start()
  input.write(`${JSON.stringify(request(1))}\n`)
  await turn()
  output.destroy(new Error('EPIPE'))
  await transport.drained
  await expect(transport.send({ jsonrpc: '2.0', id: 1, result: {} })).rejects.toThrow()
})

test('a flood of garbage is answered to its end, and told a few times', async () => {
  const { input, transport, problems, said } = rig()
  await transport.start()
  input.write('garbage\n'.repeat(1_000))
  await turn()
  expect(said()).toHaveLength(1_000)
  expect(problems).toHaveLength(20)
  expect(problems.at(-1)).toContain('no more of these')
})
