import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALICE, INITIALIZE, startMcpRig } from './http-rig.ts'

const METHODS = [
  'tools/call',
  'tools/list',
  'ping',
  'initialize',
  'server/discover',
  'notifications/cancelled',
  '__proto__',
]
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom(...METHODS),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record({
        name: fc.constantFrom('city_weather', 'nobody', 'constructor'),
        arguments: fc.jsonValue(),
        requestState: fc.jsonValue(),
        inputResponses: fc.jsonValue(),
        _meta: fc.oneof(
          fc.jsonValue(),
          fc.record({
            progressToken: fc.jsonValue(),
            'io.modelcontextprotocol/protocolVersion': fc.constantFrom('2026-07-28', '1999-01-01', 7),
            'io.modelcontextprotocol/clientInfo': fc.jsonValue(),
            'io.modelcontextprotocol/clientCapabilities': fc.jsonValue(),
          }),
        ),
      }),
    ),
  },
  { requiredKeys: [] },
)

test('no message, of a session or without one, is a fault of the service or stops it', async () => {
  await using rig = await startMcpRig()
  const opened = await rig.post(ALICE, INITIALIZE)
  await opened.text()
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(message, fc.array(message, { maxLength: 3 }), fc.jsonValue()),
      fc.constantFrom({}, session, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }),
      async (body, headers) => {
        const response = await fetch(`${rig.url}/mcp`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${ALICE}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
          body: JSON.stringify(body),
        })
        expect(response.status, await response.text()).toBeLessThan(500)
      },
    ),
    { numRuns: 120 },
  )
  expect((await rig.post(ALICE, { jsonrpc: '2.0', id: 1, method: 'ping' }, session)).status).toBe(200)
}, 120_000)
