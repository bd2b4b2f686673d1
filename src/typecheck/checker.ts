import { createHash } from 'node:crypto'
import type { Clock } from '../data/clock.ts'
import { isRecord } from '../data/json.ts'
import type { SdkNames, SdkView } from '../sdk/sdk-view.ts'
import { CompilerFiles } from './compiler-files.ts'
import { startCompiler, type CompilerProcess } from './compiler-process.ts'
import { askAbout } from './compiler-session.ts'
import type { FoundCompiler } from './find-compiler.ts'
import { judge } from './judge.ts'
import type { Finding, ProgramToCheck, Verdict } from './program-to-check.ts'
import {
  CONFIG_TEXT,
  EMPTY_SLOT,
  SLOTS,
  checkedViewOf,
  configPath,
  folderOf,
  preludePath,
  sdkPath,
  slotPath,
  type CheckedView,
} from './views.ts'

/**
 * Checks programs against the declarations of the tools they may call. Total: when there is no compiler, or it is slow
 * or dies, the answer says that nothing was checked, and why.
 */
export interface TypeChecker extends AsyncDisposable {
  /** Reads the declarations of a view ahead of its first program. */
  prepare(view: SdkView, names: SdkNames): void
  check(program: ProgramToCheck, view: SdkView, names: SdkNames): Promise<Verdict>
}

export interface TypeCheckerOptions {
  readonly found: FoundCompiler
  /** Declarations of everything a program has besides its tools. */
  readonly prelude: string
  readonly clock: Clock
  /** Starts the process now instead of with the first program. Default true. */
  readonly startAhead?: boolean
  /** For the first program of a view, whose declarations are read then. Default 1,500. */
  readonly firstBudgetMs?: number
  /** For one program afterwards. Default 300. */
  readonly budgetMs?: number
}

/** Views whose declarations the compiler keeps; each costs it some MiB. */
const MAX_PROJECTS = 8
const MAX_VERDICTS = 500
/** Each pass takes out the unknown keys that the one before it found; deeper nests are not followed. */
const MAX_PASSES = 3
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 30_000

interface Waiting {
  readonly key: string
  readonly view: CheckedView
  readonly program: ProgramToCheck
  readonly settle: (verdict: Verdict) => void
  isSettled: boolean
  /** A batch with it failed: it goes alone, so that one program cannot take others along. */
  mustBeAlone: boolean
}

/** One life of the compiler process and what it has been told. */
interface Life {
  readonly process: CompilerProcess
  readonly files: CompilerFiles
  readonly started: Promise<unknown>
  /** By SDK hash, least recently used first. */
  readonly projects: Map<string, { id: string; dirty: number }>
}

