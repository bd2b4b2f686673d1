import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../../src/data/outcome.ts'
import { RUN_CODE } from '../../../src/registry/scope.ts'
import { abortListeners, contextTexts, createRig, onlyFor, textOf, tool } from '../../pipeline/rig.ts'
import { FAILURE_TABLE, FROM_BODY, type Row } from './failure-table.ts'

const TARGET = 'target'

for (const entry of ['native', 'nested'] as const) {
  describe(`${entry} call`, () => {
    for (const row of FAILURE_TABLE) {
      if (row.entries !== undefined && !row.entries.includes(entry)) continue
      test(`${row.title}: ${row.code ?? 'success'}`, () => verify(row, entry))
    }
  })
}

async function verify(row: Row, entry: 'native' | 'nested') {
  const caller = new AbortController()
  const at = row.arrange(() => caller.abort(new DOMException('the caller has gone', 'AbortError')))
  const rig = createRig({
    mode: at.mode ?? (entry === 'native' ? 'native' : 'both'),
    ...(at.approver !== undefined && { approver: at.approver }),
  })
  let finalized = 0
  const finalize = at.tool?.finalizeContent
  rig.registry.register(
    tool({
      name: TARGET,
      execute(_args, exec) {
        exec.deferContext(FROM_BODY)
        exec.concludeTurn()
        return 'done'
      },
      ...at.tool,
      finalizeContent(exec, result) {
        finalized++
        return finalize?.(exec, result)
      },
    }),
  )
  rig.registry.installRunCode(tool({ name: RUN_CODE }))
  const name = at.request?.name ?? TARGET
  let posts = 0
  rig.runtime.use(onlyFor(name, { name: 'probe', post: () => (posts++, { decision: 'keep' }) }))
  for (const policy of at.policies ?? []) rig.runtime.use(onlyFor(name, policy))
  for (const guard of at.guards ?? []) {
    rig.runtime.guard({
      name: guard.name,
      check: (call) => (call.toolName === name ? guard.check(call) : { decision: 'pass' }),
    })
  }
  if (at.hide === true) rig.registry.declareScope('narrow')
  if (at.hide === true) rig.registry.restrict('narrow', { deny: [TARGET] })
  if (at.abortFirst === true) caller.abort()

  const session = at.withoutSession === true ? {} : { session: rig.session }
  const request = {
    name,
    arguments: { value: {} },
    scope: at.hide === true ? 'narrow' : 'global',
    signal: caller.signal,
    ...session,
    ...at.request,
  }
  let pending: Promise<Outcome>
  if (entry === 'native') {
    pending = rig.runtime.execute({ ...request, entry: 'model' })
  } else {
    let nested: Outcome | undefined
    rig.registry.register(
      tool({
        name: 'composite',
        async execute(_args, exec) {
          nested = await rig.runtime.execute({ parent: exec.token, ...request, entry: 'program' })
          return 'the composite goes on'
        },
      }),
    )
    const outer = rig.runtime.execute({
      name: 'composite',
      arguments: { value: {} },
      scope: 'global',
      entry: 'host',
      ...session,
    })
    pending = outer.then((outcome) => {
      expect(outcome).toMatchObject({ isError: false })
      if (nested === undefined) throw new Error('the nested call did not settle')
      return nested
    })
  }
  if (at.advanceMs !== undefined) await rig.clock.advance(at.advanceMs)
  const outcome = await pending

  expect({
    code: outcome.isError ? outcome.error.code : undefined,
    phase: outcome.isError ? outcome.error.phase : undefined,
    post: posts,
    finalizer: finalized,
    contexts: contextTexts(outcome),
    concludes: !outcome.isError && outcome.concludesTurn === true,
  }).toEqual({
    code: row.code,
    phase: row.phase,
    post: row.post ? 1 : 0,
    finalizer: row.finalizer ? 1 : 0,
    contexts: row.contexts ?? [],
    concludes: row.concludes === true,
  })
  if (outcome.isError) {
    expect(outcome.error.bodyStarted).toBe(row.bodyStarted)
    expect(textOf(outcome)).toContain(`${outcome.error.code}: ${outcome.error.message}`)
    expect(outcome).not.toHaveProperty('value')
    expect(outcome).not.toHaveProperty('concludesTurn')
  }
  const [seen, ...more] = rig.observed.filter(({ call }) => call.toolName === name)
  expect(more).toEqual([])
  expect(seen?.outcome).toBe(outcome)
  expect(seen?.report.bodyStarted).toBe(row.bodyStarted)
  expect(abortListeners(caller.signal)).toBe(0)
}
