/** A program with a known answer, over upstream servers that count what they are asked for. */
export interface LoadProgram {
  readonly code: string
  /** What it returns; each call gives its `i`, how often it was made (once), and who answered it. */
  readonly expected: readonly number[]
  /** The upstream whose process is killed once takes part. */
  readonly usesFrail: boolean
  /** Lines of console that it writes. */
  readonly lines: number
}

/** What the programs return. */
export interface Answers {
  readonly is: readonly number[]
  /** Calls that were made more than once. */
  readonly twice: number
  /** Processes of the frail upstream that answered. */
  readonly pids: readonly number[]
}

type Make = (key: string, n: number) => LoadProgram

/** Calls of 5 to 50 ms each, in the shapes that programs of models have. */
const PROGRAMS: readonly Make[] = [
  (key, n) => ({
    code: program(
      `for (let i = 0; i < 3; i++) got.push(await tools.steady.work({ key, i, ms: ${5 + (n % 20)} }))`,
      key,
    ),
    expected: [0, 1, 2],
    usesFrail: false,
    lines: 0,
  }),
  (key, n) => ({
    code: program(
      `got.push(...(await Promise.all([0, 1, 2, 3].map((i) => tools.steady.work({ key, i, ms: 5 + ((i + ${n}) % 4) * 15 })))))`,
      key,
    ),
    expected: [0, 1, 2, 3],
    usesFrail: false,
    lines: 0,
  }),
  (key, n) => ({
    code: program(
      `got.push(await tools.steady.work({ key, i: 0, ms: 10 }))
frail.push(await tools.frail.work({ key, i: 1, ms: ${20 + (n % 30)} }))`,
      key,
    ),
    expected: [0, 1],
    usesFrail: true,
    lines: 0,
  }),
  (key) => ({
    code: program(
      `for (let i = 0; i < 4; i++) {
  got.push(await tools.steady.work({ key, i, ms: 5 }))
  console.log('done with', i)
  await new Promise((resolve) => setTimeout(resolve, 5))
}`,
      key,
    ),
    expected: [0, 1, 2, 3],
    usesFrail: false,
    lines: 4,
  }),
]

export function loadProgram(key: string, n: number): LoadProgram {
  const make = PROGRAMS[n % PROGRAMS.length]
  if (make === undefined) throw new RangeError('there are no programs')
  return make(key, n)
}

/** Says what is wrong with what a run returned; undefined: nothing. */
export function faultOf(program: LoadProgram, result: unknown): string | undefined {
  const answers = result as Partial<Answers> | undefined // Looked at member by member.
  const is = JSON.stringify(answers?.is)
  if (is !== JSON.stringify(program.expected)) return `gave ${is} in place of ${JSON.stringify(program.expected)}`
  return answers?.twice === 0 ? undefined : `${answers?.twice} of its calls were made more than once`
}

function program(body: string, key: string): string {
  return `const key = '${key}'
const got: { i: number; times: number; pid: number }[] = []
const frail: { i: number; times: number; pid: number }[] = []
${body}
const all = [...got, ...frail]
return { is: all.map(({ i }) => i), twice: all.filter(({ times }) => times !== 1).length, pids: frail.map(({ pid }) => pid) }`
}
