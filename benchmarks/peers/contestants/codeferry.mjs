import { createEngine, defineTool } from '../../../src/index.ts'
import { fivePolicies } from '../../_tools.ts'

/** The whole product: pipeline, log, compiled from text. `options`: where programs run, and whether types are checked. */
export async function start(tools, options = {}) {
  const engine = await createEngine({
    typecheck: 'off',
    requireConfinement: 'none',
    policies: fivePolicies(),
    tools: Object.entries(tools).map(([name, execute]) =>
      defineTool({
        name,
        description: name,
        parameters: { type: 'object', properties: { n: { type: 'number' } } },
        annotations: { readOnlyHint: true },
        isConcurrencySafe: () => true,
        execute: ({ n = 0 }) => execute({ n }),
      }),
    ),
    ...options,
  })
  return {
    call: (name) => `await tools.${name}`,
    promise: (name) => `tools.${name}`,
    async run(code) {
      const { outcome, value } = await engine.run(code)
      if (outcome.isError) throw new Error(outcome.error.message)
      return value.result
    },
    close: () => engine[Symbol.asyncDispose](),
  }
}
