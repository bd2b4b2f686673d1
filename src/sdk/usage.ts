import type { RenderedSdk } from './render.ts'
import { accessPath } from './safe-text.ts'
import { fillTemplate } from './templates.ts'
import type { SdkTemplates } from './templates.ts'

/** What is true of the runs to come, as far as a model should know it. A scope's limits are these facts. */
export interface UsageFacts {
  readonly cpuMs: number
  readonly wallMs: number
  readonly memoryMb: number
  readonly maxCalls: number
  readonly maxConcurrentCalls: number
  readonly maxContentBytes: number
  /** Whether programs are type-checked before they run; absent: they are not. */
  readonly typecheck?: 'error' | 'notice' | 'off'
  /** Whether the model also has the tools themselves; absent: it has not. */
  readonly mode?: 'code' | 'both'
}

/** For the system prompt: when to write a program, how, and the SDK. */
export function systemPrompt(sdk: RenderedSdk, facts: UsageFacts, templates: SdkTemplates): string {
  return fillTemplate(
    templates.systemPrompt,
    { usage: runCodeDescription(sdk, facts, templates).trimEnd() },
    { both: facts.mode === 'both', codeOnly: facts.mode !== 'both' },
  )
}

/** For the description of `run_code`, where there is no system prompt to put it in. */
export function runCodeDescription(sdk: RenderedSdk, facts: UsageFacts, templates: SdkTemplates): string {
  return fillTemplate(
    templates.usage,
    {
      example: exampleCall(sdk),
      maxConcurrentCalls: String(facts.maxConcurrentCalls),
      cpuSeconds: seconds(facts.cpuMs),
      wallSeconds: seconds(facts.wallMs),
      memoryMb: String(facts.memoryMb),
      maxCalls: String(facts.maxCalls),
      contentKib: String(Math.round(facts.maxContentBytes / 1024)),
      // The fence is put on here: in the template a formatter would take what is inside for code.
      sdk: `\`\`\`ts\n${sdk.text}\`\`\``,
    },
    {
      // A tool of that name has its place.
      ownFull: !sdk.nameMap.has('full'),
      fullTool: sdk.nameMap.has('full'),
      index: sdk.level === 'L0' || sdk.level === 'L1',
      typecheckError: facts.typecheck === 'error',
      typecheckNotice: facts.typecheck === 'notice',
    },
  )
}

function exampleCall(sdk: RenderedSdk): string {
  const [first] = sdk.nameMap.keys()
  return first === undefined ? 'name' : accessPath(first.split('.')).replace(/^\./, '')
}

function seconds(ms: number): string {
  return String(Math.round(ms / 100) / 10)
}
