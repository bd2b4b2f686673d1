/** A program as the checker needs it. Offsets named `submitted` are those of the text that the model sent. */
export interface ProgramToCheck {
  /** A module of TypeScript: the program with its form resolved, so that what it returns is an expression like others. */
  readonly text: string
  /** Undefined: text that the program's author did not write. */
  submittedOffset(offset: number): number | undefined
  /** Calls that name a tool in a readable way. */
  readonly calls: readonly ToolCall[]
  /** Offsets of member names that somebody else judges. */
  readonly judgedElsewhere: ReadonlySet<number>
  /** Submitted ranges in which a failure is caught. */
  readonly handled: readonly (readonly [start: number, end: number])[]
}

export interface ToolCall {
  /** Submitted offset of the tool's name. */
  readonly offset: number
  /** As a program writes it: `tools.github.issue_read`. */
  readonly label: string
  /** The call with its types. */
  readonly signature: string
  /** Properties of the arguments; none is known for tools that take anything. */
  readonly properties: readonly string[]
  readonly required: readonly string[]
  /** Other properties are refused by the tool itself. */
  readonly isClosed: boolean
}

/** Something the checker has to say. An error refuses the program; a notice goes with its result. */
export interface Finding {
  readonly severity: 'error' | 'notice'
  /** Submitted offset. */
  readonly offset: number
  /** Subject, rule, what was found. */
  readonly message: string
  /** What to do, when it is known. */
  readonly advice?: string
}

export type Verdict =
  | { readonly isChecked: true; readonly findings: readonly Finding[] }
  | { readonly isChecked: false; readonly reason: string }
