import type { Json } from '../data/json.ts'
import { nearestNames } from '../data/nearest-names.ts'
import { pointerOf } from '../data/pointer.ts'
import { snapshot } from '../data/snapshot.ts'
import type { Node, Visit } from './keywords/keyword.ts'
import type { Violation } from './violations.ts'
import { clip, describeValue, subjectOf } from './wording.ts'

/** A value can break a schema a million times; nobody reads further than this. */
const MAX_VIOLATIONS = 10_000
/** Of a branch that did not match, so many reasons are told. */
const REASONS_PER_BRANCH = 3
/** Looking for a near name costs time, and a value can have any number of wrong ones. */
const MAX_SUGGESTIONS = 50

/**
 * Everything about a value that does not match, in walk order: what is wrong with a value itself, then its parts. Total:
 * a value that cannot be read as plain data is one violation that says where and why. Does not recurse.
 */
export function validateSubset(root: Node, value: unknown): readonly Violation[] {
  const taken = snapshot(value)
  if (!taken.ok) return [unreadable(taken.path, taken.reason)]
  return new Walk(root, taken.value).run()
}

/** The violation of a value that has no JSON form at all. */
export function unreadable(path: string, reason: string): Violation {
  const subject = path === '' ? 'the value' : `the part at ${path}`
  return {
    path,
    expected: 'plain JSON data',
    received: reason,
    message: clip(`${subject} is not plain JSON data: ${reason}`),
  }
}

interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}
/** Where violations of one branch (or of the whole value) are gathered. */
interface Sink {
  readonly found: Violation[]
  readonly max: number
  isFull: boolean
}
interface Check {
  readonly kind: 'check'
  readonly node: Node
  readonly value: Json
  readonly place: Place | undefined
  readonly sink: Sink
}
/** Comes after the checks of all branches. */
interface Join {
  readonly kind: 'join'
  readonly branches: readonly Sink[]
  readonly value: Json
  readonly place: Place | undefined
  readonly sink: Sink
}
type Task = Check | Join

/** Is itself what rules are handed, at the value that is being checked: one object for a whole walk, not one a value. */
class Walk implements Visit {
  /** Last in, first out; what a check adds is put on in reverse, so that everything happens in walk order. */
  readonly #tasks: Task[] = []
  readonly #added: Task[] = []
  readonly #sink: Sink = { found: [], max: MAX_VIOLATIONS, isFull: false }
  #suggestionsLeft = MAX_SUGGESTIONS
  #at: Check

  constructor(root: Node, value: Json) {
    this.#at = { kind: 'check', node: root, value, place: undefined, sink: this.#sink }
    this.#tasks.push(this.#at)
  }

  run(): readonly Violation[] {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      if (task.sink.isFull) continue
      if (task.kind === 'check') this.#check(task)
      else join(task)
    }
    if (this.#sink.isFull) this.#sink.found.push(tooMany())
    return this.#sink.found
  }

  #check(check: Check): void {
    this.#at = check
    for (const rule of check.node.rules) rule(check.value, this)
    for (let added = this.#added.pop(); added !== undefined; added = this.#added.pop()) this.#tasks.push(added)
  }

  get subject(): string {
    return subjectOf(keysOf(this.#at.place))
  }

  fail(expected: string, message: string): void {
    const { place, value, sink } = this.#at
    add(sink, { path: pointerOf(keysOf(place)), expected, received: describeValue(value), message })
  }

  failKey(key: string, expected: string, received: string, say: (name: string) => string): void {
    const keys = [...keysOf(this.#at.place), key]
    add(this.#at.sink, { path: pointerOf(keys), expected, received, message: say(subjectOf(keys)) })
  }

  descend(node: Node, value: Json, key: string | number): void {
    if (node.rules.length === 0) return
    const { place, sink } = this.#at
    this.#added.push({ kind: 'check', node, value, place: { parent: place, key }, sink })
  }

  chooseOne(nodes: readonly Node[]): void {
    const { value, place, sink } = this.#at
    const branches: Sink[] = []
    for (const node of nodes) {
      const branch: Sink = { found: [], max: REASONS_PER_BRANCH, isFull: false }
      branches.push(branch)
      this.#added.push({ kind: 'check', node, value, place, sink: branch })
    }
    this.#added.push({ kind: 'join', branches, value, place, sink })
  }

  nearest(wanted: string, known: Iterable<string>): string | undefined {
    return this.#suggestionsLeft-- > 0 ? nearestNames(wanted, known, 1)[0] : undefined
  }
}

/** All branches have been checked: exactly one must have found nothing wrong. */
function join({ branches, value, place, sink }: Join): void {
  const matching = branches.flatMap(({ found }, index) => (found.length === 0 ? [index + 1] : []))
  if (matching.length === 1) return
  const keys = keysOf(place)
  const expected = `exactly one of ${branches.length} forms`
  const message =
    matching.length > 1
      ? `${subjectOf(keys)} must match ${expected}; it matches forms ${matching.join(' and ')}`
      : `${subjectOf(keys)} matches none of its ${branches.length} forms: ${branches.map(explainBranch).join('; ')}`
  add(sink, { path: pointerOf(keys), expected, received: describeValue(value), message: clip(message) })
}

function explainBranch({ found }: Sink, index: number): string {
  return `form ${index + 1}: ${clip(found.map(({ message }) => message).join(', '), 300)}`
}

function add(sink: Sink, violation: Violation): void {
  if (sink.found.length < sink.max) sink.found.push(violation)
  else sink.isFull = true
}

function tooMany(): Violation {
  const received = `more than ${MAX_VIOLATIONS} violations`
  return {
    path: '',
    expected: 'a value that matches',
    received,
    message: `there are ${received}; the rest is not listed`,
  }
}

function keysOf(place: Place | undefined): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at = place; at !== undefined; at = at.parent) keys.push(at.key)
  return keys.reverse()
}
