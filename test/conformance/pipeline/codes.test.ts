import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBridge } from '../../../src/codemode/bridge.ts'
import { DEFAULT_LIMITS } from '../../../src/codemode/limits.ts'
import type { GuestReply } from '../../../src/executor/executor.ts'
import { RUN_CODE } from '../../../src/registry/scope.ts'
import { createRig, tool } from '../../pipeline/rig.ts'
import { FAILURE_TABLE } from './failure-table.ts'

type Entry = 'native' | 'nested'

/** Codes of one entry alone, with the reason; each is met by its own test. */
const ONE_ENTRY: Readonly<Record<string, { readonly entry: Entry; readonly because: string }>> = {
  CALL_VIA_RUN_CODE: { entry: 'native', because: 'a call from a program is what it asks for' },
  VALUE_TOO_LARGE: { entry: 'nested', because: 'a model is never given a value, only content' },
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')
const section = /^## Calls$(.*?)^## /ms.exec(page)?.[1] ?? ''
const listed = [...section.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, code = '']) => code)

test('every code that docs/errors.md lists for calls is met by a row of the failure table, natively and nested', () => {
  expect(listed.length).toBeGreaterThan(15)
  const met = new Set<string>(['VALUE_TOO_LARGE nested'])
  for (const { code, entries = ['native', 'nested'] } of FAILURE_TABLE)
    for (const entry of entries) met.add(`${code} ${entry}`)
  const uncovered = listed
    .flatMap((code) =>
      (ONE_ENTRY[code] === undefined ? ['native', 'nested'] : [ONE_ENTRY[code].entry]).map(
        (entry) => `${code} ${entry}`,
      ),
    )
    .filter((wanted) => !met.has(wanted))
  console.info(`codes of calls: ${listed.length}; uncovered: ${uncovered.join(', ') || 'none'}`)
  expect(uncovered).toEqual([])
})

test('the failure table has no code that docs/errors.md does not list, but a tool’s own', () => {
  const unlisted = FAILURE_TABLE.flatMap(({ code }) => code ?? []).filter((code) => !listed.includes(code))
  expect(unlisted).toEqual(['QUOTA'])
})

test('a value that is larger than a program may receive: VALUE_TOO_LARGE, from the bridge, of a call that succeeded', async () => {
  const rig = createRig({ mode: 'both' })
  rig.registry.register(tool({ name: 'large', execute: () => 'x'.repeat(100) }))
  const replies: GuestReply[] = []
  rig.registry.installRunCode(
    tool({
      name: RUN_CODE,
      async execute(_args, exec) {
        const bridge = createBridge({
          runtime: rig.runtime,
          view: rig.registry.view('global'),
          exec,
          session: rig.session,
          limits: { ...DEFAULT_LIMITS, maxValueBytes: 101 },
          monotonicMs: () => rig.clock.monotonicMs(),
          artifacts: { put: (_owner, text) => ({ id: 'kept', length: text.length }), read: () => undefined },
          searchTools: () => null,
          describeTools: () => null,
          whileAsking: () => ({ [Symbol.dispose]: () => {} }),
        })
        replies.push(
          await bridge.call({ number: 1, op: 'call', name: 'large', argumentsJson: '{}', signal: exec.signal }),
        )
        await bridge.quiet()
        return 'the program goes on'
      },
    }),
  )
  expect(await rig.call(RUN_CODE)).toMatchObject({ isError: false })
  expect(replies.map(({ ok, json }) => [ok, JSON.parse(json)])).toMatchObject([
    [
      false,
      { tool: 'large', code: 'VALUE_TOO_LARGE', phase: 'value', bodyStarted: true, details: { artifactId: 'kept' } },
    ],
  ])
  expect(rig.session.events().at(-1)).toMatchObject({ type: 'tool/code-dispatch', name: 'large', isError: false })
})
