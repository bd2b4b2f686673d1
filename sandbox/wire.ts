/**
 * The wire between host and child: two one-way pipes, length-prefixed frames, one JSON text a frame.
 *
 * Who trusts whom: the child trusts the host. The host treats every frame of a child as forged: `wire-check.ts` parses
 * it, ids must be pending and the run's own, and a child that breaks a rule here is killed.
 *
 * Who must answer: each `start` and `deliver` is answered by exactly one `slice` (after any number of
 * `part`s with the events so far) for that run, or by a `fatal`, or by the child's death. Nothing is sent unasked but
 * `ready` (once, first). The child runs one slice at a time, in the order of the frames: so the run of the oldest
 * unanswered frame is the one that is in the isolate right now.
 */

/** u32 little-endian body length, u8 frame type, u32 little-endian run number; then the body, UTF-8 JSON. */
export const FRAME_HEADER_BYTES = 9

/** Host → child. */
export const HOST_FRAME = { start: 1, deliver: 2, discard: 3, prepare: 4 } as const
/** Child → host. */
export const CHILD_FRAME = { ready: 65, part: 66, slice: 67, fatal: 68 } as const

/** A guest cuts its outgoing events into parts of about this many bytes: larger batches cost more than they save. */
export const PART_BYTES = 48 * 1024

export const WIRE_VERSION = 1

// --- host → child -------------------------------------------------------------------------------------------------

export interface StartBody {
  readonly code: string
  /** Names and places of the functions under `tools`. */
  readonly bindings: readonly {
    readonly name: string
    readonly path: readonly string[]
    readonly required: readonly string[]
  }[]
  readonly limits: {
    readonly memoryMb: number
    readonly maxPendingCalls: number
    readonly maxLogBytes: number
    readonly maxResultBytes: number
    readonly maxValueBytes: number
  }
  /**
   * From places of the code to those of the text it was made from, for stacks that the program itself sees. One row a
   * line of code, between `;`; entries between `,`, each the column where it begins and what is there: `5=3.7` line 3,
   * column 7, up to the next entry; `5+3.7` the same, and columns count on; `5-` nothing that its author wrote.
   * Functions whose names end in `ownSuffix` were named by the compiler. Absent: places stay those of the code.
   */
  readonly places?: { readonly table: string; readonly ownSuffix: string }
  readonly seed: string
  readonly startTimeMs: number
  /** Longest time this slice may run. */
  readonly sliceMs: number
}

/** What reaches a waiting program, in this order, with the guest clock set to `nowMs` (since 1970) first. */
export interface DeliverBody {
  readonly nowMs: number
  readonly sliceMs: number
  readonly items: readonly DeliverItem[]
}
export type DeliverItem =
  /** Settles call `n`; `json` as in `GuestReply`. */
  | { readonly t: 'ok'; readonly n: number; readonly json: string }
  | { readonly t: 'err'; readonly n: number; readonly json: string }
  /** Timer `id` is due. */
  | { readonly t: 'timer'; readonly id: number }

/** `prepare`: how many fresh isolates to hold ready. */
export interface PrepareBody {
  readonly spares: number
}
// `discard` (no body): throw the isolate away; not answered.

// --- child → host -------------------------------------------------------------------------------------------------

export interface ReadyBody {
  readonly version: number
  readonly node: string
  readonly v8: string
}

/** `part` and `slice` carry what the guest said since the last frame. */
export interface PartBody {
  readonly events: readonly WireEvent[]
}
export interface SliceBody extends PartBody {
  readonly state: SliceState
  /** Isolate CPU time of the run so far. */
  readonly cpuMs: number
}

export type WireEvent =
  /** A call; numbers count up from 1 without a gap. `args` is JSON text. */
  | {
      readonly e: 'call'
      readonly n: number
      readonly op: 'call' | 'full' | 'search' | 'describe' | 'artifact'
      readonly name: string
      readonly args: string
    }
  | { readonly e: 'timer'; readonly id: number; readonly ms: number }
  | { readonly e: 'clear'; readonly id: number }
  | {
      readonly e: 'log'
      readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug'
      readonly at: number
      readonly text: string
    }
  | { readonly e: 'notice'; readonly code: string; readonly text: string }
  | { readonly e: 'show'; readonly json: string }
  | { readonly e: 'progress'; readonly message?: string; readonly fraction?: number }

export type SliceState =
  /** The program waits. Whether anything can still settle it is the host's to know (it holds calls and timers). */
  | { readonly s: 'waiting' }
  /** The program itself has ended; the host lets open calls settle, then discards the run. */
  | { readonly s: 'returned'; readonly json?: string }
  | {
      readonly s: 'threw'
      readonly name: string
      readonly message: string
      readonly stack: string
      readonly code?: string
      readonly tool?: string
    }
  /** The child ended the run: out of slice time, out of memory, result too large, or the code does not compile. */
  | { readonly s: 'stopped'; readonly why: 'slice-timeout' | 'memory' | 'output' | 'compile'; readonly message: string }

/** The whole child is lost: an isolate hit a catastrophic error. The child exits right after. */
export interface FatalBody {
  readonly why: 'out-of-memory' | 'internal'
  readonly message: string
}
