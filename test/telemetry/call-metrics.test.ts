import { expect, test } from 'vitest'
import { CodedError } from '../../src/data/failure.ts'
import { ToolRuntime } from '../../src/pipeline/tool-runtime.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { createCallMetrics } from '../../src/telemetry/call-metrics.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'
import { startRig, ALICE, BOB, json } from '../service/http/rig.ts'

const tools = [
  defineTool({ name: 'good', description: '', parameters: { type: 'object', properties: {} }, execute: () => 1 }),
  defineTool({
    name: 'bad',
    description: '',
    parameters: { type: 'object', properties: {} },
    execute() {
      throw new CodedError('DISK_FULL', 'no')
    },
  }),
]

test('runs are counted by how they ended, calls by tool and outcome', async () => {
  const metrics = createCallMetrics()
  await using engine = await createCheckedEngine({ tools, observers: [metrics.observer] })
  await engine.run('await tools.good({}); await tools.good({}); await tools.bad({}).catch(() => {})')
  await engine.run('throw new Error("x")')
  await engine.run('return await tools.god({})')
  const text = metrics.text()
  expect(text).toContain('codeferry_run_endings_total{code="ok"} 1\n')
  expect(text).toContain('codeferry_run_endings_total{code="PROGRAM_ERROR"} 1\n')
  expect(text).toContain('codeferry_run_duration_seconds_count 3\n')
  expect(text).toContain('codeferry_tool_calls_total{tool="good",outcome="ok"} 2\n')
  expect(text).toContain('codeferry_tool_calls_total{tool="bad",outcome="TOOL_CODE"} 1\n')
  expect(text).toContain('codeferry_tool_call_duration_seconds_count{tool="good"} 2\n')
  expect(text).not.toContain('DISK_FULL')
})

test('the text is what Prometheus reads: every series under its help and type, buckets that only grow', async () => {
  const metrics = createCallMetrics()
  await using engine = await createCheckedEngine({ tools, observers: [metrics.observer] })
  await engine.run('await tools.good({})')
  const lines = metrics.text().trimEnd().split('\n')
  let family = ''
  for (const line of lines) {
    if (line.startsWith('# HELP ')) family = line.split(' ')[2] ?? ''
    else if (line.startsWith('# TYPE ')) expect(line).toMatch(new RegExp(`^# TYPE ${family} (counter|histogram)$`))
    else
      expect(line).toMatch(
        new RegExp(`^${family}(_bucket|_sum|_count)?(\\{[a-z]+="[^"\\n]*"(,[a-z]+="[^"\\n]*")*\\})? [0-9.e+-]+$`),
      )
  }
  const buckets = lines.filter((line) => line.startsWith('codeferry_run_duration_seconds_bucket'))
  const counts = buckets.map((line) => Number(line.split(' ')[1]))
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(buckets.at(-1)).toBe('codeferry_run_duration_seconds_bucket{le="+Inf"} 1')
})

test('names that are no tool, and tools beyond the bound, make no series of their own', () => {
  const metrics = createCallMetrics()
  const settle = (toolName: string, isKnown: boolean) =>
    metrics.observer.settled?.(
      { toolName, ...(isKnown && { definition: {} }) } as never, // All that is read of a view.
      { isError: false, value: null, content: [] },
      { bodyStarted: true, durationMs: 400_000, stageNs: {}, diagnostics: [] },
    )
  for (let n = 0; n < 700; n++) settle(`invented-${n}`, false)
  for (let n = 0; n < 700; n++) settle(`tool-${n}`, true)
  const text = metrics.text()
  expect(text).not.toContain('invented')
  expect(text).toContain('{tool="(unknown)",outcome="ok"} 700\n')
  // One of the 500 names went to the unknown.
  expect(text).toContain('{tool="(other)",outcome="ok"} 201\n')
  expect(text.match(/codeferry_tool_calls_total\{/g)).toHaveLength(501)
})

test('an observer that is brief leaves calls untimed by stage, and another one does not', async () => {
  const stages: number[] = []
  const brief = { isBrief: true, settled: (_c: unknown, _o: unknown, report: { stageNs: object }) => void stages.push(Object.keys(report.stageNs).length) } // prettier-ignore
  await using engine = await createCheckedEngine({ tools })
  const { registry } = engine
  const runtime = new ToolRuntime({ registry, clock: { nowMs: Date.now, monotonicMs: () => 0, after: () => ({ [Symbol.dispose]() {} }) }, ids: () => 'x' }) // prettier-ignore
  runtime.observe(brief)
  const call = () => runtime.execute({ name: 'good', arguments: { value: {} }, scope: 'global', entry: 'host' })
  await call()
  using _other = runtime.observe({})
  await call()
  expect(stages[0]).toBe(0)
  expect(stages[1]).toBeGreaterThan(3)
})

test('an observer hears of a start before any policy, and what it throws stops nothing', async () => {
  const heard: string[] = []
  const problems: string[] = []
  await using engine = await createCheckedEngine({
    tools,
    policies: [{ name: 'p', pre: () => (heard.push('pre'), { decision: 'allow' }) }],
    observers: [
      {
        started(call) {
          heard.push(`started ${call.toolName}`)
          throw new Error('a listener')
        },
      },
      { started: () => void heard.push('second'), settled: () => void heard.push('settled') },
    ],
    onProblem: ({ message }) => void problems.push(message),
  })
  const outcome = await engine.runtime.execute({
    name: 'good',
    arguments: { value: {} },
    scope: 'global',
    entry: 'host',
  })
  expect(outcome.isError).toBe(false)
  expect(heard).toEqual(['started good', 'second', 'pre', 'settled'])
  expect(problems).toEqual(['OBSERVER_FAILED: an observer threw: a listener'])
})

test('GET /metrics has them, and names the tools that the scope of the token sees', async () => {
  const metrics = createCallMetrics()
  await using rig = await startRig({ engine: { observers: [metrics.observer] }, callMetrics: metrics })
  rig.engine.registry.register({ ...tools[0]!, name: 'only_a' }, { scope: 'team-a' })
  await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return await tools.only_a({})' } }))
  const textFor = async (token: string) => await (await rig.send(token, '/metrics')).text()
  expect(await textFor(ALICE)).toContain('codeferry_tool_calls_total{tool="only_a",outcome="ok"} 1\n')
  const other = await textFor(BOB)
  expect(other).not.toContain('only_a')
  expect(other).toContain('codeferry_tool_calls_total{tool="(other)",outcome="ok"} 1\n')
  expect(other).toContain('codeferry_run_endings_total{code="ok"} 1\n')
  expect(other).toMatch(/^codeferry_sandbox_children [1-9]/m)
  expect(other).toMatch(/^codeferry_sandbox_queue 0$/m)
})
