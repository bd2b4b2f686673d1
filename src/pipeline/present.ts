import { contentText } from '../data/block-text.ts'
import { previewText } from '../data/bytes.ts'
import type { JsonObject } from '../data/json.ts'
import type { DurableResult } from '../data/outcome.ts'
import { parseArguments } from '../data/parse-json.ts'
import type { RenderIntent, ToolDefinition } from '../registry/tool.ts'
import { parseRenderIntent } from './render-intent.ts'
import { hush } from './signals.ts'

/** The part of a definition that draws. */
export type Presenter = Pick<ToolDefinition, 'presentCall' | 'presentResult'>

/** A generic card shows the beginning and the end; the whole is in the log. */
const MAX_DETAIL_BYTES = 4_000

/**
 * How one call looks. Everything is made from what the log holds of it (name, raw argument string, durable result), so
 * that a call looks the same live and on replay. Total: a presenter that is missing, throws or gives nonsense leaves the
 * generic look, whose title is the bare name, as a replay may have no definition to take a better one from.
 */
export class CallPresentation {
  /** Of the call itself, as soon as it has started. */
  readonly call: RenderIntent
  readonly #name: string
  readonly #presenter: Presenter | undefined
  /** Absent when the raw string is not what the pipeline would have taken: then no presenter is asked. */
  readonly #args: JsonObject | undefined

  constructor(call: { readonly name: string; readonly arguments: string }, presenter: Presenter | undefined) {
    this.#name = call.name
    this.#presenter = presenter
    const parsed = presenter === undefined ? undefined : parseArguments(call.arguments)
    this.#args = parsed?.ok === true ? parsed.value : undefined
    this.call = this.#ask((args) => presenter?.presentCall?.(args)) ?? generic(call.name, argumentsText(call.arguments))
  }

  /** Of the result, once there is one. */
  result(durable: DurableResult): RenderIntent {
    return (
      this.#ask((args) => this.#presenter?.presentResult?.(args, durable)) ??
      generic(this.#name, contentText(durable.content))
    )
  }

  #ask(present: (args: JsonObject) => unknown): RenderIntent | undefined {
    if (this.#args === undefined) return undefined
    try {
      return parseRenderIntent(hush(present(this.#args)))
    } catch {
      return undefined
    }
  }
}

function argumentsText(raw: string): string {
  return ['', '{}'].includes(raw.trim()) ? '' : raw
}

function generic(title: string, detail: string): RenderIntent {
  return Object.freeze({
    kind: 'generic',
    title,
    ...(detail !== '' && { detail: previewText(detail, MAX_DETAIL_BYTES) }),
  })
}
