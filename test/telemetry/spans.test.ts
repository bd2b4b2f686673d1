import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { hrTimeToMilliseconds } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CodedError } from '../../src/data/failure.ts'
import type { Engine } from '../../src/engine.ts'
import { STAGES } from '../../src/pipeline/stages.ts'
import { systemClock } from '../../src/pipeline/system-clock.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { createSpans } from '../../src/telemetry/spans.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'
import { startRecording, type Recording } from './recording.ts'

let activeInBody: string | undefined

const tools = [
  defineTool({
    name: 'add',
    namespace: 'sum',
    description: 'Adds.',
    parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    isConcurrencySafe: () => true,
    async execute({ a }) {
      await new Promise((resolve) => setImmediate(resolve))
      activeInBody = trace.getActiveSpan()?.spanContext().spanId
      return a + 1
    },
  }),
  defineTool({
    name: 'fail',
    description: 'Fails with the secret it was given.',
    parameters: { type: 'object', properties: { secret: { type: 'string' } } },
    execute({ secret }) {
      throw new CodedError('LOCKED', `cannot open with ${secret}`)
    },
  }),
]

const PROGRAM = `
const [one, two] = await Promise.all([tools.sum.add({ a: 1 }), tools.sum.add({ a: 2 })])
const code = await tools.fail({ secret: 'hunter2' }).catch((error) => error.code)
return { one, two, code }`

describe('with a registered provider', () => {
  let recording: Recording
  let engine: Engine
  beforeAll(async () => {
    recording = startRecording()
    engine = await createCheckedEngine({ tools })
    await engine.run(PROGRAM, { callId: 'call-1', session: engine.openSession({ id: 'spans' }) })
  })
  afterAll(async () => {
    await engine[Symbol.asyncDispose]()
    recording[Symbol.dispose]()
  })

  test('a run is one span, and each call of its program a child of that', () => {
    const run = recording.named('execute_tool run_code')
    const nested = recording.spans().filter((span) => span !== run)
    expect(nested.map(({ name }) => name).toSorted()).toEqual([
      'execute_tool fail',
      'execute_tool sum.add',
      'execute_tool sum.add',
    ])
    for (const span of nested) {
      expect(span.parentSpanContext?.spanId).toBe(run.spanContext().spanId)
      expect(span.spanContext().traceId).toBe(run.spanContext().traceId)
    }
    expect(run.parentSpanContext).toBeUndefined()
  })

  test('attributes are those of the conventions for generative AI', () => {
    expect(recording.named('execute_tool run_code').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'run_code',
      'gen_ai.tool.call.id': 'call-1',
      'gen_ai.tool.type': 'function',
      'gen_ai.conversation.id': 'spans',
      'codeferry.scope': 'global',
      'codeferry.entry': 'model',
      'codeferry.body_started': true,
    })
    expect(recording.named('execute_tool fail').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'fail',
      'gen_ai.tool.call.id': 'call-1/3',
      'gen_ai.tool.type': 'function',
      'gen_ai.conversation.id': 'spans',
      'codeferry.scope': 'global',
      'codeferry.entry': 'program',
      'codeferry.parent_call.id': 'call-1',
      'codeferry.body_started': true,
      'error.type': 'LOCKED',
      'codeferry.failure.phase': 'body',
      'codeferry.failure.retryable': false,
    })
    expect(recording.named('execute_tool fail').kind).toBe(SpanKind.INTERNAL)
  })

  test('a failure is an error without its words, as they quote contents', () => {
    expect(recording.named('execute_tool fail').status).toEqual({ code: SpanStatusCode.ERROR })
    expect(recording.named('execute_tool run_code').status.code).toBe(SpanStatusCode.UNSET)
    const everything = JSON.stringify(recording.spans().map(({ attributes, events }) => [attributes, events]))
    expect(everything).not.toContain('hunter2')
    expect(everything).not.toContain('Promise.all')
  })

  test('stages are events, by the names and in the order of the pipeline', () => {
    const { events, startTime, endTime } = recording.named('execute_tool fail')
    const names = events.map(({ name }) => name)
    expect(names).toContain('guards')
    expect(names).toContain('body')
    expect(names).toContain('observe')
    expect(names).toEqual(STAGES.filter((stage) => names.includes(stage)))
    const times = events.map(({ time }) => hrTimeToMilliseconds(time))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBe(hrTimeToMilliseconds(startTime))
    // Each stage is rounded to a nanosecond by itself.
    expect(times.at(-1)).toBeLessThanOrEqual(hrTimeToMilliseconds(endTime) + 0.01)
    expect(events.every(({ attributes }) => Number(attributes?.['codeferry.stage.duration_ms']) >= 0)).toBe(true)
  })

  test('no child sticks out of its parent', () => {
    const run = recording.named('execute_tool run_code')
    for (const span of recording.spans()) {
      expect(hrTimeToMilliseconds(span.startTime)).toBeGreaterThanOrEqual(hrTimeToMilliseconds(run.startTime))
      expect(hrTimeToMilliseconds(span.endTime)).toBeLessThanOrEqual(hrTimeToMilliseconds(run.endTime) + 0.01)
    }
  })

  test('in a body the span of its call is the active one', async () => {
    await engine.runtime.execute({
      name: 'sum.add',
      arguments: { value: { a: 1 } },
      scope: 'global',
      entry: 'host',
    })
    expect(activeInBody).toBe(recording.spans().at(-1)?.spanContext().spanId)
  })

  test('a call belongs to the span that is active where it is made', async () => {
    const outer = recording.provider.getTracer('host').startSpan('request', {}, ROOT_CONTEXT)
    await context.with(trace.setSpan(ROOT_CONTEXT, outer), () => engine.run('return 1'))
    outer.end()
    const run = recording.spans().findLast(({ name }) => name === 'execute_tool run_code')
    expect(run?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
  })

  test('names that do not exist share one span name, and an invented one is cut', async () => {
    const name = 'x'.repeat(5_000)
    await engine.runtime.execute({ name, arguments: { raw: '{}' }, scope: 'global', entry: 'model' })
    const span = recording.spans().at(-1)
    expect(span?.name).toBe('execute_tool (unknown)')
    expect(span?.attributes['gen_ai.tool.name']).toBe('x'.repeat(128))
    expect(span?.attributes['error.type']).toBe('UNKNOWN_TOOL')
  })

  test('a call that was refused before its body has a span as well', async () => {
    await engine.runtime.execute({ name: 'fail', arguments: { raw: '{oops' }, scope: 'global', entry: 'host' })
    expect(recording.spans().at(-1)?.attributes).toMatchObject({
      'error.type': 'INVALID_ARGS',
      'codeferry.body_started': false,
    })
  })
})