export function createTypeChecker(options: TypeCheckerOptions): TypeChecker {
  const { found, prelude, clock, startAhead = true, firstBudgetMs = 1_500, budgetMs = 300 } = options
  const verdicts = new Map<string, Verdict>()
  const queue: Waiting[] = []
  let life: Life | undefined
  let work: Promise<void> | undefined
  let failures = 0
  let notBefore = 0
  let isDisposed = false

  function start(): Life | undefined {
    if (life !== undefined || !found.ok || isDisposed || clock.monotonicMs() < notBefore) return life
    const files = new CompilerFiles(found.compiler.libraryFolder)
    const process = startCompiler(found.compiler, files)
    const started = process.request('initialize', null)
    started.catch(() => {}) // Whoever uses the process waits for it and sees the same.
    const own: Life = { process, files, started, projects: new Map() }
    life = own
    void process.exited.then(() => lost(own))
    return own
  }

  function lost(own: Life): void {
    if (life !== own) return
    life = undefined
    failures++
    notBefore = clock.monotonicMs() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1))
  }

  function settle(waiting: Waiting, verdict: Verdict, keep: boolean): void {
    if (keep) remember(waiting.key, verdict)
    if (waiting.isSettled) return
    waiting.isSettled = true
    waiting.settle(verdict)
  }

  function remember(key: string, verdict: Verdict): void {
    verdicts.set(key, verdict)
    for (const oldest of verdicts.keys()) {
      if (verdicts.size <= MAX_VERDICTS) break
      verdicts.delete(oldest)
    }
  }

  async function drain(): Promise<void> {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      const own = start()
      const [first] = batch
      if (own === undefined || first === undefined) {
        for (const waiting of batch) settle(waiting, notChecked('the type checker is not running'), false)
        continue
      }
      const isFirst = !own.projects.has(first.view.hash)
      // A whole batch gets the time of its programs; a single one never more than its own.
      const allowedMs = (isFirst ? firstBudgetMs : budgetMs) + budgetMs * (batch.length - 1)
      const ending = await withDeadline(clock, allowedMs, runBatch(own, batch))
      if (ending === 'done') {
        failures = 0
        continue
      }
      own.process.kill()
      lost(own)
      if (failures <= 1) notBefore = 0
      for (const waiting of batch) {
        if (batch.length > 1) {
          waiting.mustBeAlone = true
          if (!waiting.isSettled) queue.push(waiting)
        } else
          settle(
            waiting,
            notChecked(ending === 'late' ? `checking took more than ${allowedMs} ms` : 'the type checker ended'),
            // The same program would end the next process too. A first program may only have met a slow start.
            !isFirst,
          )
      }
    }
  }

  function nextBatch(): readonly Waiting[] {
    const open = queue.filter((waiting) => !waiting.isSettled)
    const [first] = open
    if (first === undefined) {
      queue.length = 0
      return []
    }
    const batch = first.mustBeAlone
      ? [first]
      : open.filter((one) => !one.mustBeAlone && one.view.hash === first.view.hash).slice(0, SLOTS)
    const rest = open.filter((one) => !batch.includes(one))
    queue.splice(0, queue.length, ...rest)
    return batch
  }

  async function runBatch(own: Life, batch: readonly Waiting[]): Promise<void> {
    await own.started
    const [first] = batch
    if (first === undefined) return
    const project = await openProject(own, first.view)
    let unjudged = batch.map((waiting) => ({
      waiting,
      program: waiting.program,
      found: [] as Finding[],
      extra: [] as string[],
    }))
    for (let pass = 1; unjudged.length > 0; pass++) {
      const programs = unjudged.map(({ program }) => program.text)
      await using state = await snapshotWith(own, first.view.hash, project, programs)
      const again: typeof unjudged = []
      for (const [slot, one] of unjudged.entries()) {
        const ask = askAbout(own.process, {
          snapshot: state.id,
          project: project.id,
          file: slotPath(first.view.hash, slot),
        })
        const { findings, extraKeys } = await judge(one.program, ask, first.view.hash, one.extra)
        one.found.push(...findings)
        if (extraKeys.length > 0 && pass < MAX_PASSES) {
          const extra = [...one.extra, ...extraKeys.map(({ name }) => name)]
          again.push({ ...one, program: { ...one.program, text: without(one.program.text, extraKeys) }, extra })
        } else settle(one.waiting, { isChecked: true, findings: withoutRepeats(one.found) }, true)
      }
      unjudged = again
    }
  }

  async function openProject(own: Life, view: CheckedView): Promise<{ id: string; dirty: number }> {
    const known = own.projects.get(view.hash)
    if (known !== undefined) {
      own.projects.delete(view.hash)
      own.projects.set(view.hash, known)
      return known
    }
    own.files.write(preludePath(view.hash), prelude)
    own.files.write(sdkPath(view.hash), view.sdkText)
    own.files.write(configPath(view.hash), CONFIG_TEXT)
    for (let slot = 0; slot < SLOTS; slot++) own.files.write(slotPath(view.hash, slot), EMPTY_SLOT)
    const closing = [...own.projects.keys()].slice(0, Math.max(0, own.projects.size + 1 - MAX_PROJECTS))
    const answer = await own.process.request('updateSnapshot', {
      openProjects: [configPath(view.hash)],
      ...(closing.length > 0 && { closeProjects: closing.map(configPath) }),
    })
    const { snapshot, projects } = isRecord(answer) ? answer : {}
    const opened: unknown = Array.isArray(projects)
      ? projects.find((one: unknown) => isRecord(one) && one['configFileName'] === configPath(view.hash))
      : undefined
    await own.process.request('release', { snapshot })
    if (!isRecord(opened) || typeof opened['id'] !== 'string') throw new Error('the project was not opened')
    for (const hash of closing) {
      own.projects.delete(hash)
      own.files.removeFolder(folderOf(hash))
    }
    const project = { id: opened['id'], dirty: 0 }
    own.projects.set(view.hash, project)
    return project
  }

  /** Programs go into the first slots. Those that the last state used are emptied: nothing of one program reaches another. */
  async function snapshotWith(
    own: Life,
    hash: string,
    project: { dirty: number },
    programs: readonly string[],
  ): Promise<{ readonly id: number } & AsyncDisposable> {
    const changed: string[] = []
    for (let slot = 0; slot < Math.max(programs.length, project.dirty); slot++) {
      own.files.write(slotPath(hash, slot), programs[slot] ?? EMPTY_SLOT)
      changed.push(slotPath(hash, slot))
    }
    project.dirty = programs.length
    const answer = await own.process.request('updateSnapshot', { fileChanges: { changed } })
    const id = isRecord(answer) && typeof answer['snapshot'] === 'number' ? answer['snapshot'] : undefined
    if (id === undefined) throw new Error('no snapshot was made')
    return {
      id,
      [Symbol.asyncDispose]: () => own.process.request('release', { snapshot: id }).then(() => {}),
    }
  }

  function pump(): void {
    work ??= drain().finally(() => {
      work = undefined
      if (queue.length > 0 && !isDisposed) pump()
    })
  }

  if (startAhead) start()
  return {
    prepare(view, names) {
      if (!found.ok || isDisposed) return
      const checked = checkedViewOf(view, names)
      if (life?.projects.has(checked.hash) === true) return
      enqueue(NOTHING_TO_CHECK, checked, () => {})
    },
    check(program, view, names) {
      if (!found.ok) return Promise.resolve(notChecked(found.reason))
      if (isDisposed) return Promise.resolve(notChecked('the type checker is closed'))
      return new Promise<Verdict>((resolve) => enqueue(program, checkedViewOf(view, names), resolve)).catch(() =>
        notChecked('the declarations of its tools could not be written'),
      )
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      for (const waiting of queue) settle(waiting, notChecked('the type checker is closed'), false)
      const own = life
      await own?.process[Symbol.asyncDispose]()
      await work
    },
  }

  function enqueue(program: ProgramToCheck, view: CheckedView, resolve: (verdict: Verdict) => void): void {
    const key = `${view.hash} ${createHash('sha256').update(program.text, 'utf16le').digest('base64')}`
    const known = verdicts.get(key)
    if (known !== undefined) {
      resolve(known)
      return
    }
    const isFirst = life?.projects.has(view.hash) !== true
    const allowedMs = isFirst ? firstBudgetMs : budgetMs
    const waiting: Waiting = {
      key,
      view,
      program,
      settle(verdict) {
        timer[Symbol.dispose]()
        resolve(verdict)
      },
      isSettled: false,
      // `declare global` reaches every file of a project.
      mustBeAlone: program.text.includes('global'),
    }
    // The asker's own deadline: the process may be busy with others, or starting.
    const timer = clock.after(allowedMs, () =>
      settle(waiting, notChecked(`checking took more than ${allowedMs} ms`), false),
    )
    queue.push(waiting)
    pump()
  }
}

