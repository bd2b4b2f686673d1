import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { serveMcp } from '../../src/service/mcp/server.ts'
import { traceMeta, withTraceContext } from '../../src/telemetry/trace-context.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'
import { ALICE, json, startRig } from '../service/http/rig.ts'
import { startMetaServer } from './meta-server.ts'
import { startRecording, type Recording } from './recording.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT_ID = 'b7ad6b7169203331'
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`

let recording: Recording
beforeEach(() => {
  recording = startRecording()
})
afterEach(() => recording[Symbol.dispose]())

const activeTraceId = () => trace.getSpanContext(context.active())?.traceId

describe('trace context that comes in', () => {
  test('from headers and from records is the parent of the work', () => {
    expect(withTraceContext(new Headers({ traceparent: TRACEPARENT }), activeTraceId)).toBe(TRACE_ID)
    expect(withTraceContext({ traceparent: TRACEPARENT }, activeTraceId)).toBe(TRACE_ID)
  })

  test.each([
    undefined,
    null,
    'text',
    {},
    { traceparent: 7 },
    { traceparent: 'nonsense' },
    { traceparent: `00-${'0'.repeat(32)}-${PARENT_ID}-01` },
    { traceparent: TRACEPARENT.padEnd(10_000, '-') },
    Object.create({ traceparent: TRACEPARENT }) as object,
  ])('%j leaves the work in the context that it has', (carrier) => {
    const own = recording.provider.getTracer('host').startSpan('own', {}, ROOT_CONTEXT)
    context.with(trace.setSpan(ROOT_CONTEXT, own), () => {
      expect(withTraceContext(carrier, activeTraceId)).toBe(own.spanContext().traceId)
    })
  })

  test('whatever a stranger sends, the work is done and its result given', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), fc.string(), (carrier, traceparent) => {
        expect(withTraceContext(carrier, () => 1)).toBe(1)
        expect(withTraceContext({ traceparent, tracestate: traceparent, baggage: traceparent }, () => 1)).toBe(1)
      }),
    )
  })

  test('of an HTTP request is the parent of the run that it starts', async () => {
    await using rig = await startRig()
    await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return 1' }, headers: { traceparent: TRACEPARENT } }))
    const run = recording.named('execute_tool run_code')
    expect(run.spanContext().traceId).toBe(TRACE_ID)
    expect(run.parentSpanContext?.spanId).toBe(PARENT_ID)
  })

  test('of an HTTP request is the parent of the calls of a step, and not of another request', async () => {
    await using rig = await startRig()
    const session = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
    const path = `/v1/sessions/${String(session['sessionId'] ?? session['id'])}/steps`
    const body = (id: string) => ({ calls: [{ callId: id, name: 'city_weather', arguments: '{"city":"Oslo"}' }] })
    await Promise.all([
      json(rig.send(ALICE, path, { body: body('a'), headers: { traceparent: TRACEPARENT } })),
      json(rig.send(ALICE, path, { body: body('b') })),
    ])
    const traceOf = new Map(
      recording.spans().map((span) => [span.attributes['gen_ai.tool.call.id'], span.spanContext().traceId]),
    )
    expect(traceOf.get('a')).toBe(TRACE_ID)
    expect(traceOf.get('b')).not.toBe(TRACE_ID)
  })

  test('in the _meta of an MCP call is the parent of that call', async () => {
    await using engine = await createCheckedEngine({ requireConfinement: 'none' })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await using _server = serveMcp(engine, theirs, { mode: 'code' })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(ours)
    await client.callTool({
      name: 'run_code',
      arguments: { code: 'return 1' },
      _meta: { traceparent: TRACEPARENT },
    })
    await client.close()
    expect(recording.named('execute_tool run_code').parentSpanContext?.spanId).toBe(PARENT_ID)
  })
})

describe('trace context that goes out', () => {
  test('is that of the active span, and nothing where there is none', () => {
    expect(traceMeta()).toBeUndefined()
    expect(withTraceContext({ traceparent: TRACEPARENT }, traceMeta)).toEqual({ traceparent: TRACEPARENT })
  })

  test('has no key that MCP has no meaning for', () => {
    propagation.disable()
    propagation.setGlobalPropagator({
      inject: (_context, carrier, setter) => {
        setter.set(carrier, 'x-b3-traceid', TRACE_ID)
        setter.set(carrier, '__proto__', TRACE_ID)
      },
      extract: (into) => into,
      fields: () => [],
    })
    expect(traceMeta()).toBeUndefined()
  })

  test('reaches an upstream server in the _meta of each call, with the span of that very call', async () => {
    await using upstream = await startMetaServer()
    await using engine = await createCheckedEngine({
      mcpServers: [{ name: 'up', transport: 'streamable-http', url: upstream.url }],
    })
    expect(engine.problems).toEqual([])
    await engine.run('await tools.up.note({}); await tools.up.note({})')
    const spans = recording.spans().filter(({ name }) => name === 'execute_tool up.note')
    expect(spans).toHaveLength(2)
    expect(upstream.metas.map((meta) => meta['traceparent'])).toEqual(
      spans.map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`),
    )
    expect(upstream.metas.every((meta) => typeof meta['codeferry/idempotency-key'] === 'string')).toBe(true)
  })
})

test('without a registered propagator a context that is sent changes nothing, and none is told', () => {
  recording[Symbol.dispose]()
  expect(withTraceContext({ traceparent: TRACEPARENT }, () => [activeTraceId(), traceMeta()])).toEqual([
    undefined,
    undefined,
  ])
})
