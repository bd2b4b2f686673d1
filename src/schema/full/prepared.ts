import type { Json } from '../../data/json.ts'

/** The dialects the validator knows. Draft 6 is read as 7; draft 4 is rewritten to 7, from which it then hardly differs. */
export type Dialect = '7' | '2019-09' | '2020-12'

/**
 * A schema made ready for the validator: known keywords only, each of the right shape, and so nothing in it can make the
 * validator throw. Mutable, because the validator writes absolute references into it.
 */
export interface PreparedNode {
  [keyword: string]: unknown
  /** What a visit costs, by the number of things a visit looks at. */
  [WEIGHT]: number
  /** Made from the schema `false`. */
  [NEVER]?: true
  [RECURSIVE_ANCHOR]?: true
  /** Refuses long arrays, all of which are known to have duplicates. */
  [HAS_DUPLICATES]?: true
}
export const WEIGHT = Symbol('weight')
export const NEVER = Symbol('never')
export const HAS_DUPLICATES = Symbol('has duplicates')
export const RECURSIVE_ANCHOR = Symbol('$recursiveAnchor')

/** Thrown by a meter, and caught where validation began. */
export class OutOfSteps extends Error {}

/**
 * Counts visits of schemas. `allOf: [a, a]`, forty times over, is a small schema with a million million visits, and the
 * validator has no limit of its own; but it reads `$recursiveAnchor` of every schema it visits, so that is where the
 * count is taken.
 */
export class Meter {
  #left = 0
  /** What nodes inherit from. */
  readonly prototype: object

  constructor() {
    const tick = (node: PreparedNode) => this.#tick(node)
    this.prototype = Object.create(null, {
      $recursiveAnchor: {
        enumerable: false,
        get(this: PreparedNode) {
          tick(this)
          return this[RECURSIVE_ANCHOR] === true ? true : undefined
        },
      },
    }) as object
  }

  start(steps: number): void {
    this.#left = steps
  }
  #tick(node: PreparedNode): void {
    this.#left -= node[WEIGHT]
    if (this.#left < 0) throw new OutOfSteps()
  }
}

export function isPrepared(value: unknown): value is PreparedNode {
  return typeof value === 'object' && value !== null && WEIGHT in value
}

/** How a schema is prepared for one kind of value. Values that are short and have short arrays need nothing special. */
export interface Treatment {
  /** Leaves out patterns that are too slow for long strings. */
  readonly dropsSlowPatterns: boolean
  /**
   * `uniqueItems` compares every item with every other. Longer arrays are looked at beforehand, in linear time, and then
   * pass or fail by their length.
   */
  readonly uniqueItems: 'check' | 'long-pass' | 'long-fail' | 'long-unknown'
}
export const PLAIN: Treatment = { dropsSlowPatterns: false, uniqueItems: 'check' }
/** Arrays up to this length are compared pair by pair. */
export const MAX_PAIRED_ITEMS = 256

export interface PreparedSchema {
  readonly root: PreparedNode
  readonly dialect: Dialect
  readonly lookup: Record<string, PreparedNode>
  readonly meter: Meter
  readonly warnings: readonly string[]
  readonly usesUniqueItems: boolean
  /** The shortest string that is too long for some pattern. */
  readonly slowFrom: number
}

/** The schema a prepared node was made from, for references by pointer. */
export type Origins = WeakMap<PreparedNode, Json>
