import { snapshot } from '../data/snapshot.ts'
import type { RenderIntent } from '../registry/tool.ts'

/** A card is drawn by whoever watches: what a presenter gives is bounded like a value, and search hits by number. */
const INTENT_LIMITS = { maxBytes: 16 * 1024 * 1024, maxNodes: 10_000, maxDepth: 4 }
const MAX_HITS = 1_000

/**
 * Reads what a presenter gave. Total, and an allow-list: `undefined` for nonsense (an unknown kind, a missing or wrong
 * field, something that cannot be read), else a frozen copy of the fields that its kind has, each read once.
 */
export function parseRenderIntent(given: unknown): RenderIntent | undefined {
  try {
    const { kind } = given as { kind?: unknown } // `null` and `undefined` throw, which is nonsense too.
    const fields = typeof kind === 'string' ? FIELDS_BY_KIND.get(kind) : undefined
    if (fields === undefined) return undefined
    const intent: Record<string, unknown> = { kind }
    for (const [name, { isRequired, read }] of fields) {
      const value = (given as Readonly<Record<string, unknown>>)[name]
      // Authors write `output: undefined` for "none".
      if (value === undefined && !isRequired) continue
      const taken = read(value)
      if (taken === undefined) return undefined
      intent[name] = taken
    }
    const copied = snapshot(intent, INTENT_LIMITS)
    // The tables below hold every field of every kind, and nothing else passed.
    return copied.ok ? (copied.value as unknown as RenderIntent) : undefined
  } catch {
    return undefined
  }
}

interface Field {
  readonly isRequired: boolean
  /** The value if it is right, else `undefined`. */
  readonly read: (value: unknown) => unknown
}
type Intent<K extends RenderIntent['kind']> = Extract<RenderIntent, { kind: K }>
/** A field that is added to an intent and forgotten here does not compile. */
type FieldsOf<I> = { readonly [F in Exclude<keyof I, 'kind'>]-?: Field }

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const aText: Field = { isRequired: true, read: text }
const maybeText: Field = { isRequired: false, read: text }

const FIELDS: { readonly [K in RenderIntent['kind']]: FieldsOf<Intent<K>> } = {
  generic: { title: aText, detail: maybeText },
  terminal: {
    command: aText,
    output: maybeText,
    exitCode: { isRequired: false, read: (value) => (Number.isSafeInteger(value) ? value : undefined) },
  },
  diff: { path: aText, before: maybeText, after: maybeText, patch: maybeText },
  search: { query: aText, hits: { isRequired: false, read: readHits } },
  read: { path: aText, range: maybeText, text: maybeText },
  web: { url: aText, title: maybeText, text: maybeText },
}
const FIELDS_BY_KIND: ReadonlyMap<string, readonly (readonly [string, Field])[]> = new Map(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.entries<Field>(fields)]),
)

function readHits(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const { length } = value
  if (length > MAX_HITS) return undefined
  const hits: { readonly title: string; readonly ref: string }[] = []
  for (let index = 0; index < length; index++) {
    const { title, ref } = value[index] as { title?: unknown; ref?: unknown } // Checked in the next line.
    if (typeof title !== 'string' || typeof ref !== 'string') return undefined
    hits.push({ title, ref })
  }
  return hits
}
