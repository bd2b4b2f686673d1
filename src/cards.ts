import { runCodePresenter } from './codemode/run-code-presenter.ts'
import type { CallId } from './data/ids.ts'
import type { Approval } from './data/outcome.ts'
import { CallPresentation, type Presenter } from './pipeline/present.ts'
import { RUN_CODE } from './registry/scope.ts'
import type { RenderIntent } from './registry/tool.ts'
import type { ToolView } from './registry/view.ts'
import { CallTree, type CallNode } from './session/call-tree.ts'
import type { StoredEvent } from './session/events.ts'

/** One call as a UI draws it. `call` and `result` say what kind of thing it is, never how to paint it. */
export interface Card {
  readonly kind: 'call' | 'dispatch'
  readonly callId: CallId
  readonly name: string
  /** `running`: the log holds no end of it. */
  readonly state: 'running' | 'done' | 'failed'
  /** Of a failed card. */
  readonly code?: string
  readonly startedAtMs: number
  readonly durationMs?: number
  /** Of a dispatch: the part of `durationMs` before it was admitted. */
  readonly queuedMs?: number
  /** What a person decided about it, once it has settled. */
  readonly approval?: Approval
  readonly call: RenderIntent
  /** Once it has settled. */
  readonly result?: RenderIntent
  /** The calls made inside it, in order of their start. */
  readonly children: readonly Card[]
}

/** Where presenters are looked up, by registered name. */
export type FindPresenter = (name: string) => Presenter | undefined

/** The presenters that need no registry: what a replay has when nobody gives it definitions. */
export const builtInPresenters: FindPresenter = (name) => (name === RUN_CODE ? runCodePresenter : undefined)

/** The presenters of what a scope sees. */
export function presentersOf(view: ToolView): FindPresenter {
  return (name) => builtInPresenters(name) ?? view.toolsByName.get(name)
}

/**
 * The cards of a session, kept up to date event by event. Live view and replay are this same projection over the same
 * events. Presenters are asked once, when the call starts and when it settles, with the definition at hand at the start.
 */
export class CardProjection {
  readonly #tree = new CallTree()
  readonly #drawnByNode = new Map<CallNode, Drawn>()
  readonly #find: FindPresenter

  constructor(find: FindPresenter = builtInPresenters) {
    this.#find = find
  }

  /** Gives the id of the card that this event made or changed. */
  take(event: StoredEvent): CallId | undefined {
    const node = this.#tree.take(event)
    if (node === undefined || event.type === 'context/added') return undefined
    const drawn = this.#drawnByNode.get(node) ?? { presentation: new CallPresentation(node, this.#lookUp(node.name)) }
    this.#drawnByNode.set(node, drawn)
    if (node.state !== 'open') {
      const { error, meta, content = [] } = node
      drawn.result = drawn.presentation.result(
        Object.freeze({
          content,
          isError: node.state === 'failed',
          ...(error !== undefined && { errorInfo: error }),
          ...(meta !== undefined && { meta }),
        }),
      )
    }
    return node.callId
  }

  /** As things stand: what comes later changes none of these. */
  cards(): readonly Card[] {
    const top: Card[] = []
    // Depth is the log's choice, not ours: no recursion.
    const open: { readonly node: CallNode; readonly into: Card[] }[] = []
    const push = (nodes: readonly CallNode[], into: Card[]) => {
      for (const node of nodes.toReversed()) open.push({ node, into })
    }
    push(this.#tree.roots, top)
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const children: Card[] = []
      next.into.push(this.#card(next.node, children))
      push(next.node.children, children)
    }
    return top
  }

  #card(node: CallNode, children: readonly Card[]): Card {
    const drawn = this.#drawnByNode.get(node)
    if (drawn === undefined) throw new TypeError(`call ${node.callId} is in the tree and was never drawn`)
    const { durationMs, queuedMs, error, approval } = node
    return {
      kind: node.kind,
      callId: node.callId,
      name: node.name,
      state: STATES[node.state],
      ...(node.state === 'failed' && { code: error?.code ?? 'UNKNOWN' }),
      startedAtMs: node.startedAtMs,
      ...(durationMs !== undefined && { durationMs }),
      ...(queuedMs !== undefined && { queuedMs }),
      ...(approval !== undefined && { approval }),
      call: drawn.presentation.call,
      ...(drawn.result !== undefined && { result: drawn.result }),
      children,
    }
  }

  /** A look-up that fails costs the look, not the card. */
  #lookUp(name: string): Presenter | undefined {
    try {
      return this.#find(name)
    } catch {
      return undefined
    }
  }
}

/** The cards of a whole log. */
export function cardsOf(events: readonly StoredEvent[], find?: FindPresenter): readonly Card[] {
  const projection = new CardProjection(find)
  for (const event of events) projection.take(event)
  return projection.cards()
}

interface Drawn {
  readonly presentation: CallPresentation
  result?: RenderIntent
}

const STATES = { open: 'running', ok: 'done', failed: 'failed' } as const
