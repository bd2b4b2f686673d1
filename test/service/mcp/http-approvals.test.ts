import type { Client, ClientOptions, ElicitResult } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import { ALICE, BOB, BOSS, startMcpRig, textOf, type McpRig } from './http-rig.ts'

const ERAS = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const
const CAN_ASK: ClientOptions = { capabilities: { elicitation: { form: {} } } }
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
const run = (client: Client, code: string, options = {}) =>
  client.callTool({ name: 'run_code', arguments: { code } }, options)

/** A client whose user gives these answers, one after the other, and what they were asked. */
async function withUser(rig: McpRig, secret: string, era: ClientOptions, answers: readonly ElicitResult[]) {
  const asked: string[] = []
  const client = await rig.connect(secret, { ...era, ...CAN_ASK })
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return answers[asked.length - 1] ?? { action: 'cancel' }
  })
  return { client, asked }
}
const approve: ElicitResult = { action: 'accept', content: { decision: 'approve' } }

test.each(ERAS)('in %s the user approves a call in the middle of a program, which goes on', async (_version, era) => {
  await using rig = await startMcpRig()
  const { client, asked } = await withUser(rig, ALICE, era, [approve])
  const result = await run(client, 'const before = await tools.pixel(); return await tools.pay({ amount: 5 })')
  expect(result.structuredContent).toMatchObject({ result: { amount: 5 } })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('May pay be called')
  expect(asked[0]).toContain('"amount": 5')
  expect(asked[0]).toContain('money')
  // The program ran once: what it had done before the question was not done again.
  expect(result.structuredContent).toMatchObject({ calls: [{ name: 'pixel' }, { name: 'pay' }] })
  expect(rig.desk.count).toBe(0)
})

test.each(ERAS)(
  'in %s declining, refusing, cancelling and an empty yes are four ways to say no',
  async (_version, era) => {
    await using rig = await startMcpRig()
    const { client } = await withUser(rig, ALICE, era, [
      { action: 'decline' },
      { action: 'accept', content: { decision: 'reject', reason: 'too dear' } },
      { action: 'cancel' },
    ])
    const codes: unknown[] = []
    const words: string[] = []
    for (let n = 0; n < 3; n++) {
      const result = await client.callTool({ name: 'pay', arguments: {} })
      expect(result.isError).toBe(true)
      codes.push((result.structuredContent as { error?: { code?: string } } | undefined)?.error?.code)
      words.push(textOf(result))
    }
    expect(codes).toEqual(['APPROVAL_REJECTED', 'APPROVAL_REJECTED', 'APPROVAL_CANCELLED'])
    expect(words[1]).toContain('too dear')
  },
)

test.each(ERAS)(
  'in %s each of several questions of one program is asked and answered by itself',
  async (_version, era) => {
    await using rig = await startMcpRig()
    const { client, asked } = await withUser(rig, ALICE, era, [approve, { action: 'decline' }, approve])
    const result = await run(
      client,
      `const two = await Promise.allSettled([tools.pay({ n: 1 }), tools.pay({ n: 2 })])
     const last = await tools.pay({ n: 3 })
     return [...two.map((one) => one.status), last.n]`,
    )
    expect(asked.map((message) => /"n": (\d)/.exec(message)?.[1])).toEqual(['1', '2', '3'])
    expect(result.structuredContent).toMatchObject({ result: ['fulfilled', 'rejected', 3] })
  },
)

test.each(ERAS)(
  'in %s a token without the grant has its user not asked: somebody else decides',
  async (_version, era) => {
    await using rig = await startMcpRig()
    const { client, asked } = await withUser(rig, BOB, era, [approve])
    const steps: (string | undefined)[] = []
    const pending = run(client, 'return await tools.pay({ amount: 5 })', {
      onprogress: ({ message }: { message?: string }) => steps.push(message),
    })
    const [question] = await eventually(() => {
      const open = rig.desk.pending('team-b')
      expect(open).toHaveLength(1)
      return open
    })
    await eventually(() => expect(steps).toContain(`pay waits for a person: ${question?.id} at /v1/approvals`))
    const decided = await fetch(`${rig.url}/v1/approvals/${question?.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${BOSS}`, 'content-type': 'application/json' },
      body: '{"decision":"approve"}',
    })
    expect(decided.status).toBe(200)
    expect((await pending).structuredContent).toMatchObject({ result: { amount: 5 } })
    expect(asked).toEqual([])
  },
)

