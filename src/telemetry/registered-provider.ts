import { trace, type TracerProvider } from '@opentelemetry/api'

/**
 * The tracer provider that somebody has registered, or undefined. The api always has one to give, which passes on to
 * nothing until then; only its delegate tells the two apart.
 */
export function registeredProvider(): TracerProvider | undefined {
  const provider: TracerProvider & { getDelegateTracer?: (name: string) => unknown } = trace.getTracerProvider()
  // By shape: another copy of the api in the same process has a class of its own, and the same global.
  if (typeof provider.getDelegateTracer !== 'function') return provider
  return provider.getDelegateTracer('codeferry') === undefined ? undefined : provider
}
