import type { ChildExit, ChildLink } from './child-link.ts'
import type { Berth, LiveRun } from './live-run.ts'
import { RespawnBrake } from './respawn-brake.ts'
import { SpareOrders } from './spare-orders.ts'

export interface PoolOptions {
  readonly maxChildren: number
  readonly childrenPerTenant: number
  /** Runs that may share one child at a time. */
  readonly maxRunsPerChild: number
  /** Runs that may wait for a place, over all tenants. */
  readonly maxQueue: number
  /** A child is replaced after so many runs, or at that age: what leaks, leaks no further. */
  readonly recycleAfterRuns: number
  readonly recycleAfterMs: number
  /** What a child may hold: it is left at peace before that is reached. */
  readonly childRssMb: number
  /** No answer for so long: the child is taken up, nothing new is placed there. */
  readonly busyMs: number
  readonly sharedSliceMs: number
  readonly hasWarmSpare: boolean
  /** Makes a child; throws when the system refuses one. */
  readonly spawn: (events: {
    onReady(link: ChildLink): void
    onChange(link: ChildLink): void
    onExit(link: ChildLink, exit: ChildExit): void
  }) => ChildLink
}

interface Child {
  readonly link: ChildLink
  /** Set with the first run, for good: tenants never share a process. */
  tenant: string | undefined
  /** Kept for runs that need long slices: from the first such run until another kind finds it idle. */
  isReserved: boolean
  readonly spares: SpareOrders
}

interface Waiting {
  readonly run: LiveRun
  readonly alone: boolean
}

/** How long an empty pool waits before it makes its spare: a burst of starts comes first. */
const SPARE_DELAY_MS = 150
/** A child takes no more runs when so much of its memory is in use: those that are there may still grow. */
const FULL = 0.7

/** Which child a run gets. Children are bound to tenants, shared by many runs, and replaced rather than repaired. */
export class Pool implements Berth {
  readonly #options: PoolOptions
  readonly #children = new Map<ChildLink, Child>()
  readonly #brake = new RespawnBrake()
  #queue: Waiting[] = []
  /** Tenants that could do with one more child, seen in this pass over the queue. */
  readonly #wanting = new Set<string>()
  #spareTimer: NodeJS.Timeout | undefined
  #lookTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  ask(run: LiveRun, { isResume, alone }: { readonly isResume: boolean; readonly alone: boolean }): void {
    if (this.#isClosed) return run.refuse('ABORTED', 'the executor was closed')
    // A run that was moved has waited before; it also must not be refused for a queue that grew meanwhile.
    if (isResume) this.#queue.unshift({ run, alone })
    else this.#queue.push({ run, alone })
    this.#place()
    if (!isResume && this.#queue.length > this.#options.maxQueue && !run.isOver && this.#isWaiting(run)) {
      this.forget(run)
      run.refuse(
        'OVERLOADED',
        `${this.#options.maxQueue} programs wait for a sandbox already; try again when some have ended`,
      )
    }
  }

