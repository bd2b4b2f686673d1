import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONFORMANCE_TOOLS } from './conformance-tools.ts'
import { ALICE, startMcpRig } from './http-rig.ts'
import { startTokenProxy } from './token-proxy.ts'

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
/** Scenarios that ask for what this server does not offer, with the reason. */
const exceptions = JSON.parse(readFileSync('test/service/mcp-conformance-exceptions.json', 'utf8')) as Record<
  string,
  string
>
const scenarios = (await suite('list', '--server')).output
  .split('\n')
  .flatMap((line) => /^ {2}- ([\w-]+)/.exec(line)?.[1] ?? [])

test('the suite has scenarios, and every exception is one of them with a reason', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(30)
  expect(scenarios).toEqual(expect.arrayContaining(Object.keys(exceptions)))
  for (const reason of Object.values(exceptions)) expect(reason.length).toBeGreaterThan(30)
})

test('every scenario of the public suite passes against /mcp, but for the exceptions, which fail', async () => {
  await using rig = await startMcpRig({ tools: CONFORMANCE_TOOLS })
  await using proxy = await startTokenProxy(rig.url, ALICE)
  const { output } = await suite('server', '--suite', 'all', '--url', `${proxy.url}/mcp`)
  const ran = new Map(
    [...output.matchAll(/^. ([\w-]+): (\d+) passed, (\d+) failed/gm)].map(([, name = '', passed, failed]) => [
      name,
      Number(passed) > 0 && Number(failed) === 0,
    ]),
  )
  expect([...ran.keys()].toSorted()).toEqual(scenarios.toSorted())
  const failed = [...ran].flatMap(([name, hasPassed]) => (hasPassed ? [] : [name]))
  expect(failed.toSorted()).toEqual(Object.keys(exceptions).toSorted())
}, 120_000)

function suite(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [SUITE, ...args],
      { timeout: 90_000, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` }),
    )
  })
}
