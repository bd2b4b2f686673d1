import { CallBatch, deriveNames, systemClock, type BatchResult, type Engine, type SessionLog } from '../index.ts'

export interface StepOptions {
  readonly signal?: AbortSignal
  /** Calls of tools with such a name are somebody else's, and left alone. Default: every call is made here. */
  readonly skip?: (name: string) => boolean
  /** Of those that may overlap. Default 16. */
  readonly maxConcurrentCalls?: number
}

/** A call as a provider's answer has it. */
export interface ProviderCall {
  readonly id: string
  /** The name that the model was shown. */
  readonly name: string
  /** The raw argument string. */
  readonly arguments: string
}

/**
 * Arguments as a provider's answer has them: the raw string, or what somebody on the way has parsed already. That none
 * came is not the same as `{}`: a tool that needs no arguments would run for an answer that was cut off.
 */
export function rawArguments(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}

/**
 * The calls of one step, as one batch: in the log, through every policy, results in the model's order. A call of a name
 * that does not exist, or with arguments that are no JSON, is a result like any other. Rejects only when the log does.
 */
export async function runStep(
  engine: Engine,
  session: SessionLog,
  calls: readonly ProviderCall[],
  { signal, maxConcurrentCalls }: Pick<StepOptions, 'signal' | 'maxConcurrentCalls'> = {},
): Promise<BatchResult> {
  const { nameByNative } = deriveNames(engine.registry.view(session.scope))
  const batch = new CallBatch({
    runtime: engine.runtime,
    session,
    scope: session.scope,
    clock: systemClock,
    ...(signal !== undefined && { signal }),
    ...(maxConcurrentCalls !== undefined && { maxConcurrentCalls }),
  })
  const result = await batch.run(
    calls.map(({ id, name, arguments: raw }) => ({
      ...(id !== '' && { callId: id }),
      name: nameByNative.get(name) ?? name,
      arguments: raw,
    })),
  )
  await session.flush()
  return result
}
