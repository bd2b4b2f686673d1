import { expect, test, vi } from 'vitest'
import { ALICE, startMcpRig } from './http-rig.ts'

test('a server upstream that changes its tools changes what a client of /mcp is told and can call', async () => {
  await using rig = await startMcpRig({
    engine: {
      mcpServers: [
        {
          name: 'odd',
          transport: 'stdio',
          command: process.execPath,
          args: ['test/support/servers/odd-server.ts', 'plain'],
        },
      ],
    },
  })
  const client = await rig.connect(ALICE)
  const changed = vi.fn<() => void>()
  client.setNotificationHandler('notifications/tools/list_changed', changed)
  const named = async () => (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name)
  expect(await named()).toContain('odd_grow')
  expect(await named()).not.toContain('odd_grown')
  // The stream for announcements is opened after the handshake.
  await vi.waitFor(
    async () => {
      await client.callTool({ name: 'run_code', arguments: { code: 'return await tools.odd.grow()' } })
      expect(changed).toHaveBeenCalled()
    },
    { timeout: 30_000, interval: 200 },
  )
  expect(await named()).toContain('odd_grown')
  const called = await client.callTool({ name: 'run_code', arguments: { code: 'return await tools.odd.grown()' } })
  expect(called.structuredContent).toMatchObject({ result: 'you said nothing' })
})
