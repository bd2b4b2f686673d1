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
  return new Walk().run(root, taken.value)
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
type Task =
  | {
      readonly kind: 'check'
      readonly node: Node
      readonly value: Json
      readonly place: Place | undefined
      readonly sink: Sink
    }
  | {
      readonly kind: 'join'
      readonly branches: readonly Sink[]
      readonly value: Json
      readonly place: Place | undefined
      readonly sink: Sink
    }

class Walk {
  /** Last in, first out; what a task adds is put on in reverse, so that everything happens in walk order. */
  readonly #tasks: Task[] = []
  #suggestionsLeft = MAX_SUGGESTIONS

  run(root: Node, value: Json): readonly Violation[] {
    const sink: Sink = { found: [], max: MAX_VIOLATIONS, isFull: false }
    this.#tasks.push({ kind: 'check', node: root, value, place: undefined, sink })
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      if (task.sink.isFull) continue
      if (task.kind === 'check') this.#check(task)
      else join(task)
    }
    if (sink.isFull) sink.found.push(tooMany())
    return sink.found
  }

  #check({ node, value, place, sink }: Task & { kind: 'check' }): void {
    if (node.rules.length === 0) return
    const added: Task[] = []
    const tasks = this.#tasks
    const nearest = (wanted: string, known: Iterable<string>) =>
      this.#suggestionsLeft-- > 0 ? nearestNames(wanted, known, 1)[0] : undefined
    const visit: Visit = {
      get subject() {
        return subjectOf(keysOf(place))
      },
      fail(expected, message) {
        add(sink, { path: pointerOf(keysOf(place)), expected, received: describeValue(value), message })
      },
      failKey(key, expected, received, say) {
        const keys = [...keysOf(place), key]
        add(sink, { path: pointerOf(keys), expected, received, message: say(subjectOf(keys)) })
      },
      descend(child, part, key) {
        if (child.rules.length > 0) {
          added.push({ kind: 'check', node: child, value: part, place: { parent: place, key }, sink })
        }
      },
      chooseOne(nodes) {
        const branches = nodes.map((): Sink => ({ found: [], max: REASONS_PER_BRANCH, isFull: false }))
        for (const [index, branch] of nodes.entries()) {
          added.push({ kind: 'check', node: branch, value, place, sink: branches[index]! }) // One sink a node.
        }
        added.push({ kind: 'join', branches, value, place, sink })
      },
      nearest,
    }
    for (const rule of node.rules) rule(value, visit)
    for (let i = added.length - 1; i >= 0; i--) tasks.push(added[i]!)
  }
}

/** All branches have been checked: exactly one must have found nothing wrong. */
function join({ branches, value, place, sink }: Task & { kind: 'join' }): void {
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
