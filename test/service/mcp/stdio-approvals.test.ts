import { Client, InMemoryTransport, type ClientOptions, type ElicitResult } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import { readMockTools } from '../../../src/importers/mock-tools.ts'
import { createApprovalPolicy } from '../../../src/policy/approval.ts'
import { createApprovalDesk, type ApprovalDesk } from '../../../src/service/approvals/approval-desk.ts'
import { serveMcp, type McpServeOptions } from '../../../src/service/mcp/server.ts'
import { newHexId } from '../../../src/service/runs/run-ids.ts'
import { createCheckedEngine } from '../../support/checked-engine.ts'
import { textOf } from './http-rig.ts'

const ERAS = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const
const CAN_ASK: ClientOptions = { capabilities: { elicitation: {} } }

interface Served extends AsyncDisposable {
  readonly client: Client
  readonly desk: ApprovalDesk
}

async function serve(
  clientOptions: ClientOptions,
  answer?: () => ElicitResult | Promise<ElicitResult>,
  options: McpServeOptions = {},
): Promise<Served> {
  await using parts = new AsyncDisposableStack()
  const desk = createApprovalDesk({ now: Date.now, newId: newHexId })
  const engine = parts.use(
    await createCheckedEngine({
      tools: readMockTools('[{ "name": "pay", "description": "Pays.", "mock": { "echo": true } }]').tools,
      requireConfinement: 'none',
      policies: [createApprovalPolicy({ rules: [{ tools: 'pay', reason: 'money' }] })],
      approver: desk.approver,
    }),
  )
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  parts.use(serveMcp(engine, theirs, { mode: 'both', approvals: desk, ...options }))
  const client = new Client({ name: 'test', version: '1' }, clientOptions)
  if (answer !== undefined) client.setRequestHandler('elicitation/create', answer)
  parts.defer(() => client.close())
  await client.connect(ours)
  const owned = parts.move()
  return { client, desk, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

test.each(ERAS)('over stdio in %s the user of the client is asked without more ado', async (version, era) => {
  await using served = await serve({ ...era, ...CAN_ASK }, () => ({
    action: 'accept',
    content: { decision: 'approve' },
  }))
  expect(served.client.getNegotiatedProtocolVersion()).toBe(version)
  const code = 'return (await tools.pay({ n: 1 })).n + (await tools.pay({ n: 2 })).n'
  const result = await served.client.callTool({ name: 'run_code', arguments: { code } })
  expect(result.structuredContent).toMatchObject({ result: 3 })
})

test.each(ERAS)(
  'over stdio in %s a client that cannot ask gets a refusal at once that says so',
  async (_version, era) => {
    await using served = await serve(era)
    const result = await served.client.callTool({ name: 'pay', arguments: {} })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('no elicitation')
  },
)

test('with approve: never nobody is asked, however able the client is', async () => {
  const answer = vi.fn<() => ElicitResult>(() => ({ action: 'accept', content: { decision: 'approve' } }))
  await using served = await serve(CAN_ASK, answer, { approve: 'never' })
  const result = await served.client.callTool({ name: 'pay', arguments: {} })
  expect(textOf(result)).toContain('may not ask its user')
  expect(answer).not.toHaveBeenCalled()
})

test('what a form shows hides nothing: no direction marks, no escape sequences, and what is cut is said', async () => {
  let message = ''
  await using served = await serve(CAN_ASK)
  served.client.setRequestHandler('elicitation/create', ({ params }) => {
    message = params.message
    return { action: 'decline' }
  })
  await served.client.callTool({
    name: 'pay',
    arguments: { to: '\u202Eecila\u001b[2K', padding: 'x'.repeat(10_000) },
  })
  expect(message).toContain('\\u{202e}ecila')
  for (const hidden of ['\u202E', '\u001b']) expect(message).not.toContain(hidden)
  expect(message).toMatch(/\d+ more characters are NOT SHOWN/)
})

test.each(ERAS)(
  'in %s a client that goes away while its user is asked leaves no question behind',
  async (_version, era) => {
    const asked = Promise.withResolvers<void>()
    await using served = await serve({ ...era, ...CAN_ASK }, () => {
      asked.resolve()
      return new Promise(() => {})
    })
    served.client.callTool({ name: 'pay', arguments: {} }).catch(() => {})
    await asked.promise
    expect(served.desk.count).toBe(1)
    await served.client.close()
    await vi.waitFor(() => expect(served.desk.count).toBe(0), { timeout: 30_000 })
  },
)
