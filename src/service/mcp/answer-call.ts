import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { McpHost } from './mcp-host.ts'
import { LiveCall, type Attachment, type CallOrder } from './live-call.ts'
import type { Question } from './question.ts'
import { askElsewhere } from './ask-elsewhere.ts'
import { canShowForm, questionForm, readAnswer } from './question-form.ts'
import { createProgressReporter } from './progress.ts'
import { failedResult } from './result.ts'

/** How the client that sent this request can be asked. */
export interface Peer {
  /** `rounds`: it gets the questions as the answer to its request, and comes back; `push`: it is asked meanwhile. */
  readonly asking: 'rounds' | 'push'
  readonly capabilities: ClientCapabilities | undefined
}

/** The answer to one `tools/call`: a result, or questions with which the client is to come back. */
export async function answerCall(
  host: McpHost,
  order: CallOrder,
  peer: Peer,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const here: Attachment = { signals: signalsOf(ctx), onStep: createProgressReporter(ctx) }
  const state = ctx.mcpReq.requestState<string>()
  if (state === undefined) return await follow(host, new LiveCall(host, order, here), peer, ctx, here)

  const call = typeof state === 'string' ? host.parked.take(state, order) : undefined
  // Never begun anew: what the call did before its question would be done twice.
  if (call === undefined) return failedResult('APPROVAL_CANCELLED', GONE)
  call.attach(here)
  for (const question of call.openQuestions) {
    const answer = inputResponse(ctx.mcpReq.inputResponses, question.approval.id)
    if (answer.kind === 'elicit') question.decide(readAnswer(answer.action, answer.content, host.questions.by()))
  }
  return await follow(host, call, peer, ctx, here)
}

const GONE =
  'the questions that these answers are for are no longer open: the call was cancelled, was answered already, or the service began anew. What the call did before it asked is done; look before you call again.'

/** A cancelled request, and for HTTP the connection that it came over. */
function signalsOf(ctx: ServerContext): readonly AbortSignal[] {
  const http = ctx.http?.req?.signal
  return http === undefined ? [ctx.mcpReq.signal] : [ctx.mcpReq.signal, http]
}

async function follow(
  host: McpHost,
  call: LiveCall,
  peer: Peer,
  ctx: ServerContext,
  here: Attachment,
): Promise<CallToolResult | InputRequiredResult> {
  const { questions: rules } = host
  const asksClient = rules.mayElicit() && canShowForm(peer.capabilities)
  // Those that the client was asked before and did not answer are asked again.
  let waiting: readonly Question[] = asksClient && peer.asking === 'rounds' ? unanswered(call) : []
  let pushing: Promise<void> = Promise.resolve()
  for (;;) {
    if (waiting.length > 0) {
      const asked = park(host, call)
      if (asked !== undefined) return asked
      for (const question of waiting) question.decide({ answer: 'reject', by: BY_US, reason: TOO_MANY })
      waiting = []
    }
    const next = await call.next()
    if (next.kind === 'settled') return next.result
    if (!asksClient) for (const question of next.questions) askElsewhere(question, rules, here.onStep)
    else if (peer.asking === 'rounds') waiting = unanswered(call)
    // One form at a time: a person answers what is in front.
    else for (const question of next.questions) pushing = pushing.then(() => push(question, host, ctx))
  }
}

const BY_US = 'codeferry'
const TOO_MANY = 'too many calls of this client wait for a person already; answer some of them first'

function unanswered(call: LiveCall): readonly Question[] {
  return call.openQuestions.filter(({ closed }) => !closed.aborted)
}

/** Undefined when there is no place to wait. */
function park(host: McpHost, call: LiveCall): InputRequiredResult | undefined {
  const requestState = host.parked.park(call)
  if (requestState === undefined) return undefined
  call.detach()
  const inputRequests: InputRequests = {}
  for (const { approval } of unanswered(call)) inputRequests[approval.id] = inputRequired.elicit(questionForm(approval))
  return inputRequired({ inputRequests, requestState })
}

/** Asks at once, over the connection. A client that fails to ask has not said yes. */
async function push({ approval, closed, decide }: Question, host: McpHost, ctx: ServerContext): Promise<void> {
  if (closed.aborted) return
  const by = host.questions.by()
  try {
    const { action, content } = await ctx.mcpReq.elicitInput(questionForm(approval), {
      signal: closed,
      timeout: LONGEST_TIMER,
    })
    decide(readAnswer(action, content, by))
  } catch {
    // Either somebody else was first, and this changes nothing, or the client answered with an error or with nonsense.
    decide({ answer: 'reject', by: BY_US, reason: 'the client could not ask its user' })
  }
}

/** The question has its own time limit; Node's timers take no more. */
const LONGEST_TIMER = 2 ** 31 - 1
