import type { JsonObject } from '../data/json.ts'
import { createNearestNames, type FindNearest } from '../data/nearest-names.ts'
import { RUN_CODE } from '../registry/scope.ts'
import { isOpenToModel } from '../registry/tier.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import type { ToolView } from '../registry/view.ts'
import type { CallRequest } from './call.ts'

/** Why this name cannot be called this way. Depends on the view and the entry alone: no policy can change it. */
export interface Refusal {
  readonly code: 'CALL_VIA_RUN_CODE' | 'UNKNOWN_TOOL'
  readonly message: (args: JsonObject) => string
  /** For the owner, never for the model: a hidden tool must look like one that does not exist. */
  readonly ownerNote?: string
}

export interface Resolved {
  /** Absent when the name means nothing to this caller. */
  readonly definition?: ToolDefinition
  readonly refusal?: Refusal
}

/** What `name` means in this view to this caller. */
export function resolveTool(view: ToolView, name: string, entry: CallRequest['entry']): Resolved {
  if (name === RUN_CODE) return resolveRunCode(view, entry)
  const definition = view.toolsByName.get(name)
  if (definition === undefined) return { refusal: unknownTool(view, name, entry) }
  switch (entry) {
    case 'host':
      return { definition }
    case 'program':
      // The tier alone: a program that runs while its scope is set to native mode is let finish.
      return definition.tier === 'native' ? { refusal: notForPrograms(name) } : { definition }
    case 'model': {
      if (isOpenToModel(view.mode, definition)) return { definition }
      // Without `run_code` there is no other way to name: to this model the tool does not exist.
      if (view.runCode === undefined) return { refusal: unknownTool(view, name, entry) }
      return { definition, refusal: viaRunCode(definition) }
    }
  }
}

function resolveRunCode(view: ToolView, entry: CallRequest['entry']): Resolved {
  if (entry === 'program') {
    return {
      refusal: {
        code: 'UNKNOWN_TOOL',
        message: () => `${RUN_CODE} cannot be called from a program: a program is what it runs. Write the code inline.`,
      },
    }
  }
  if (view.runCode !== undefined) return { definition: view.runCode }
  return {
    refusal: {
      code: 'UNKNOWN_TOOL',
      message: () => `there is no ${RUN_CODE} here: this scope is in ${view.mode} mode. Call the tools directly.`,
    },
  }
}

function viaRunCode(definition: ToolDefinition): Refusal {
  return {
    code: 'CALL_VIA_RUN_CODE',
    message: (args) =>
      `${definition.name} is called from a program here, not directly. Call ${RUN_CODE} with this code:\n` +
      programFor(definition, args),
  }
}

function notForPrograms(name: string): Refusal {
  return {
    code: 'UNKNOWN_TOOL',
    message: () => `${name} is not there for programs: the model calls it directly, outside ${RUN_CODE}.`,
  }
}

function unknownTool(view: ToolView, name: string, entry: CallRequest['entry']): Refusal {
  const isHidden = view.hiddenNames.has(name)
  return {
    code: 'UNKNOWN_TOOL',
    message: () => `there is no tool ${quoted(name)} here. ${hintFor(name, view, entry)}`,
    ...(isHidden && {
      ownerNote: `${quoted(name)} exists but a restriction hides it from scope "${view.scope}"; the caller was told that there is no such tool`,
    }),
  }
}

/** The nearest names that this caller can use, in the way in which it can use them. */
function hintFor(name: string, view: ToolView, entry: CallRequest['entry']): string {
  const { callable, nearest } = reachOf(view, entry)
  const near = nearest(name).flatMap((candidate) => view.toolsByName.get(candidate) ?? [])
  const isForPrograms = (tool: ToolDefinition) => entry === 'model' && !isOpenToModel(view.mode, tool)
  if (near.length > 0) {
    const shown = near.map((tool) => (isForPrograms(tool) ? calleeOf(tool) : JSON.stringify(tool.name)))
    const way = near.some(isForPrograms) ? ` Call ${RUN_CODE} with a program that calls it.` : ''
    return `Did you mean ${shown.join(' or ')}?${way}`
  }
  if (callable.length === 0) return 'No tools are available here.'
  return callable.some(isForPrograms)
    ? `Tools are called from programs: call ${RUN_CODE} with a program; its description lists what a program can call.`
    : 'Use one of the tools you were given, by its exact name.'
}

interface Reach {
  readonly callable: readonly ToolDefinition[]
  readonly nearest: FindNearest
}

// A program may guess at a thousand names: what there is to compare them with is gathered once for a view.
const reachByView = new WeakMap<ToolView, Map<CallRequest['entry'], Reach>>()

function reachOf(view: ToolView, entry: CallRequest['entry']): Reach {
  const byEntry = reachByView.get(view) ?? new Map<CallRequest['entry'], Reach>()
  reachByView.set(view, byEntry)
  let reach = byEntry.get(entry)
  if (reach === undefined) {
    const callable = [...view.toolsByName.values()].filter((tool) => isWithinReach(tool, view, entry))
    reach = { callable, nearest: createNearestNames(callable.map((tool) => tool.name)) }
    byEntry.set(entry, reach)
  }
  return reach
}

/** Directly, or by a program that the caller may have run. */
function isWithinReach(tool: ToolDefinition, view: ToolView, entry: CallRequest['entry']): boolean {
  switch (entry) {
    case 'host':
      return true
    case 'program':
      return tool.tier !== 'native'
    case 'model':
      return view.runCode !== undefined || isOpenToModel(view.mode, tool)
  }
}

const MAX_SHOWN_ARGUMENTS = 2_000
/** These read as something else on a plain object; the quoted form always means the tool. */
const AMBIGUOUS_MEMBERS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', 'then'])

/** The same call as a program. The quoted form works for every registered name. */
function programFor(definition: ToolDefinition, args: JsonObject): string {
  return `return await ${calleeOf(definition)}(${argumentsText(args)})`
}

function calleeOf({ name, namespace }: ToolDefinition): string {
  const path =
    namespace !== undefined && name.startsWith(`${namespace}.`) ? [namespace, name.slice(namespace.length + 1)] : [name]
  const isPlain = path.every((part) => /^[A-Za-z_$][\w$]*$/.test(part) && !AMBIGUOUS_MEMBERS.has(part))
  return isPlain ? `tools.${path.join('.')}` : `tools[${JSON.stringify(name)}]`
}

function argumentsText(args: JsonObject): string {
  if (Object.keys(args).length === 0) return ''
  const json = JSON.stringify(args)
  if (json.length > MAX_SHOWN_ARGUMENTS) return '{ /* the same arguments */ }'
  // As source text `"__proto__": …` would set the prototype instead of a property.
  return json.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(json)})` : json
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}…` : name)
}
