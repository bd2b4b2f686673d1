import type { Json } from '../data/json.ts'
import type { SessionId } from '../data/ids.ts'
import { RUN_CODE } from '../registry/scope.ts'
import type { ObservedResults } from '../sdk/observed/observed-text.ts'
import { boundShape, extendShape, shapeOf, type ValueShape } from '../sdk/observed/value-shape.ts'
import type { SessionUse } from '../sdk/session-sdk.ts'
import type { SessionLog } from '../session/log.ts'

/**
 * What a session knows of its tools from having used them: which were used last, and what those that declare no result
 * gave. In memory only, and never more than a few thousand shapes in all: the sessions that were used longest ago
 * forget first.
 */
export interface SessionTools {
  /** A call of this session has succeeded. `value` is what the caller got, after every policy. */
  used(session: SessionId, tool: UsedTool, value: Json): void
  /** Registered names, the latest first. */
  recent(session: SessionId): readonly string[]
  observed(session: SessionId): ObservedResults
  /** Both, for the text that the session is told; a session of an earlier process is known by its log. */
  useOf(log: SessionLog): SessionUse
  forget(session: SessionId): void
}

export interface UsedTool {
  readonly name: string
  readonly output: { readonly schema?: unknown }
}

export interface SessionToolsLimits {
  readonly maxSessions: number
  readonly maxRecent: number
  /** Tools of one session whose results are observed; those used longest ago are forgotten. */
  readonly maxObserved: number
  /** Of all sessions together. */
  readonly maxShapes: number
  /** Results of one tool that are looked at; the shape is what these showed. */
  readonly maxResults: number
  /** How large a shape may be. */
  readonly maxPlaces: number
}

const DEFAULTS: SessionToolsLimits = {
  maxSessions: 1_000,
  maxRecent: 24,
  maxObserved: 50,
  maxShapes: 2_000,
  maxResults: 200,
  maxPlaces: 200,
}

interface Known {
  /** The latest last, as sets and maps keep their order. */
  recent: Set<string>
  /** Whether `recent` holds what was used before this process, too. */
  isRecalled: boolean
  readonly observed: Map<string, { readonly shape: ValueShape; readonly results: number }>
}

export function createSessionTools(limits: Partial<SessionToolsLimits> = {}): SessionTools {
  const { maxSessions, maxRecent, maxObserved, maxShapes, maxResults, maxPlaces } = { ...DEFAULTS, ...limits }
  const knownBySession = new Map<SessionId, Known>()
  let shapes = 0

  function knownOf(session: SessionId): Known {
    const known = knownBySession.get(session) ?? { recent: new Set(), isRecalled: false, observed: new Map() }
    knownBySession.delete(session)
    knownBySession.set(session, known)
    return known
  }

  function forget(session: SessionId): void {
    shapes -= knownBySession.get(session)?.observed.size ?? 0
    knownBySession.delete(session)
  }

  /** The session that is in use is the last one, and goes only if it alone is too much. */
  function makeRoom(): void {
    for (const session of knownBySession.keys()) {
      if (knownBySession.size <= maxSessions && shapes <= maxShapes) return
      forget(session)
    }
  }

  const recent = (session: SessionId) => [...(knownBySession.get(session)?.recent ?? [])].reverse()
  const observed = (session: SessionId) => new Map(knownBySession.get(session)?.observed)

  function recall(log: SessionLog): void {
    const known = knownOf(log.sessionId)
    if (known.isRecalled) return
    const earlier = new Set<string>()
    for (const event of log.events()) {
      const isSuccess = (event.type === 'tool/result' || event.type === 'tool/code-dispatch') && !event.isError
      if (isSuccess && event.name !== RUN_CODE) addRecent(earlier, event.name, maxRecent)
    }
    // A dispatch that has just settled may not be in the log yet.
    for (const name of known.recent) addRecent(earlier, name, maxRecent)
    known.recent = earlier
    known.isRecalled = true
    makeRoom()
  }

  function observe(known: Known, name: string, value: Json): void {
    const before = known.observed.get(name)
    known.observed.delete(name)
    if (before === undefined) shapes += 1
    known.observed.set(name, before !== undefined && before.results >= maxResults ? before : next(before, value))
    const [oldest] = known.observed.keys()
    if (known.observed.size > maxObserved && oldest !== undefined) {
      known.observed.delete(oldest)
      shapes -= 1
    }
  }

  function next(before: { readonly shape: ValueShape; readonly results: number } | undefined, value: Json) {
    const shape = before === undefined ? shapeOf(value) : extendShape(before.shape, value)
    return {
      shape: shape === before?.shape ? shape : boundShape(shape, maxPlaces),
      results: (before?.results ?? 0) + 1,
    }
  }

  return {
    used(session, tool, value) {
      if (tool.name === RUN_CODE) return
      const known = knownOf(session)
      addRecent(known.recent, tool.name, maxRecent)
      if (tool.output.schema === undefined) observe(known, tool.name, value)
      makeRoom()
    },
    recent,
    observed,
    useOf(log) {
      recall(log)
      return { recent: recent(log.sessionId), observed: observed(log.sessionId) }
    },
    forget,
  }
}

function addRecent(recent: Set<string>, name: string, max: number): void {
  recent.delete(name)
  recent.add(name)
  const [oldest] = recent
  if (recent.size > max && oldest !== undefined) recent.delete(oldest)
}
