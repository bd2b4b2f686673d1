import fc from 'fast-check'

/** What is done to one honest frame before it is sent. `at` and `with` are taken modulo what there is. */
export type Mutation =
  | { readonly kind: 'none' }
  | { readonly kind: 'twice' }
  | { readonly kind: 'flip' | 'cut' | 'insert'; readonly at: number; readonly with: number }
  | { readonly kind: 'length' | 'type' | 'run'; readonly with: number }
  | { readonly kind: 'replace'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'drop' | 'repeat'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly key: string; readonly value: unknown }
  | { readonly kind: 'deep'; readonly at: number; readonly levels: number }
  | { readonly kind: 'long'; readonly at: number; readonly chars: number }

const at = fc.nat(10_000)
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    -1,
    -0,
    0.5,
    1e308,
    2 ** 53,
    2 ** 32,
    '',
    '\ud800',
    '\u0000',
    '__proto__',
    null,
    true,
    [],
    {},
  ),
)
const key = fc.constantFrom(
  '__proto__',
  'constructor',
  'toJSON',
  'then',
  'e',
  's',
  'n',
  'events',
  'runId',
  'tenant',
  'length',
  '',
)

/** Weights: `benign` ones mostly leave a frame that is taken, so that a link lives for some frames. */
export function mutation(weights: {
  readonly benign: number
  readonly shape: number
  readonly framing: number
}): fc.Arbitrary<Mutation> {
  return fc.oneof(
    { weight: weights.benign * 3, arbitrary: fc.constant({ kind: 'none' as const }) },
    {
      weight: weights.benign,
      arbitrary: fc.record({ kind: fc.constant('add' as const), at, key, value }),
    },
    {
      weight: weights.shape,
      arbitrary: fc.record({ kind: fc.constant('replace' as const), at, value }),
    },
    {
      weight: weights.shape,
      arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'repeat' as const), at }),
    },
    {
      weight: weights.shape,
      arbitrary: fc.record({
        kind: fc.constantFrom('flip' as const, 'cut' as const, 'insert' as const),
        at,
        with: fc.nat(255),
      }),
    },
    {
      weight: weights.shape,
      arbitrary: fc.record({
        kind: fc.constant('deep' as const),
        at,
        levels: fc.constantFrom(10, 1_000, 20_000),
      }),
    },
    {
      weight: weights.shape,
      arbitrary: fc.record({
        kind: fc.constant('long' as const),
        at,
        chars: fc.constantFrom(1_000, 10_000, 60_000),
      }),
    },
    {
      weight: weights.framing,
      arbitrary: fc.record({
        kind: fc.constantFrom('length' as const, 'type' as const, 'run' as const),
        with: fc.oneof(fc.nat(10), fc.nat(255), fc.constantFrom(2 ** 32 - 1, 2 ** 31, 2 ** 24)),
      }),
    },
    { weight: weights.framing, arbitrary: fc.constant({ kind: 'twice' as const }) },
  )
}

/** The body of a frame, changed. Mutations of framing and order are the sender's. */
export function mutateBody(body: unknown, change: Mutation): Buffer {
  switch (change.kind) {
    case 'replace':
    case 'drop':
    case 'repeat':
    case 'add':
    case 'deep':
    case 'long':
      return Buffer.from(mutateJson(body, change))
    case 'flip':
    case 'cut':
    case 'insert':
      return mutateBytes(Buffer.from(JSON.stringify(body)), change)
    case 'none':
    case 'twice':
    case 'length':
    case 'type':
    case 'run':
      return Buffer.from(JSON.stringify(body))
  }
}

function mutateBytes(bytes: Buffer, change: Extract<Mutation, { kind: 'flip' | 'cut' | 'insert' }>): Buffer {
  const place = bytes.length === 0 ? 0 : change.at % bytes.length
  if (change.kind === 'cut') return bytes.subarray(0, place)
  if (change.kind === 'insert')
    return Buffer.concat([bytes.subarray(0, place), Buffer.from([change.with]), bytes.subarray(place)])
  const copy = Buffer.from(bytes)
  if (copy.length > 0) copy[place] = change.with
  return copy
}

type JsonChange = Extract<Mutation, { kind: 'replace' | 'drop' | 'repeat' | 'add' | 'deep' | 'long' }>

/** Writes JSON with one place changed; texts that no object could hold (a key twice) can be written too. */
function mutateJson(body: unknown, change: JsonChange): string {
  const count = countPlaces(body)
  const wanted = count === 0 ? 0 : change.at % count
  let seen = 0
  const write = (value: unknown): string => {
    const isHere = seen++ === wanted
    if (isHere && change.kind === 'replace') return JSON.stringify(change.value) ?? 'null'
    if (isHere && change.kind === 'deep') return '['.repeat(change.levels) + ']'.repeat(change.levels)
    if (isHere && change.kind === 'long') return JSON.stringify('x'.repeat(change.chars))
    if (Array.isArray(value)) {
      const items = value.map(write)
      if (isHere && change.kind === 'repeat') items.push(...items)
      if (isHere && change.kind === 'drop') items.pop()
      return `[${items.join()}]`
    }
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
    const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${write(field)}`)
    if (isHere && change.kind === 'add')
      fields.push(`${JSON.stringify(change.key)}:${JSON.stringify(change.value) ?? 'null'}`)
    if (isHere && change.kind === 'drop') fields.shift()
    if (isHere && change.kind === 'repeat' && fields[0] !== undefined) fields.push(fields[0])
    return `{${fields.join()}}`
  }
  return write(body)
}

function countPlaces(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return 1 + Object.values(value).reduce((total: number, item) => total + countPlaces(item), 0)
}
