/** Threat-model rows I01–I10: who calls, what is asked about, what is then done. All of it is decided in the host. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createApprovalPolicy, createEngine, defineTool, RUN_CODE } from '../../src/index.ts'
import type { ApprovalRequest } from '../../src/index.ts'
import { looseTool, useBench } from '../support/hostile-bench.ts'

const seen: { callId: string; scope: string; sessionId?: string; rootCallId: string; name: string; args: string }[] = []
const questions: ApprovalRequest[] = []
let answer: (request: ApprovalRequest) => Promise<'approve' | 'reject'> = async () => 'approve'

const bench = useBench((record) => ({
  tools: [
    looseTool(record, 'pay', ({ to, amount }) => `paid ${String(amount)} to ${String(to)}`),
    looseTool(record, 'forbidden', () => 'done'),
  ],
  policies: [
    {
      name: 'watch',
      pre(call) {
        seen.push({
          callId: call.callId,
          scope: call.scope,
          rootCallId: call.rootCallId,
          name: call.toolName,
          args: JSON.stringify(call.arguments),
          ...(call.sessionId !== undefined && { sessionId: call.sessionId }),
        })
        return call.toolName === 'forbidden' ? { decision: 'deny', reason: 'not you' } : { decision: 'allow' }
      },
    },
    createApprovalPolicy({ rules: [{ tools: 'pay', reason: 'money leaves' }] }),
  ],
  approver: {
    async ask(request) {
      questions.push(request)
      return { answer: await answer(request), by: 'a person' }
    },
  },
}))

test('I01 identity that a program makes up is data: the host’s own stands beside it', async () => {
  const before = seen.length
  const { value, result } = await bench.attack(
    `return await tools.echo({ runId: 'r', tenant: 'admin', callId: 'c', user: 'root', scope: 'other', sessionId: 's', parent: 'p', token: {}, rootCallId: 'x' })`,
  )
  expect(value).toMatchObject({ tenant: 'admin', callId: 'c' })
  const call = seen.slice(before).find(({ name, rootCallId }) => name === 'echo' && rootCallId === result.callId)
  expect(call).toMatchObject({ callId: `${result.callId}/1`, scope: 'global', sessionId: result.sessionId })
})

test('I03 a guessed name of a tool that this run has not is UNKNOWN_TOOL, logged, and no body runs', async () => {
  const { value, calls, events } = await bench.attack(`
    const names = ['admin', 'echo2', 'registry', 'engine.run', '../echo', 'run_code', 'sdk.search', 'artifacts.read', 'innocent']
    return await Promise.all(names.map((name) => tools.full(name, {}).then(() => 'ran', (e) => e.code)))`)
  expect(new Set(value as string[])).toEqual(new Set(['UNKNOWN_TOOL']))
  expect(calls).toEqual([])
  const settled = events.filter((event) => event.type === 'tool/code-dispatch')
  expect(settled).toHaveLength(9)
  expect(settled.every((event) => event.isError && event.errorInfo?.code === 'UNKNOWN_TOOL')).toBe(true)
})

test('I03 a tool of another scope cannot be called by name', async () => {
  const { engine } = bench
  engine.registry.declareScope('elsewhere')
  engine.registry.register(
    defineTool({
      name: 'secret_tool',
      description: 'x',
      parameters: { type: 'object', properties: {} },
      execute: () => 'leaked',
    }),
    { scope: 'elsewhere' },
  )
  const { value } = await bench.attack(`return await tools.full(['secret', 'tool'].join('_'), {}).catch((e) => e.code)`)
  expect(value).toBe('UNKNOWN_TOOL')
})

test('I04 names of prototypes are ordinary: unknown where nobody registered them', async () => {
  const { value } = await bench.attack(`
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '', 'valueOf', 'prototype', '__defineGetter__']
    const codes = []
    for (const name of names) codes.push(await tools.full(name, {}).then(() => 'ran', (e) => e.code))
    for (const name of names) codes.push(typeof tools[name])
    return codes`)
  expect((value as string[]).slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 'UNKNOWN_TOOL'))
  expect((value as string[]).slice(9)).toEqual(Array.from({ length: 9 }, () => 'undefined'))
})

test('I04 registered under such names, tools are called as themselves or refused at registration', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'valueOf']
  const refused: string[] = []
  bench.engine.registry.declareScope('odd')
  for (const name of names) {
    try {
      bench.engine.registry.register(
        defineTool({
          name,
          description: 'x',
          parameters: { type: 'object', properties: {} },
          execute: () => `I am ${name}`,
        }),
        { scope: 'odd' },
      )
    } catch {
      refused.push(name)
    }
  }
  const kept = names.filter((name) => !refused.includes(name))
  const { value } = await bench
    .attack(
      `const all = {}; for (const name of ${JSON.stringify(kept)}) Object.defineProperty(all, name, { value: (await tools.full(name, {})).value, enumerable: true }); return Object.entries(all)`,
      { scope: 'odd' },
    )
    .catch((thrown: unknown) => ({ value: String(thrown) }))
  expect(value).toEqual(kept.map((name) => [name, `I am ${name}`]))
  expect(() =>
    defineTool({ name: '', description: 'x', parameters: { type: 'object', properties: {} }, execute: () => 1 }),
  ).toThrow()
})

test.each([
  ['another case', 'ECHO'],
  ['a homoglyph', 'еcho'],
  ['a NUL behind it', 'echo\u0000'],
  ['a space behind it', 'echo '],
  ['a space before it', ' echo'],
  ['a zero-width joiner', 'ec\u200dho'],
  ['full width', 'ｅｃｈｏ'],
  ['a decomposed accent', 'ech\u006f\u0301'],
])('I05 %s is not the tool', async (_name, name) => {
  const { value, calls } = await bench.attack(
    `const name = ${JSON.stringify(name)}; return await tools.full(name, {}).then(() => 'ran', (e) => e.code)`,
  )
  expect([value, calls]).toEqual(['UNKNOWN_TOOL', []])
})

test('I06 what is approved is what is executed, whatever the program does to its arguments meanwhile', async () => {
  answer = async () => (await pause(120), 'approve')
  const before = questions.length
  const { value, calls } = await bench.attack(`
    const args = { to: 'alice', amount: 1, nested: { list: [1] } }
    const call = tools.pay(args)
    args.to = 'mallory'; args.amount = 1e9; args.nested.list.push(2)
    await Promise.resolve(); Object.setPrototypeOf(args, { to: 'mallory' }); delete args.amount
    return await call`)
  expect(value).toBe('paid 1 to alice')
  expect(questions.slice(before).map(({ arguments: asked }) => asked)).toEqual([
    { to: 'alice', amount: 1, nested: { list: [1] } },
  ])
  expect(calls.map(({ args }) => args)).toEqual(questions.slice(before).map(({ arguments: asked }) => asked))
  expect(Object.isFrozen(calls[0]?.args)).toBe(true)
})

test('I07 an approval is for one call: the same call again is asked again', async () => {
  const before = questions.length
  answer = async () => (questions.length - before === 1 ? 'approve' : 'reject')
  const { value, calls } = await bench.attack(`
    const results = []
    for (let n = 0; n < 3; n++) results.push(await tools.pay({ to: 'bob', amount: 5 }).catch((e) => e.code))
    return results`)
  expect(value).toEqual(['paid 5 to bob', 'APPROVAL_REJECTED', 'APPROVAL_REJECTED'])
  expect([calls.length, questions.length - before]).toEqual([1, 3])
  expect(new Set(questions.slice(before).map(({ callId }) => callId)).size).toBe(3)
})

test('I08 a denied tool in a loop that catches is denied each time, counted, and ended by the budget', async () => {
  const { code, calls, events } = await bench.attack(
    `for (;;) try { await tools.forbidden({}) } catch (e) { if (e.code === 'CALL_LIMIT') throw e }`,
    {
      limits: { maxCalls: 40 },
    },
  )
  expect([code, calls]).toEqual(['CALL_LIMIT', []])
  const settled = events.filter((event) => event.type === 'tool/code-dispatch')
  expect(settled.map((event) => event.errorInfo?.code)).toEqual(Array.from({ length: 40 }, () => 'POLICY_DENIED'))
})

test('I09 a program that calls run_code is refused, and told why', async () => {
  const { value, calls } = await bench.attack(
    `const name = ['run', 'code'].join('_'); return await tools.full(name, { code: 'return 1' }).catch((e) => [e.code, e.message])`,
  )
  expect(value).toEqual(['UNKNOWN_TOOL', expect.stringMatching(/program|run_code/)])
  expect(calls).toEqual([])
})

test('I09 a tool of the host that runs a program for a program is a call of its own, with its own budget', async () => {
  const { value } = await bench.attack(`return typeof tools[${JSON.stringify(RUN_CODE)}]`)
  expect(value).toBe('undefined')
})

test('I10 two owners of one name: each keeps its qualified name, and neither takes the other’s', async () => {
  const make = (namespace: string) =>
    defineTool({
      name: 'read',
      namespace,
      description: namespace,
      parameters: { type: 'object', properties: {} },
      execute: () => namespace,
    })
  await using engine = await createEngine({ typecheck: 'off', tools: [make('alpha'), make('beta')] })
  const { value } = await engine.run(
    `return [await tools.alpha.read(), await tools.beta.read(), await tools['alpha.read'](), await tools.full(['re', 'ad'].join(''), {}).catch((e) => e.code)]`,
  )
  expect(value?.result).toEqual(['alpha', 'beta', 'alpha', 'UNKNOWN_TOOL'])
  expect(() => engine.registry.registerAll([make('alpha')])).toThrow(/alpha\.read/)
})
