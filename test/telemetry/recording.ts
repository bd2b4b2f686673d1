import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'

export interface Recording extends Disposable {
  readonly provider: BasicTracerProvider
  spans(): readonly ReadableSpan[]
  /** The one span of this name. */
  named(name: string): ReadableSpan
}

/** A real tracer provider, context manager and propagator, registered until disposed; spans stay in memory. */
export function startRecording(): Recording {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const manager = new AsyncLocalStorageContextManager().enable()
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(manager)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return {
    provider,
    spans: () => exporter.getFinishedSpans(),
    named(name) {
      const found = exporter.getFinishedSpans().filter((span) => span.name === name)
      const [only] = found
      if (only === undefined || found.length > 1) throw new Error(`${found.length} spans are named ${name}`)
      return only
    },
    [Symbol.dispose]() {
      trace.disable()
      context.disable()
      propagation.disable()
    },
  }
}
