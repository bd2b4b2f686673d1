import type { JsonObject } from '../data/json.ts'
import { deriveNames } from './native-names.ts'
import { isOpenToModel } from './tier.ts'
import type { ToolAnnotations, ToolDefinition } from './tool.ts'
import type { ToolView } from './view.ts'

/** What a provider is given of one tool: an allow-list of its definition. */
export interface ModelTool {
  /** Provider-safe; `deriveNames(view).nameByNative` leads back. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly parameters: JsonObject
  readonly annotations?: ToolAnnotations
}

const modelToolsByView = new WeakMap<ToolView, readonly ModelTool[]>()

/** What the model is shown in this view, in byte order of the registered names, `run_code` last. */
export function modelToolsOf(view: ToolView): readonly ModelTool[] {
  const known = modelToolsByView.get(view)
  if (known !== undefined) return known
  const { nativeByName } = deriveNames(view)
  const shown = [...view.toolsByName.values()].filter((definition) => isOpenToModel(view.mode, definition))
  if (view.runCode !== undefined) shown.push(view.runCode)
  const modelTools = Object.freeze(
    shown.map((definition) => toModelTool(nativeByName.get(definition.name) ?? definition.name, definition)),
  )
  modelToolsByView.set(view, modelTools)
  return modelTools
}

function toModelTool(name: string, definition: ToolDefinition): ModelTool {
  const { title, description, parameters, annotations } = definition
  return Object.freeze({
    name,
    ...(title !== undefined && { title }),
    description,
    parameters: withObjectType(parameters),
    ...(annotations !== undefined && { annotations }),
  })
}

/** Providers refuse the whole request when one tool's root is not of type object, which imported schemas may leave out. */
function withObjectType(parameters: JsonObject): JsonObject {
  return Object.hasOwn(parameters, 'type') && parameters['type'] === 'object'
    ? parameters
    : Object.freeze({ ...parameters, type: 'object' })
}
