import type { Client, Progress } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import { readMockTools } from '../../../src/importers/mock-tools.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { ALICE, CARL, startMcpRig, textOf } from './http-rig.ts'

/** With a handshake and a session, and without either. */
const ERAS = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
const run = (client: Client, code: string, options = {}) =>
  client.callTool({ name: 'run_code', arguments: { code } }, options)

/** Waits until it is cancelled, and says so. */
function slowTool() {
  const waiting = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const tool: ToolDefinition = {
    name: 'slow',
    description: '',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: (_args, exec) =>
      new Promise((_, reject) => {
        exec.signal.addEventListener('abort', () => {
          aborted.resolve()
          reject(exec.signal.reason as Error)
        })
        waiting.resolve()
      }),
    output: { render: () => [] },
  }
  return { tool, waiting: waiting.promise, aborted: aborted.promise }
}

test.each(ERAS)(
  'a client of %s lists, runs a program, and gets the same facts as structure and as text',
  async (version, era) => {
    await using rig = await startMcpRig()
    const client = await rig.connect(ALICE, era)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['city_weather', 'long', 'pay', 'pixel', 'run_code'])
    expect(tools.at(-1)?.outputSchema?.properties).toHaveProperty('logs')

    const result = await run(client, "console.log('hi'); return await tools.city.weather({ city: 'Oslo' })")
    expect(result.structuredContent).toMatchObject({
      result: { degrees: 7 },
      logs: [{ text: 'hi' }],
      calls: [{ name: 'city.weather', isError: false }],
    })
    expect(textOf(result)).toContain('{"degrees":7}')
    expect(textOf(result)).toContain('hi')
    const failed = await run(client, "await tools.city.weather({ city: 'Oslo' }); throw new Error('no luck')")
    expect(failed).toMatchObject({ isError: true, structuredContent: { error: { code: 'PROGRAM_ERROR' } } })
    expect(textOf(failed)).toContain('no luck')
  },
)

test.each(ERAS)(
  'in %s an image or too much text leave a structure that fits the schema and says where they are',
  async (_version, era) => {
    await using rig = await startMcpRig()
    const client = await rig.connect(ALICE, era)
    // The client holds every structure against the schema that was listed.
    await client.listTools()
    const image = await run(client, 'return await tools.pixel()')
    expect(image.content).toContainEqual({ type: 'image', data: 'AAAA', mimeType: 'image/png' })
    expect(image.structuredContent).toMatchObject({ attachments: [{ type: 'image', mimeType: 'image/png' }] })
    const long = await run(client, 'return await tools.long()')
    expect(textOf(long)).toContain('artifacts.read(')
    expect(long.structuredContent).toEqual({ text: expect.stringContaining('artifacts.read(') as string })
    // What one program kept, the next one of the same client can read.
    const id = /artifacts\.read\("([^"]+)"/.exec(textOf(long))?.[1] ?? ''
    const read = await run(client, `return (await artifacts.read(${JSON.stringify(id)}, { offset: 0, length: 5 }))`)
    expect(JSON.stringify(read.structuredContent)).toContain('xxxxx')
    const native = await client.callTool({ name: 'city_weather', arguments: { city: 'Oslo' } })
    expect(native).toMatchObject({ structuredContent: { degrees: 7 } })
    const wrong = await client.callTool({ name: 'city_weather', arguments: { city: 7 } })
    expect(wrong.isError).toBe(true)
    expect(wrong.structuredContent).toBeUndefined()
  },
)

test.each(ERAS)(
  'in %s progress of nested calls and of the program itself reaches a client that asks',
  async (_version, era) => {
    await using rig = await startMcpRig()
    const client = await rig.connect(ALICE, era)
    const steps: Progress[] = []
    const onprogress = (step: Progress) => void steps.push(step)
    await run(client, "progress('half way', 0.5); await tools.pixel(); progress(0.75); await tools.pixel(); return 1", {
      onprogress,
    })
    await eventually(() => expect(steps.length).toBeGreaterThanOrEqual(6))
    const messages = steps.map(({ message }) => message?.replace(/\d+ ms/, 'n ms'))
    expect(messages).toEqual([
      'half way (50 %)',
      'pixel …',
      'pixel done in n ms',
      '75 %',
      'pixel …',
      'pixel done in n ms',
    ])
    expect(steps.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5, 6])
  },
)

test.each(ERAS)('in %s a cancelled request cancels the run and the call that is open in it', async (_version, era) => {
  const slow = slowTool()
  await using rig = await startMcpRig({ tools: [slow.tool] })
  const client = await rig.connect(ALICE, era)
  const controller = new AbortController()
  const pending = run(client, 'return await tools.slow()', { signal: controller.signal })
  pending.catch(() => {})
  await slow.waiting
  controller.abort(new Error('enough'))
  await expect(pending).rejects.toThrow()
  await slow.aborted
})

test.each(ERAS)('in %s a client that goes away in the middle of a call cancels it', async (version, era) => {
  const slow = slowTool()
  await using rig = await startMcpRig({ tools: [slow.tool] })
  const probe = await rig.connect(ALICE, era)
  const controller = new AbortController()
  const params = { name: 'run_code', arguments: { code: 'return await tools.slow()' } }
  const isModern = version === '2026-07-28'
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const session = isModern ? undefined : (probe.transport as { sessionId?: string } | undefined)?.sessionId
  const sent = fetch(`${rig.url}/mcp`, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${ALICE}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': 'run_code' }),
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 77,
      method: 'tools/call',
      params: { ...params, ...(isModern && { _meta: envelope }) },
    }),
  }).then((response) => response.text())
  sent.catch(() => {})
  await slow.waiting
  controller.abort()
  await slow.aborted
})

test.each(ERAS)('in %s a change of the registry is announced once, and the next list has it', async (version, era) => {
  await using rig = await startMcpRig()
  const changed = vi.fn<() => void>()
  const client = await rig.connect(ALICE, {
    ...era,
    ...(version === '2026-07-28' && {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } },
    }),
  })
  if (version !== '2026-07-28') client.setNotificationHandler('notifications/tools/list_changed', changed)
  const late = readMockTools(
    '[{"name": "late", "mock": {"returns": 1}}, {"name": "later", "mock": {"returns": 1}}]',
  ).tools
  // The stream for announcements may still be on its way.
  await eventually(async () => {
    const undo = late.map((tool) => rig.engine.registry.register(tool))
    await new Promise((resolve) => setTimeout(resolve, 200))
    if (changed.mock.calls.length === 0) for (const disposer of undo) disposer[Symbol.dispose]()
    expect(changed).toHaveBeenCalled()
  })
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['late', 'later']))
})

test('a token that may only run programs is shown and may call run_code alone', async () => {
  await using rig = await startMcpRig()
  const client = await rig.connect(CARL)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['run_code'])
  const refused = await client.callTool({ name: 'city_weather', arguments: { city: 'Oslo' } })
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'FORBIDDEN' } } })
  expect((await run(client, "return await tools.city.weather({ city: 'Oslo' })")).isError).toBeFalsy()
})
