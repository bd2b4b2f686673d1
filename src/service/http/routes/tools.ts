import type { z } from 'zod'
import type { ContentBlock } from '../../../data/content.ts'
import { createFailure, type Failure } from '../../../data/failure.ts'
import { deriveNames } from '../../../registry/native-names.ts'
import { modelToolsOf } from '../../../registry/model-tools.ts'
import { RUN_CODE } from '../../../registry/scope.ts'
import { isOpenToModel } from '../../../registry/tier.ts'
import { searchTools } from '../../../sdk/search.ts'
import { tokensOf } from '../../../sdk/render.ts'
import type { SessionLog } from '../../../session/log.ts'
import { listTools } from '../../mcp/tool-list.ts'
import { isCallOf, lastLoggedCall } from '../../runs/logged-call.ts'
import { keyedCallIds } from '../../runs/run-ids.ts'
import { makeCalls } from '../make-calls.ts'
import { keyReused, Problem, problemResponse } from '../problems.ts'
import { answer, defineRoute, type Route, type RouteCall } from '../route.ts'
import {
  CallRequest,
  CallResponse,
  Sdk,
  SdkQuery,
  SearchRequest,
  SearchResponse,
  Tools,
  ToolsQuery,
} from '../schemas/tools.ts'
import type { ServiceParts } from '../service-parts.ts'
import { unknownSession } from './runs.ts'

const getTools: Route = defineRoute({
  method: 'get',
  path: '/v1/tools',
  operationId: 'listTools',
  tag: 'tools',
  summary: 'What to show a model',
  description: 'The tools of the token’s scope as its mode shows them: `run_code`, the tools themselves, or both.',
  access: ['read', 'run', 'call'],
  query: ToolsQuery,
  answers: { 200: { description: 'The tools, in the registry’s order.', schema: Tools } },
  handle: async ({ query, tenant }, parts) => {
    using lease = parts.leases.take()
    const view = lease.engine.registry.view(tenant.scope)
    const listed = listTools(view, () => lease.engine.runCodeDescription(tenant.scope))
    const parametersByName = new Map(modelToolsOf(view).map(({ name, parameters }) => [name, parameters]))
    const tools = listed.map((tool) => {
      const { name, description = '' } = tool
      const parameters = parametersByName.get(name) ?? { type: 'object' }
      switch (query.format) {
        case 'mcp':
          return tool
        case 'openai':
          return { type: 'function', function: { name, description, parameters } }
        case 'anthropic':
          return { name, description, input_schema: parameters }
      }
    })
    return answer(getTools, parts, 200, { mode: view.mode, tools })
  },
})

const getSdk: Route = defineRoute({
  method: 'get',
  path: '/v1/sdk',
  operationId: 'getSdk',
  tag: 'tools',
  summary: 'What a program sees of the tools',
  access: ['read', 'run', 'call'],
  query: SdkQuery,
  answers: { 200: { description: 'TypeScript declarations, or the hits of a search.', schema: Sdk } },
  handle: async ({ query, tenant }, parts) => {
    using lease = parts.leases.take()
    const { engine } = lease
    const { level, text, warnings } = engine.sdk(tenant.scope, {
      ...(query.level !== undefined && { level: query.level }),
      ...(query.budget !== undefined && { budgetTokens: query.budget }),
    })
    const view = engine.registry.view(tenant.scope)
    const limit = query.limit === undefined ? {} : { limit: query.limit }
    return answer(getSdk, parts, 200, {
      level,
      tokens: tokensOf(text),
      text,
      warnings,
      ...(query.prompt === 'true' && { systemPrompt: engine.systemPrompt(tenant.scope) }),
      ...(query.search !== undefined && { hits: searchTools(view, deriveNames(view), query.search, limit) }),
    })
  },
})

const search: Route = defineRoute({
  method: 'post',
  path: '/v1/tools/search',
  operationId: 'searchTools',
  tag: 'tools',
  summary: 'Find tools by words',
  description: 'For agents that write no programs: with `POST /v1/tools/call` the whole of it.',
  access: ['read', 'run', 'call'],
  body: SearchRequest,
  bodyExample: { query: 'weather', limit: 5 },
  answers: { 200: { description: 'The tools that fit best, best first.', schema: SearchResponse } },
  problems: [413, 422],
  handle: async ({ body, tenant }, parts) => {
    using lease = parts.leases.take()
    const view = lease.engine.registry.view(tenant.scope)
    const names = deriveNames(view)
    const hits = searchTools(view, names, body.query, body.limit === undefined ? {} : { limit: body.limit })
    const tools = hits.flatMap((hit) => {
      const definition = view.toolsByName.get(hit.name)
      if (definition === undefined) return []
      return {
        ...hit,
        nativeName: names.nativeByName.get(hit.name) ?? hit.name,
        parameters: definition.parameters,
        ...(definition.output.schema !== undefined && { outputSchema: definition.output.schema }),
      }
    })
    return answer(search, parts, 200, { tools })
  },
})

