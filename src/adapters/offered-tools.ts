import {
  CodedError,
  GLOBAL_SCOPE,
  RUN_CODE,
  type Engine,
  type JsonObject,
  type Mode,
  type SessionLog,
} from '../index.ts'

export interface OfferOptions {
  /** Whose tools; also decides the scope. What its programs have learnt of results is in the description of `run_code`. */
  readonly session?: SessionLog
  /** Default: the session's, else the global one. */
  readonly scope?: string
  /** Sets the mode of the scope. Default: the one that it has. */
  readonly mode?: Mode
  /**
   * Where the model reads of the SDK: in the description of `run_code` (default), or in a system prompt that the caller
   * makes with `engine.systemPrompt()`; the description is then one sentence.
   */
  readonly sdkIn?: 'description' | 'system-prompt'
}

/** A tool as a provider is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** What the mode of the scope shows a model, in the registry's order: the same tools give the same bytes. */
export function offeredTools(engine: Engine, options: OfferOptions): readonly OfferedTool[] {
  const scope = scopeOf(options)
  const { mode, session, sdkIn = 'description' } = options
  if (mode !== undefined && engine.registry.view(scope).mode !== mode) engine.registry.setMode(scope, mode)
  return engine.registry.modelTools(scope).map(({ name, description, parameters }) => ({
    name,
    description:
      name === RUN_CODE && sdkIn === 'description' ? engine.runCodeDescription(scope, session?.sessionId) : description,
    parameters,
  }))
}

/** A session sees its own scope and no other. Throws `CONFIG_INVALID`. */
export function scopeOf({ session, scope }: Pick<OfferOptions, 'session' | 'scope'>): string {
  if (session === undefined) return scope ?? GLOBAL_SCOPE
  if (scope === undefined || scope === session.scope) return session.scope
  throw new CodedError(
    'CONFIG_INVALID',
    `session ${session.sessionId}: belongs to scope ${JSON.stringify(session.scope)}, not to ${JSON.stringify(scope)}; open a session of that scope, or leave the scope out`,
  )
}
