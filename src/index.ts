/** The public names of Codeferry. Everything else is an implementation detail. */
export { createEngine, type Engine, type RunOptions, type RunResult } from './engine.ts'
export type { EngineOptions, EngineProblem, Isolation, PoolLimits } from './config.ts'
export type { ScopeOptions, ScopesOptions } from './declare-scopes.ts'
export { DEFAULT_LIMITS, type Limits } from './codemode/limits.ts'
export type { TypecheckMode } from './codemode/preflight.ts'
export type { RunEvent, RunValue } from './codemode/run-code.ts'
export type { CallSummary } from './codemode/bridge.ts'

export { defineTool } from './registry/define-tool.ts'
export { ToolRegistry } from './registry/registry.ts'
export { GLOBAL_SCOPE, RUN_CODE, type Mode } from './registry/scope.ts'
export type { ToolView } from './registry/view.ts'
export type { Execution, RenderIntent, ToolAnnotations, ToolDefinition, ToolOutput } from './registry/tool.ts'

export { ToolRuntime } from './pipeline/tool-runtime.ts'
export { CallBatch, type BatchCall, type BatchedResult, type BatchResult } from './pipeline/call-batch.ts'
export { STAGES } from './pipeline/stages.ts'
export type {
  ApprovalAnswer,
  ApprovalRequest,
  Approver,
  CallRequest,
  CallView,
  Guard,
  GuardDecision,
  Next,
  Observer,
  Passed,
  Policy,
  PostDecision,
  PreDecision,
} from './pipeline/call.ts'

export { createMemoryStore } from './session/memory-log.ts'
export { createSqliteStore } from './session/sqlite-log.ts'
export type { SessionLog, SessionStore, SessionSummary } from './session/log.ts'
export type { SessionEvent, StoredEvent } from './session/events.ts'

export { readMcpConfig, type ServerEntry } from './importers/mcp-config.ts'
export { importOpenApi, openApiSourceSchema, type OpenApiSource } from './importers/openapi.ts'
export { httpTools } from './importers/http/http-tools.ts'
export { httpToolSchema, type HttpToolEntry } from './importers/http/http-tool-schema.ts'

export { CodedError, hasCode, type Failure } from './data/failure.ts'
export { FAILURE_CODES, type FailureCode } from './data/failure-codes.ts'
export type { Approval, DurableResult, Failed, Outcome, Success } from './data/outcome.ts'
export type { ContentBlock, UserMessage } from './data/content.ts'
export { blockText } from './data/block-text.ts'
export type { Json, JsonObject } from './data/json.ts'

export { createAnnotationPolicy } from './policy/annotations.ts'
export { createApprovalPolicy } from './policy/approval.ts'
export { createHeadlessApprover } from './policy/headless-approver.ts'
export { createRatePolicy } from './policy/rate.ts'
export { createRedactPolicies, createRedactPolicy } from './policy/redact.ts'
export { createSpillPolicy } from './policy/spill.ts'
export { createTimeoutPolicy } from './policy/timeout.ts'

export { builtInPresenters, CardProjection, cardsOf, presentersOf, type Card, type FindPresenter } from './cards.ts'
export { watchLog } from './session/watch-log.ts'

export type { TelemetryOptions } from './telemetry/spans.ts'
export { createCallMetrics, type CallMetrics } from './telemetry/call-metrics.ts'

export { systemClock } from './pipeline/system-clock.ts'
export type { Clock } from './data/clock.ts'
export { deriveNames } from './registry/native-names.ts'
export { callTimeline, callTree, modelMessages } from './session/replay.ts'
export type { CallNode } from './session/call-tree.ts'
export { openSqliteReader } from './session/sqlite-log.ts'
