import { isFailureCode } from '../data/failure-codes.ts'
import type { Outcome } from '../data/outcome.ts'
import type { Observer } from '../pipeline/call.ts'
import { RUN_CODE } from '../registry/scope.ts'
import { Histogram } from './histogram.ts'

export interface CallMetrics {
  /** For `EngineOptions.observers`; engines that follow each other may share it. */
  readonly observer: Observer
  /** Prometheus text. `shows` says which tools may be named; the others are counted together. Default: all are named. */
  text(options?: { readonly shows?: (toolName: string) => boolean }): string
}

interface ToolCounts {
  readonly byOutcome: Map<string, number>
  readonly seconds: Histogram
}

/** A catalog that keeps changing must not make series without end: tools beyond these are counted together. */
const MAX_TOOLS = 500
const OTHERS = '(other)'
/** Calls of names that are no tool's: models and programs may invent any number of them. */
const UNKNOWN = '(unknown)'
/** Failures with a code of the tool's own, which may say anything. */
const OWN_CODE = 'TOOL_CODE'

/** Counts runs by how they ended and tool calls by tool and outcome, and how long both took. */
export function createCallMetrics(): CallMetrics {
  const runs: ToolCounts = emptyCounts()
  const countsByTool = new Map<string, ToolCounts>()

  function countsOf(tool: string): ToolCounts {
    const name = countsByTool.has(tool) || countsByTool.size < MAX_TOOLS ? tool : OTHERS
    const counts = countsByTool.get(name) ?? emptyCounts()
    countsByTool.set(name, counts)
    return counts
  }

  return {
    observer: {
      isBrief: true,
      settled({ toolName, definition }, outcome, { durationMs }) {
        const counts = toolName === RUN_CODE ? runs : countsOf(definition === undefined ? UNKNOWN : toolName)
        add(counts.byOutcome, codeOf(outcome), 1)
        counts.seconds.add(durationMs / 1_000)
      },
    },
    text({ shows = () => true } = {}) {
      const shown = new Map<string, ToolCounts>()
      for (const [tool, counts] of countsByTool) {
        const name = tool === UNKNOWN || tool === OTHERS || shows(tool) ? tool : OTHERS
        const into = shown.get(name) ?? emptyCounts()
        for (const [code, count] of counts.byOutcome) add(into.byOutcome, code, count)
        into.seconds.merge(counts.seconds)
        shown.set(name, into)
      }
      const tools = [...shown].toSorted(([a], [b]) => (a < b ? -1 : 1))
      return `${[
        ...heading('codeferry_run_endings_total', 'counter', 'Programs that ended, by failure code, or "ok".'),
        ...sorted(runs.byOutcome).map(([code, count]) => `codeferry_run_endings_total{code="${code}"} ${count}`),
        ...heading('codeferry_run_duration_seconds', 'histogram', 'From the call of run_code to its outcome.'),
        ...runs.seconds.lines('codeferry_run_duration_seconds', ''),
        ...heading('codeferry_tool_calls_total', 'counter', 'Tool calls, from programs and direct, by outcome.'),
        ...tools.flatMap(([tool, { byOutcome }]) =>
          sorted(byOutcome).map(
            ([code, count]) => `codeferry_tool_calls_total{tool="${tool}",outcome="${code}"} ${count}`,
          ),
        ),
        ...heading('codeferry_tool_call_duration_seconds', 'histogram', 'From a call to its outcome, policy included.'),
        ...tools.flatMap(([tool, { seconds }]) =>
          seconds.lines('codeferry_tool_call_duration_seconds', `tool="${tool}"`),
        ),
      ].join('\n')}\n`
    },
  }
}

function emptyCounts(): ToolCounts {
  return { byOutcome: new Map(), seconds: new Histogram() }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

function codeOf(outcome: Outcome): string {
  if (!outcome.isError) return 'ok'
  return isFailureCode(outcome.error.code) ? outcome.error.code : OWN_CODE
}

function sorted(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function heading(name: string, type: 'counter' | 'histogram', help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}