const callTool: Route = defineRoute({
  method: 'post',
  path: '/v1/tools/call',
  operationId: 'callTool',
  tag: 'tools',
  summary: 'Call one tool',
  description:
    'Every tool that the scope shows to models or to programs, whatever the mode; the same policies, guards and approvals. A call that fails is a failed request with the failure’s own status and members. A client that goes away cancels the call, unless it sent an `Idempotency-Key`.',
  access: ['call'],
  isIntake: true,
  takesKey: 'keeps-answer',
  body: CallRequest,
  bodyExample: { name: 'city.weather', arguments: { city: 'Oslo' } },
  answers: { 200: { description: 'The call succeeded.', schema: CallResponse } },
  problems: [403, 404, 409, 422, 429, 502, 503, 504],
  handle: async (call, parts) => {
    const { body, tenant, signal, idempotencyKey } = call
    if (body.name === RUN_CODE) throw new Problem('INVALID_ARGS', 'programs are run with POST /v1/runs')
    const keyed = keyedIds(call)
    using session =
      body.sessionId === undefined
        ? parts.sessions.open(tenant.scope, keyed?.sessionId)
        : await parts.sessions.find(tenant.scope, body.sessionId)
    if (session === undefined) throw unknownSession()
    const earlier = keyed === undefined ? undefined : await earlierAnswer(keyed, session.log, parts)
    if (earlier !== undefined) return earlier
    const { results } = await makeCalls(parts, {
      tenant,
      log: session.log,
      signal: idempotencyKey === undefined ? signal : undefined,
      entry: ({ registry }) => {
        const view = registry.view(tenant.scope)
        const definition = view.toolsByName.get(deriveNames(view).nameByNative.get(body.name) ?? body.name)
        return definition === undefined || isOpenToModel(view.mode, definition) ? 'model' : 'program'
      },
      calls: ({ registry }) => [
        {
          name: deriveNames(registry.view(tenant.scope)).nameByNative.get(body.name) ?? body.name,
          arguments: typeof body.arguments === 'string' ? body.arguments : JSON.stringify(body.arguments),
          ...(keyed !== undefined && { callId: keyed.callId }),
        },
      ],
    })
    const [result] = results
    if (result === undefined) throw new TypeError('a batch of one call gave no result')
    const { callId, outcome } = result
    const ids = { callId, sessionId: session.log.sessionId }
    if (outcome.isError) return failedAnswer(outcome.error, ids, outcome.content)
    return answer(callTool, parts, 200, {
      ...ids,
      value: outcome.value,
      content: outcome.content,
      ...(outcome.meta !== undefined && { meta: outcome.meta }),
      ...(outcome.approval !== undefined && { approval: outcome.approval }),
    })
  },
})

export const TOOL_ROUTES: readonly Route[] = [getTools, getSdk, search, callTool]

type KeyedIds = ReturnType<typeof keyedCallIds>

function keyedIds({
  body,
  tenant,
  idempotencyKey: key,
  digest,
}: RouteCall<unknown, unknown, z.infer<typeof CallRequest>>): KeyedIds | undefined {
  if (key === undefined) return undefined
  return keyedCallIds({
    scope: tenant.scope,
    ...(body.sessionId !== undefined && { sessionId: body.sessionId }),
    keyed: { key, digest },
  })
}

/** Of a call whose answer is not in memory any more (it was long ago, or in another process), but in the log. */
async function earlierAnswer(
  { stem, callId }: KeyedIds,
  log: SessionLog,
  parts: ServiceParts,
): Promise<Response | undefined> {
  const logged = lastLoggedCall(await parts.store.read(log.sessionId), stem)
  if (logged?.hasBegun !== true) return undefined
  if (!isCallOf(logged, callId)) throw keyReused()
  const { call, result } = logged
  const ids = { callId: call.callId, sessionId: log.sessionId }
  if (result === undefined) return failedAnswer(OUTCOME_LOST, ids, [])
  const { content, errorInfo, isError, meta, approval } = result
  if (isError) return failedAnswer(errorInfo ?? OUTCOME_LOST, ids, content)
  return answer(callTool, parts, 200, {
    ...ids,
    content,
    isFromLog: true,
    ...(meta !== undefined && { meta }),
    ...(approval !== undefined && { approval }),
  })
}

const OUTCOME_LOST = createFailure(
  'OUTCOME_UNKNOWN',
  'the call had started when the service died; whether it took effect is not known. Find that out, and use a new key to make it again',
  { phase: 'body', bodyStarted: true },
)

function failedAnswer(
  { code, message, ...failure }: Failure,
  ids: { readonly callId: string; readonly sessionId: string },
  content: readonly ContentBlock[],
): Response {
  return problemResponse(code, message, {
    members: JSON.parse(JSON.stringify({ ...failure, ...ids, content })), // Plain JSON already.
  })
}