test.each(ERAS)(
  'in %s a client that cannot ask and hears no progress is told where to look, in time',
  async (_version, era) => {
    await using rig = await startMcpRig({ tuning: { approvalWaitMs: 300 } })
    const client = await rig.connect(ALICE, era)
    const result = await client.callTool({ name: 'pay', arguments: {} })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/no elicitation.*\/v1\/approvals within 300 ms/)
    expect(rig.desk.count).toBe(0)
  },
)

test.each(ERAS)('in %s an answer from elsewhere counts when it comes first', async (_version, era) => {
  await using rig = await startMcpRig()
  const client = await rig.connect(ALICE, { ...era, ...CAN_ASK })
  client.setRequestHandler('elicitation/create', async () => {
    const [question] = rig.desk.pending('team-a')
    rig.desk.decide('team-a', question?.id ?? '', { answer: 'reject', by: 'somebody else' })
    return approve
  })
  const result = await client.callTool({ name: 'pay', arguments: {} })
  expect(textOf(result)).toContain('somebody else refused the call')
})

test('a client with a session that goes away while its user is asked leaves no question and no run behind', async () => {
  await using rig = await startMcpRig()
  const client = await rig.connect(ALICE, CAN_ASK)
  client.setRequestHandler('elicitation/create', () => new Promise(() => {}))
  const pending = run(client, 'return await tools.pay({})')
  pending.catch(() => {})
  await eventually(() => expect(rig.desk.count).toBe(1))
  await client.close()
  await eventually(() => expect(rig.desk.count).toBe(0))
})

test('a client without a session that never comes back with its answer leaves none behind either', async () => {
  await using rig = await startMcpRig({ tuning: { answerMs: 300 } })
  const first = await ask(rig)
  expect(rig.desk.count).toBe(1)
  await eventually(() => expect(rig.desk.count).toBe(0))
  // The state is worth nothing any more, and does not begin the program anew.
  const late = await ask(rig, first)
  expect(late).toMatchObject({ isError: true, structuredContent: { error: { code: 'APPROVAL_CANCELLED' } } })
  expect(rig.desk.count).toBe(0)
})

test('the state of a question opens its own call of its own token, once', async () => {
  await using rig = await startMcpRig()
  const first = await ask(rig)
  expect(await ask(rig, first, { code: 'return 1' })).toMatchObject({ isError: true })
  expect(await ask(rig, first, {}, BOB)).toMatchObject({ isError: true })
  expect(await ask(rig, { ...first, requestState: `${first.requestState}x` })).toMatchObject({ isError: true })
  expect(rig.desk.count).toBe(1)
  expect(await ask(rig, first)).toMatchObject({ structuredContent: { result: { amount: 5 } } })
  expect(await ask(rig, first)).toMatchObject({ isError: true })
})

test('questions that nobody answered in the second round are asked again', async () => {
  await using rig = await startMcpRig()
  const first = await ask(rig)
  const again = await ask(rig, { ...first, inputRequests: {} })
  expect(Object.keys(again.inputRequests ?? {})).toEqual(Object.keys(first.inputRequests ?? {}))
  expect(again.requestState).not.toBe(first.requestState)
  expect(await ask(rig, again)).toMatchObject({ structuredContent: { result: { amount: 5 } } })
})

interface Raw {
  readonly requestState?: string
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** The first round of a gated program, or the next one with a yes to all that was asked. */
async function ask(rig: McpRig, answering?: Raw, args: Record<string, unknown> = {}, secret = ALICE): Promise<Raw> {
  const responses = Object.keys(answering?.inputRequests ?? {}).map((id) => [id, approve] as const)
  const response = await rig.post(
    secret,
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'run_code',
        arguments: { code: 'return await tools.pay({ amount: 5 })', ...args },
        ...(answering !== undefined && {
          requestState: answering.requestState,
          inputResponses: Object.fromEntries(responses),
        }),
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      },
    },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'run_code' },
  )
  const { result } = (await response.json()) as { result?: Raw }
  if (result === undefined) throw new Error(`no result: ${response.status}`)
  return result
}