describe('contents', () => {
  let exporter: InMemorySpanExporter
  let tracerProvider: BasicTracerProvider
  beforeEach(() => {
    exporter = new InMemorySpanExporter()
    tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  })

  test('are recorded by option: program, arguments and results', async () => {
    await using engine = await createCheckedEngine({ tools, telemetry: { tracerProvider, content: true } })
    await engine.run(PROGRAM)
    const byName = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name)?.attributes
    expect(byName('execute_tool run_code')?.['gen_ai.tool.call.arguments']).toBe(JSON.stringify({ code: PROGRAM }))
    expect(byName('execute_tool run_code')?.['gen_ai.tool.call.result']).toContain('"code":"LOCKED"')
    expect(byName('execute_tool fail')?.['gen_ai.tool.call.arguments']).toBe('{"secret":"hunter2"}')
    expect(byName('execute_tool fail')?.['gen_ai.tool.call.result']).toContain('cannot open with hunter2')
  })

  test('are cut at the limit, and the span says so', async () => {
    await using engine = await createCheckedEngine({
      tools,
      telemetry: { tracerProvider, content: true, maxContentChars: 20 },
    })
    await engine.run(`return '${'😀'.repeat(30)}'`)
    const { attributes } = exporter.getFinishedSpans()[0]!
    expect(attributes['gen_ai.tool.call.arguments']).toMatch(/^.{20}… \(\d+ more characters\)$/s)
    expect(String(attributes['gen_ai.tool.call.arguments']).isWellFormed()).toBe(true)
  })

  test.each([0, -1, 1.5, Number.NaN, 1_000_001])('a limit of %s is refused', (maxContentChars) => {
    expect(() => createSpans({ tracerProvider, maxContentChars }, systemClock)).toThrow(/maxContentChars/)
  })
})

describe('without anybody to receive spans', () => {
  test('nothing is mounted', () => {
    expect(createSpans({}, systemClock)).toBeUndefined()
  })

  test('telemetry: false makes none, whoever is registered', async () => {
    using recording = startRecording()
    await using engine = await createCheckedEngine({ tools, telemetry: false })
    await engine.run('return 1')
    expect(recording.spans()).toEqual([])
  })
})

test('calls that share an id by mistake keep their own spans', async () => {
  using recording = startRecording()
  const spans = createSpans({}, systemClock)!
  const view = (toolName: string) =>
    Object.freeze({
      callId: 'call-1',
      rootCallId: 'call-1',
      toolName,
      scope: 'global',
      entry: 'host',
      arguments: {},
      hasSession: false,
    }) as unknown as Parameters<NonNullable<typeof spans.observer.settled>>[0] // Ids without their brands.
  const report = { bodyStarted: true, durationMs: 1, stageNs: {}, diagnostics: [] }
  const [a, b] = [view('a'), view('b')]
  spans.observer.started?.(a)
  spans.observer.started?.(b)
  for (const call of [a, b]) spans.observer.settled?.(call, { isError: false, value: null, content: [] }, report)
  expect(recording.spans().map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual(['a', 'b'])
})
