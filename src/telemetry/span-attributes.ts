import type { Attributes } from '@opentelemetry/api'
import type { Json } from '../data/json.ts'
import type { Outcome } from '../data/outcome.ts'
import type { CallReport, CallView } from '../pipeline/call.ts'

/** Attribute names of OpenTelemetry's semantic conventions for generative AI (in development; as of version 1.37). */

/** Names come from models, ids from clients: a span is no place for a megabyte of either. */
const MAX_NAME = 128
const MAX_ID = 256
const MAX_CODE = 64

/** One name for all that does not exist: a backend groups by it, and models invent names without end. */
export function spanName(call: CallView): string {
  return call.definition === undefined ? 'execute_tool (unknown)' : `execute_tool ${call.toolName}`
}

export function startAttributes(call: CallView): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.toolName.slice(0, MAX_NAME),
    'gen_ai.tool.call.id': call.callId.slice(0, MAX_ID),
    'gen_ai.tool.type': 'function',
    ...(call.sessionId !== undefined && { 'gen_ai.conversation.id': call.sessionId }),
    'codeferry.scope': call.scope.slice(0, MAX_NAME),
    'codeferry.entry': call.entry,
    ...(call.parentCallId !== undefined && { 'codeferry.parent_call.id': call.parentCallId.slice(0, MAX_ID) }),
  }
}

export function endAttributes(outcome: Outcome, report: CallReport): Attributes {
  return {
    'codeferry.body_started': report.bodyStarted,
    ...(outcome.isError && {
      'error.type': outcome.error.code.slice(0, MAX_CODE),
      'codeferry.failure.phase': outcome.error.phase,
      'codeferry.failure.retryable': outcome.error.retryable,
    }),
    ...(report.diagnostics.length > 0 && {
      'codeferry.diagnostics': report.diagnostics.slice(0, 16).map(({ code }) => code.slice(0, MAX_CODE)),
    }),
  }
}

/** What the call was about: arguments (of `run_code`: the program) and result, each cut at `maxChars`. */
export function contentAttributes(call: CallView, outcome: Outcome, maxChars: number): Attributes {
  return {
    'gen_ai.tool.call.arguments': bounded(call.arguments, maxChars),
    'gen_ai.tool.call.result': bounded(
      outcome.isError ? { code: outcome.error.code, message: outcome.error.message } : outcome.value,
      maxChars,
    ),
  }
}

function bounded(value: Json, maxChars: number): string {
  const text = JSON.stringify(value)
  if (text.length <= maxChars) return text
  return `${text.slice(0, maxChars).toWellFormed()}… (${text.length - maxChars} more characters)`
}
