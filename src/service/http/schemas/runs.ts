import { z } from 'zod'
import { AnyJson, Approval, ContentBlock, Failure, ResourceId, UserMessage } from './shared.ts'

const LIMIT_NAMES = [
  'cpuMs',
  'wallMs',
  'memoryMb',
  'maxCalls',
  'maxConcurrentCalls',
  'maxLogBytes',
  'maxResultBytes',
] as const

export const RunRequest = z
  .strictObject({
    code: z.string().meta({ description: 'The program: TypeScript, the body of an async function.' }),
    description: z.string().max(1_000).optional().meta({ description: 'One line for the person who watches.' }),
    sessionId: ResourceId.optional().meta({
      description: 'A session of `POST /v1/sessions`. Default: one of its own.',
    }),
    timeoutMs: z.int().min(1).max(2_147_483_647).optional(),
    typecheck: z.enum(['error', 'notice', 'off']).optional(),
    limits: z
      .strictObject(Object.fromEntries(LIMIT_NAMES.map((name) => [name, z.int().min(1).max(2_147_483_647).optional()])))
      .optional()
      .meta({ description: 'May lower the limits of the service for this run, never raise them.' }),
  })
  .meta({ id: 'RunRequest' })

export const CallSummary = z
  .strictObject({
    callId: z.string(),
    name: z.string(),
    state: z.enum(['settled', 'abandoned', 'unstarted']),
    isError: z.boolean(),
    code: z.string().optional(),
    message: z.string().optional(),
    startedMs: z.number(),
    queuedMs: z.number(),
    runMs: z.number(),
  })
  .meta({ id: 'CallSummary' })

export const Run = z
  .strictObject({
    id: z.string(),
    sessionId: z.string(),
    callId: z.string().meta({ description: 'Of the call of `run_code` in the log of the session.' }),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    createdAtMs: z.number(),
    startedAtMs: z.number().optional(),
    endedAtMs: z.number().optional(),
    result: AnyJson.optional().meta({ description: 'What the program returned; absent when it returned nothing.' }),
    logs: z.array(z.strictObject({ level: z.string(), atMs: z.number(), text: z.string() })).optional(),
    calls: z.array(CallSummary).optional(),
    notices: z.array(z.strictObject({ code: z.string(), message: z.string() })).optional(),
    content: z.array(ContentBlock).optional().meta({ description: 'What a model should read of it.' }),
    contexts: z.array(UserMessage).optional(),
    concludesTurn: z.boolean().optional(),
    error: Failure.optional(),
    approval: Approval.optional(),
    isFromLog: z.literal(true).optional().meta({
      description: 'The run is no longer in memory: its returned value, console and calls are in `content` only.',
    }),
  })
  .meta({ id: 'Run' })

export const RUN_EXAMPLE = {
  id: 'run-6f1e0d5c8b7a49382716f5e4d3c2b1a0',
  sessionId: 'session-6f1e0d5c8b7a49382716f5e4d3c2b1a0',
  callId: 'call-6f1e0d5c8b7a49382716f5e4d3c2b1a0',
  status: 'succeeded',
  createdAtMs: 1_790_000_000_000,
  startedAtMs: 1_790_000_000_001,
  endedAtMs: 1_790_000_000_012,
  result: 42,
  logs: [],
  calls: [],
  notices: [],
  content: [{ type: 'text', text: '42' }],
  contexts: [],
  concludesTurn: false,
}