const NOTHING_TO_CHECK: ProgramToCheck = {
  text: EMPTY_SLOT,
  submittedOffset: () => undefined,
  calls: [],
  judgedElsewhere: new Set(),
  handled: [],
}

/** The same text with blanks in the place of some properties: every other offset stays true. */
function without(text: string, ranges: readonly { readonly start: number; readonly end: number }[]): string {
  let blanked = text
  for (const { start, end } of ranges) {
    const comma = /^\s*,/.exec(blanked.slice(end))
    const to = end + (comma?.[0].length ?? 0)
    blanked = blanked.slice(0, start) + blanked.slice(start, to).replace(/[^\r\n]/g, ' ') + blanked.slice(to)
  }
  return blanked
}

/** Every pass repeats what the one before it said. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const byPlace = new Map<string, Finding>()
  for (const finding of findings) byPlace.set(`${finding.offset} ${finding.message}`, finding)
  return [...byPlace.values()].toSorted((a, b) => a.offset - b.offset)
}

function notChecked(reason: string): Verdict {
  return { isChecked: false, reason }
}

async function withDeadline(clock: Clock, ms: number, work: Promise<void>): Promise<'done' | 'late' | 'failed'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  using _timer = clock.after(ms, () => resolve('late'))
  return await Promise.race([
    work.then(
      () => 'done' as const,
      () => 'failed' as const,
    ),
    late,
  ])
}
