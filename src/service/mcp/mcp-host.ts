import type { Engine } from '../../engine.ts'
import type { SessionLog } from '../../session/log.ts'
import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { EngineLease } from '../runs/engine-leases.ts'
import type { ParkedCalls } from './parked-calls.ts'

/** What one peer's MCP server stands on: which tools it sees, what it may do with them, and who answers for it. */
export interface McpHost {
  readonly scope: string
  readonly version: string
  readonly questions: QuestionRules
  /** Calls that wait for the peer's answer between two of its requests. */
  readonly parked: ParkedCalls
  /** The engine of this moment, to look at; `begin` is for work. */
  look(): EngineLease
  /** Whether the peer may call this tool, `run_code` included. */
  mayCall(name: string): boolean
  /** A turn to make calls. Throws what `refusalOf` understands when there is none to be had. */
  begin(signal: AbortSignal): Promise<McpWork>
  /** A call has settled. */
  onSettled(isError: boolean): void
  readonly onProblem: (message: string) => void
}

export interface McpWork extends Disposable {
  readonly engine: Engine
  readonly log: SessionLog
  readonly signal: AbortSignal
}

/** Who is asked when a call needs a person's approval. */
export interface QuestionRules {
  /** Absent: the engine's approver asks whom it likes, and the peer hears nothing of it. */
  readonly desk?: ApprovalDesk
  /**
   * Whether the peer's client may put the question to its user. The answer comes over the connection that the model's
   * calls come over: whoever controls that client can say yes to what it asked for itself.
   */
  readonly mayElicit: () => boolean
  /** Written into the log as who decided. */
  readonly by: () => string
  /** Other people who can answer. Absent: a client that cannot ask gets a refusal at once. */
  readonly elsewhere?: Elsewhere
}

export interface Elsewhere {
  /** Where they look, in words for the model. */
  readonly place: string
  /** How long a client that hears no progress is kept waiting: below the usual time-out of clients, which say nothing useful. */
  readonly waitMs: number
  /** How often one that does is told again. */
  readonly remindMs: number
}
