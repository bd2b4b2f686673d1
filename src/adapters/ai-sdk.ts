import type { ModelMessage, Schema, Tool } from 'ai'
import type { Engine, JsonObject } from '../index.ts'
import {
  isCodeferryOutput,
  toModelOutput,
  toOutput,
  toUserMessage,
  type CodeferryOutput,
} from './ai-sdk/model-output.ts'
import { StepGather } from './ai-sdk/step-gather.ts'
import { offeredTools, scopeOf, type OfferOptions } from './offered-tools.ts'

export type CodeferryTool = Tool<JsonObject, CodeferryOutput>

/**
 * The tools of an engine as a `ToolSet` for `generateText`, `streamText` and agents: `run_code`, the tools themselves,
 * or both, as the mode says. The calls of one step are one batch of the session (default: a new one).
 *
 * A failure is an output with `isError`, which the model reads as an error; no call throws for what a tool does.
 */
export function codeferryTools(engine: Engine, options: OfferOptions = {}): Record<string, CodeferryTool> {
  const session = options.session ?? engine.openSession({ scope: scopeOf(options) })
  // Calls of one step share their messages. Those of other steps do not wait for them: a conversation may go on beside
  // this one, or inside of one of its calls.
  const gatherByMessages = new WeakMap<readonly unknown[], StepGather>()
  const gatherOf = (messages: readonly unknown[]) => {
    const known = gatherByMessages.get(messages) ?? new StepGather(engine, session)
    gatherByMessages.set(messages, known)
    return known
  }
  const tools = offeredTools(engine, { ...options, session }).map(({ name, description, parameters }) => {
    const tool: CodeferryTool = {
      description,
      inputSchema: uncheckedSchema(parameters),
      async execute(input, { toolCallId, messages, abortSignal }) {
        const call = { id: toolCallId, name, arguments: JSON.stringify(input) ?? '' }
        return toOutput(await gatherOf(messages).make(call, abortSignal))
      },
      toModelOutput: ({ output }) => toModelOutput(output),
    }
    return [name, tool] as const
  })
  return Object.fromEntries(tools)
}

/** As much of a step of the SDK as is read here. */
interface Step {
  readonly toolResults: readonly { readonly output?: unknown }[]
}

/** For `stopWhen`: a call of the last step asked for the end of the turn. */
export function turnConcluded({ steps }: { readonly steps: readonly Step[] }): boolean {
  return outputsOf(steps.at(-1)).some(({ concludesTurn }) => concludesTurn === true)
}

/**
 * For `prepareStep`: what tools of the last step want to tell the model, as user messages after their results. The SDK
 * keeps them for the steps that follow.
 */
export function passContexts({
  steps,
  messages,
}: {
  readonly steps: readonly Step[]
  readonly messages: readonly ModelMessage[]
}): { messages?: ModelMessage[] } {
  const told = outputsOf(steps.at(-1)).flatMap(({ contexts = [] }) => contexts.map(toUserMessage))
  return told.length === 0 ? {} : { messages: [...messages, ...told] }
}

function outputsOf(step: Step | undefined): readonly CodeferryOutput[] {
  return step?.toolResults.map(({ output }) => output).filter(isCodeferryOutput) ?? []
}

/**
 * A schema of the SDK that lets every value through: the pipeline checks arguments itself, and its refusals name what
 * is wrong, in the log too. By shape, so that the package is not loaded from here.
 */
function uncheckedSchema(jsonSchema: JsonObject): Schema<JsonObject> {
  const schema = {
    [Symbol.for('vercel.ai.schema')]: true,
    _type: undefined,
    jsonSchema,
    validate: undefined,
  }
  return schema as unknown as Schema<JsonObject> // Its key is a symbol that only the package can name in types.
}

export { isCodeferryOutput, type CodeferryOutput } from './ai-sdk/model-output.ts'
export type { OfferOptions } from './offered-tools.ts'
