import { run, setMaxWorkers } from 'run'

/** Its caps are lifted where the work would not fit them. */
export async function start(tools) {
  setMaxWorkers(100)
  return {
    call: (name) => `await tools.${name}`,
    promise: (name) => `tools.${name}`,
    async run(code) {
      const result = await run({
        source: code,
        hostFunctions: { tools },
        limits: { maxBridgeRequests: 20_000, maxInFlightBridgeRequests: 2_000 },
      })
      if (result.status !== 'completed') throw new Error(`ended as ${result.status}`)
      return result.value
    },
    async close() {},
  }
}
