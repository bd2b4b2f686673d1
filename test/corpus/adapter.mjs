// The corpus runner's way into the real engine and real sandbox children.
//   node <folder of the runner>/harness.mjs --adapter test/corpus/adapter.mjs
// One engine serves all cases; a case is a scope with its own tools and a session of its own. The case's id is not read.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  // An older Node cannot load TypeScript. Nothing has run yet: the same command goes on under the project's own Node.
  const pinned = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
  const { status, error } = spawnSync(pinned, process.argv.slice(1), { stdio: 'inherit' })
  if (error) console.error(`this runner needs Node 24 or newer, and ${pinned} did not start: run npm ci first`)
  process.exit(status ?? 1)
}

const { createEngine } = await import('../../src/index.ts')
const { toolFromCorpus } = await import('../../src/importers/mock-tools.ts')

/** Idle time after which the engine is closed, so that a runner which never calls `close` can end. */
const IDLE_MS = 200

let starting
let idleTimer
let running = 0
let scopes = 0
/** What the person answers, by scope. */
const approvalsByScope = new Map()
/** The engine's session for each of the runner's session objects. */
const sessions = new WeakMap()

function engine() {
  starting ??= createEngine({
    policies: [{ name: 'corpus-approval', pre: asksFirst }],
    approver: { ask: answer },
    tenantOf: () => 'corpus',
  })
  return starting
}

function asksFirst(call) {
  const needed = approvalsByScope.get(call.scope)?.required.has(call.toolName)
  return needed ? { decision: 'ask', reason: `${call.toolName} needs approval` } : { decision: 'allow' }
}

async function answer(request, signal) {
  const entry = approvalsByScope.get(request.scope)?.answers.find((one) => one.tool === request.toolName)
  if (entry === undefined) return { answer: 'dismiss' }
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, entry.afterMs ?? 0)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
  return entry.decision === 'approve' ? { answer: 'approve' } : { answer: 'reject', reason: entry.reason }
}

export async function run({ program, tools, limits, approvals, cancelAfterMs, session }) {
  clearTimeout(idleTimer)
  running++
  const scope = `corpus-${++scopes}`
  const disposers = []
  try {
    const current = await engine()
    disposers.push(current.registry.declareScope(scope))
    disposers.push(current.registry.registerAll(tools.map(toolFromCorpus), { scope }))
    approvalsByScope.set(scope, {
      required: new Set(tools.filter((tool) => tool.approval === 'required').map((tool) => tool.name)),
      answers: approvals,
    })
    if (!sessions.has(session)) sessions.set(session, current.openSession({ scope }))
    const result = await current.run(program, {
      scope,
      session: sessions.get(session),
      limits: engineLimits(limits),
      ...(cancelAfterMs !== undefined && { signal: AbortSignal.timeout(cancelAfterMs) }),
    })
    return asOutcome(result)
  } finally {
    for (const dispose of disposers.reverse()) dispose()
    approvalsByScope.delete(scope)
    if (--running === 0) idleTimer = setTimeout(() => void close(), IDLE_MS)
  }
}

function asOutcome({ outcome, value, partial }) {
  const { logs = [] } = value ?? partial ?? {}
  return {
    ok: !outcome.isError,
    hasValue: value !== undefined && 'result' in value,
    value: value?.result,
    ...(outcome.isError && {
      error: { name: outcome.error.code, message: outcome.error.message, line: partial?.line },
    }),
    logs: logs.map((line) => line.text),
    content: outcome.content,
  }
}

/** Closes the engine; the next run starts another. */
export async function close() {
  clearTimeout(idleTimer)
  const ending = starting
  starting = undefined
  await (await ending)?.[Symbol.asyncDispose]()
}

function engineLimits({ timeoutMs, cpuMs, memoryMb, maxOutputChars, maxToolCalls }) {
  const pairs = { wallMs: timeoutMs, cpuMs, memoryMb, maxContentBytes: maxOutputChars, maxCalls: maxToolCalls }
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined))
}
