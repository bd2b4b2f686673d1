/** The names under which programs import what they have as globals anyway. */
const SDK_MODULES: ReadonlySet<string> = new Set(['codeferry', '@sdk/tools', 'tools'])

/** Globals besides `tools` that such an import may name. */
const SDK_GLOBALS: ReadonlySet<string> = new Set(['sdk', 'show', 'progress', 'artifacts', 'console', 'ToolError'])

export function isSdkModule(specifier: string): boolean {
  return SDK_MODULES.has(specifier)
}

/** Code for what `import { name }` of the SDK means. A tool may have the name of one of our globals; then it wins. */
export function sdkMember(name: string): string {
  const quoted = JSON.stringify(name)
  if (name === 'tools' || name === 'default') return 'globalThis.tools'
  if (!SDK_GLOBALS.has(name)) return `globalThis.tools[${quoted}]`
  return `(${quoted} in globalThis.tools ? globalThis.tools[${quoted}] : globalThis[${quoted}])`
}

/** Code for an object that answers to all ways of using the SDK as a whole: `x.tools.name`, `x.name`, `x.default`. */
export const SDK_MODULE_OBJECT =
  '{ __proto__: globalThis.tools, tools: globalThis.tools, default: globalThis.tools, sdk: globalThis.sdk, ' +
  'show: globalThis.show, progress: globalThis.progress, artifacts: globalThis.artifacts, ' +
  'ToolError: globalThis.ToolError, console: globalThis.console, then: undefined }'