  /** Makes ready what the next run of this tenant would find missing: a child, or an isolate in the one it would get. */
  expect(tenant: string): void {
    if (this.#isClosed) return
    const children = [...this.#children.values()].filter(({ link }) => !link.isGone && !link.isRetired)
    const own = children.filter((child) => child.tenant === tenant)
    const free = own.length > 0 ? own : children.filter((child) => child.tenant === undefined)
    const [next] = free.filter(({ isReserved }) => !isReserved).toSorted((a, b) => a.link.load - b.link.load)
    if (next !== undefined) next.spares.expect()
    else if (own.length === 0 && this.#children.size < this.#options.maxChildren) this.#spawn()
  }

  forget(run: LiveRun): void {
    if (this.#queue.length > 0) this.#queue = this.#queue.filter((waiting) => waiting.run !== run)
  }

  /** Starts the first child ahead of need and waits until it can be used. */
  async warm(): Promise<void> {
    const link = this.#spawn()
    if (link === undefined) throw new Error(this.#brake.lastFailure)
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (link.ready !== undefined) resolve()
        else if (link.isGone) void link.exited.then((exit) => reject(new Error(describe(exit))))
        else setTimeout(look, 5)
      }
      look()
    })
  }

  get links(): Iterable<ChildLink> {
    return this.#children.keys()
  }
  get queueLength(): number {
    return this.#queue.length
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#spareTimer)
    clearTimeout(this.#lookTimer)
    const waiting = this.#queue
    this.#queue = []
    for (const { run } of waiting) run.refuse('ABORTED', 'the executor was closed')
    const links = [...this.#children.keys()]
    for (const { spares } of this.#children.values()) spares.stop()
    for (const link of links) link.kill('closed', 'the executor was closed')
    await Promise.all(links.map((link) => link.exited))
  }

  #isWaiting(run: LiveRun): boolean {
    return this.#queue.some((waiting) => waiting.run === run)
  }

  /** Seats whom it can, in order. A tenant that finds no place does not hold up the others. */
  #place(): void {
    if (this.#isClosed || this.#queue.length === 0) return
    this.#wanting.clear()
    const stuck = { shared: new Set<string>(), alone: new Set<string>() }
    const left: Waiting[] = []
    const queue = this.#queue
    // Seating a run can end it or make it ask again; both act on a queue of their own meanwhile.
    this.#queue = []
    for (const waiting of queue) {
      const { run } = waiting
      if (run.isOver) continue
      // Who waits for a child of its own does not hold up those who share, nor the other way round.
      const stuckTenants = waiting.alone ? stuck.alone : stuck.shared
      const child = stuckTenants.has(run.tenant) ? undefined : this.#findChild(run, waiting.alone)
      if (child === undefined) {
        stuckTenants.add(run.tenant)
        left.push(waiting)
        continue
      }
      child.tenant = run.tenant
      if (child.link.load === 0) child.isReserved = waiting.alone
      child.spares.used()
      run.enter(child.link.seat(run))
      if (this.#hasServedEnough(child)) child.link.retire()
    }
    this.#queue = [...left, ...this.#queue]
    if (this.#queue.length > 0) this.#lookAgain()
    this.#orderSpareChild()
  }

  #findChild(run: LiveRun, alone: boolean): Child | undefined {
    const own = [...this.#children.values()].filter((child) => child.tenant === run.tenant && !child.link.isGone)
    return alone ? this.#findAlone(run, own) : this.#findShared(run, own)
  }

  #findShared(run: LiveRun, own: readonly Child[]): Child | undefined {
    const open = own.filter((child) => this.#isOpen(child, run)).toSorted((a, b) => a.link.load - b.link.load)
    const shared = open.filter((child) => !child.isReserved)
    const [best] = shared
    if (best !== undefined && best.link.load === 0) return best
    const share = own.filter((child) => !child.isReserved && !child.link.isRetired)
    if (share.length < this.#options.childrenPerTenant) {
      const spare = this.#findSpare(run)
      if (spare !== undefined) return spare
      this.#grow(run.tenant)
    }
    // Better than waiting: one kept for heavy programs that has none at the moment.
    return best ?? open.find((child) => child.link.load === 0)
  }

  /**
   * For a program that takes whole slices: whoever shares its child waits for it. So it gets an idle child, or a new
   * one, one over the tenant's share if need be; and where neither can be had it shares with its like.
   */
  #findAlone(run: LiveRun, own: readonly Child[]): Child | undefined {
    const open = own.filter((child) => this.#isOpen(child, run)).toSorted((a, b) => a.link.load - b.link.load)
    const idle = open.filter((child) => child.link.load === 0)
    const best = idle.find((child) => child.isReserved) ?? idle[0]
    if (best !== undefined) return best
    if (own.filter((child) => !child.link.isRetired).length <= this.#options.childrenPerTenant) {
      const spare = this.#findSpare(run)
      if (spare !== undefined) return spare
      if (this.#grow(run.tenant)) return undefined
    }
    if (own.some((child) => child.isReserved)) return open.find((child) => child.isReserved)
    return open[0]
  }

  #findSpare(run: LiveRun): Child | undefined {
    return [...this.#children.values()].find((child) => child.tenant === undefined && this.#isOpen(child, run))
  }

  #isOpen({ link }: Child, run: LiveRun): boolean {
    const { slices } = link
    return (
      link.ready !== undefined &&
      !link.isGone &&
      !link.isRetired &&
      link.load < this.#options.maxRunsPerChild &&
      slices.headMs < this.#options.busyMs &&
      // A run that is alone was given a whole budget in one slice: who joins now could wait for all of it.
      slices.headSliceMs <= this.#options.sharedSliceMs &&
      (link.load === 0 || this.#hasMemory(link, run))
    )
  }

  /** Runs may use more memory than there is, as few do; what is held and what is claimed is counted. */
  #hasMemory(link: ChildLink, run: LiveRun): boolean {
    const most = this.#options.childRssMb * FULL
    if (link.rssBytes > most * 2 ** 20) return false
    return run.claimMb === 0 || link.claimedMb + run.claimMb <= most
  }

  /** One more child for this tenant, unless as many are on their way as tenants want one. True: one will come. */
  #grow(tenant: string): boolean {
    this.#wanting.add(tenant)
    // One that was killed while it started counts until its exit is known: only then has the brake been told.
    const starting = [...this.#children.values()].filter(({ link }) => link.ready === undefined).length
    if (starting >= this.#wanting.size) return true
    if (this.#children.size >= this.#options.maxChildren) return this.#evictIdle(tenant)
    this.#spawn()
    // The brake may put it off: later is soon enough.
    return !this.#brake.isBroken
  }

  /** An idle child of somebody else makes room; when it has exited, the queue is looked at again. */
  #evictIdle(tenant: string): boolean {
    const children = [...this.#children.values()]
    if (children.some(({ link }) => link.isGone)) return true
    const idle = children.find(
      (child) => child.link.load === 0 && child.tenant !== undefined && child.tenant !== tenant,
    )
    idle?.link.kill('closed', 'the idle child made room for another tenant')
    return idle !== undefined
  }

  /** A child is started for nobody yet: whose run comes first, has it. */
  #spawn(): ChildLink | undefined {
    if (this.#isClosed || !this.#brake.mayStart()) {
      this.#lookAgain()
      return undefined
    }
    try {
      const link = this.#options.spawn({
        onReady: () => {
          this.#brake.succeeded()
          this.#place()
          this.#orderSpareChild()
        },
        onChange: (changed) => this.#onChange(changed),
        onExit: (gone, exit) => this.#onExit(gone, exit),
      })
      this.#children.set(link, { link, tenant: undefined, isReserved: false, spares: new SpareOrders(link) })
      return link
    } catch (thrown) {
      this.#brake.failed(thrown instanceof Error ? thrown.message : String(thrown))
      this.#refuseIfBroken()
      return undefined
    }
  }

  #onChange(link: ChildLink): void {
    const child = this.#children.get(link)
    if (child === undefined) return
    if (link.load === 0) {
      if (link.isRetired || this.#hasServedEnough(child)) link.kill('closed', 'the child was replaced')
    }
    this.#place()
  }

  #hasServedEnough({ link }: Child): boolean {
    const ageMs = performance.now() - link.startedAt
    return link.runsStarted >= this.#options.recycleAfterRuns || ageMs >= this.#options.recycleAfterMs
  }

  #onExit(link: ChildLink, exit: ChildExit): void {
    const child = this.#children.get(link)
    if (child === undefined) return
    child.spares.stop()
    this.#children.delete(link)
    if (link.ready === undefined && exit.killed?.reason !== 'closed') {
      this.#brake.failed(`the sandbox process did not start: ${describe(exit)}`)
      this.#refuseIfBroken()
    } else if (exit.killed?.reason !== 'closed') this.#brake.lost()
    // The runs of this child are told after this; what waited already can move up.
    setImmediate(() => this.#place())
    this.#orderSpareChild()
  }

  /** Waiting would be hopeless: say so instead of letting every run find out by its own timeout. */
  #refuseIfBroken(): void {
    if (!this.#brake.isBroken) return
    const waiting = this.#queue
    this.#queue = []
    for (const { run } of waiting)
      run.refuse('SANDBOX_LOST', `no sandbox process can be started: ${this.#brake.lastFailure}`)
  }

  /** A place may come free by time alone: a busy child answers, the brake lets go. */
  #lookAgain(): void {
    if (this.#lookTimer !== undefined || this.#isClosed) return
    this.#lookTimer = setTimeout(() => {
      this.#lookTimer = undefined
      this.#place()
    }, 25)
  }

  /** One child without a tenant stands by, when the pool has room for it: a first run then takes milliseconds. */
  #orderSpareChild(): void {
    if (!this.#options.hasWarmSpare || this.#spareTimer !== undefined || this.#isClosed) return
    this.#spareTimer = setTimeout(() => {
      this.#spareTimer = undefined
      const hasSpare = [...this.#children.values()].some((child) => child.tenant === undefined)
      if (!hasSpare && this.#children.size < this.#options.maxChildren) this.#spawn()
    }, SPARE_DELAY_MS)
    this.#spareTimer.unref()
  }
}

function describe(exit: ChildExit): string {
  return exit.killed?.message ?? exit.fatal?.message ?? exit.signal ?? `exit code ${exit.code}`
}
