import { CHILD_FRAME, HOST_FRAME, WIRE_VERSION } from '../wire.ts'
import type { Frame } from './frames.ts'
import { parsePrepare, parseStart, sliceOfDelivery } from './host-check.ts'
import type { GuestIsolate, StepResult } from './isolate.ts'

export interface ChildOptions {
  readonly createIsolate: (memoryMb: number) => GuestIsolate
  readonly send: (type: number, run: number, body: string) => void
}

export interface Child {
  handle(frame: Frame): void
}

/** Time to fetch what a run has said, after its slice: its own code does not run then. */
const DRAIN_MS = 1000
/** What a run is given to hand over its last words when its slice was cut off. */
const LAST_WORDS_MS = 100
const nothing = (): void => {}
const DEFAULT_MEMORY_MB = 128

interface LiveRun {
  readonly guest: GuestIsolate
  /** Set when this child ended the run: later frames get this answer again. */
  stopped: string | undefined
}

/**
 * Runs by number, one slice at a time in the order of the frames. Each `start` and `deliver` is answered by exactly one
 * `slice`; the host trusts none of it.
 */
export function createChild(options: ChildOptions): Child {
  const { send } = options
  const runs = new Map<number, LiveRun>()
  const spares: GuestIsolate[] = []
  let spareMemoryMb = DEFAULT_MEMORY_MB
  let sparesWanted = 0

  const take = (memoryMb: number): GuestIsolate => {
    if (memoryMb !== spareMemoryMb) {
      // Runs of a child are configured alike: spares follow the last one seen.
      for (const spare of spares.splice(0)) spare.dispose()
      spareMemoryMb = memoryMb
    }
    return spares.pop() ?? options.createIsolate(memoryMb)
  }

  const start = (number: number, body: string): void => {
    const { code, limits, sliceMs } = parseStart(body)
    if (runs.has(number)) throw new Error(`a start for run ${number}, which is here already`)
    const run: LiveRun = { guest: take(limits.memoryMb), stopped: undefined }
    runs.set(number, run)
    const step = run.guest.step('start', body, sliceMs)
    tellRejection(run, step)
    const problem = step.end === 'ok' && step.value === 'syntax' ? run.guest.syntaxProblem(code) : undefined
    if (problem !== undefined) run.stopped = stopped('compile', problem)
    else if (step.end !== 'ok') stop(run, step.end, sliceMs)
    answer(number, run, nothing)
  }

  const deliver = (number: number, body: string): void => {
    const run = runs.get(number)
    // The host answers for its numbers; a run it has discarded has nothing to say.
    if (run === undefined) throw new Error(`a delivery for run ${number}, which is not here`)
    if (run.stopped !== undefined) {
      answer(number, run, nothing)
      return
    }
    const sliceMs = sliceOfDelivery(body)
    const deadline = performance.now() + sliceMs
    const step = run.guest.step('deliver', body, sliceMs)
    tellRejection(run, step)
    if (step.end !== 'ok') stop(run, step.end, sliceMs)
    answer(number, run, () => {
      const left = Math.ceil(deadline - performance.now())
      const more = left <= 0 ? ({ end: 'time' } as const) : run.guest.step('deliver', '', left)
      tellRejection(run, more)
      if (more.end !== 'ok') stop(run, more.end, sliceMs)
    })
  }

  const stop = (run: LiveRun, end: 'time' | 'memory', sliceMs: number): void => {
    // A rejection that was pending when time was up comes out of the next step and takes that step's answer with it: let
    // it be this one's. It is not told, as in a whole slice it would stand behind what is still to be said.
    if (end === 'time') run.guest.step('reject', '', LAST_WORDS_MS)
    run.stopped =
      end === 'memory'
        ? stopped('memory', 'The program used up its memory.')
        : stopped('slice-timeout', `The program did not yield for ${sliceMs} ms.`)
  }

  /** Before anything else runs in the guest, so that it stands in order among what the program says. */
  const tellRejection = (run: LiveRun, step: StepResult): void => {
    if (step.end === 'ok' && step.rejection !== undefined) run.guest.step('reject', step.rejection, DRAIN_MS)
  }

  /**
   * Parts, then the slice. `goOn` takes the next item of a delivery that is not through: whether it is, is asked here
   * and not told by the step before, whose answer is lost when the program leaves a rejection unhandled. A run that was
   * stopped gives its last words if it can.
   */
  const answer = (number: number, run: LiveRun, goOn: () => void): void => {
    for (;;) {
      const step =
        run.stopped === undefined
          ? run.guest.step('drain', '', DRAIN_MS)
          : run.guest.step('drain', 'last', LAST_WORDS_MS)
      if (step.end === 'memory') run.stopped ??= stopped('memory', 'The program used up its memory.')
      else if (step.end === 'time') run.stopped ??= stopped('slice-timeout', 'The program did not yield.')
      const text = step.end === 'ok' && typeof step.value === 'string' ? step.value : ''
      if (text === '>' && run.stopped === undefined) {
        goOn()
        continue
      }
      if (text.startsWith('+')) {
        send(CHILD_FRAME.part, number, `{"events":[${text.slice(1)}]}`)
        continue
      }
      const { state, events } = splitLast(text)
      const told = run.stopped ?? state
      send(CHILD_FRAME.slice, number, `{"events":[${events}],"state":${told},"cpuMs":${run.guest.cpuMs}}`)
      if (run.stopped !== undefined) run.guest.dispose()
      return
    }
  }

  const discard = (number: number): void => {
    runs.get(number)?.guest.dispose()
    runs.delete(number)
  }

  const prepare = (): void => {
    while (spares.length < sparesWanted) spares.push(options.createIsolate(spareMemoryMb))
    while (spares.length > sparesWanted) spares.pop()?.dispose()
  }

  return {
    handle(frame) {
      switch (frame.type) {
        case HOST_FRAME.start:
          start(frame.run, frame.body)
          return
        case HOST_FRAME.deliver:
          deliver(frame.run, frame.body)
          return
        case HOST_FRAME.discard:
          discard(frame.run)
          return
        case HOST_FRAME.prepare:
          sparesWanted = parsePrepare(frame.body)
          prepare()
          return
        default:
          throw new Error(`a frame of type ${frame.type}, which is unknown`)
      }
    },
  }
}

/** The first frame a child sends. */
export function readyBody(): string {
  return JSON.stringify({ version: WIRE_VERSION, node: process.versions.node, v8: process.versions.v8 })
}

function stopped(why: 'slice-timeout' | 'memory' | 'output' | 'compile', message: string): string {
  return JSON.stringify({ s: 'stopped', why, message })
}

/** `=<length>:<state><events>`; anything else is a prelude that was cut off in the middle of its work. */
function splitLast(text: string): { readonly state: string; readonly events: string } {
  const colon = text.indexOf(':')
  if (!text.startsWith('=') || colon < 0) return { state: '{"s":"waiting"}', events: '' }
  const length = Number(text.slice(1, colon))
  return { state: text.slice(colon + 1, colon + 1 + length), events: text.slice(colon + 1 + length) }
}
