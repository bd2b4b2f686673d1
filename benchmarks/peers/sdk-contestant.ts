// One generator in a process of its own: no other one has warmed its code or filled its heap.
import { readFileSync, writeFileSync } from 'node:fs'
import type { SampleTool } from '../_sdk-sample.ts'
import { SDK_CONTESTANTS } from './sdk-contestants.ts'

const [name, library = '', sampleFile = '', textFile = '', warmRuns = '0'] = process.argv.slice(2)
const contestant = SDK_CONTESTANTS.find((one) => one.name === name)
if (contestant === undefined) throw new Error(`there is no contestant ${name}`)
const readTools = () => JSON.parse(readFileSync(sampleFile, 'utf8')) as readonly SampleTool[] // Our own file.

const startedAt = performance.now()
const generator = await contestant.load(library)
const importMs = performance.now() - startedAt
// Libraries that complain about a schema do so on the console, which is in their time already.
console.error = () => {}
await generator.prepare?.(readTools())
const times: number[] = []
let text = ''
for (let run = 0; run <= Number(warmRuns); run++) {
  // New objects each time: nobody may know them from the run before.
  const tools = readTools()
  const from = performance.now()
  text = await generator.generate(tools)
  times.push(performance.now() - from)
}
writeFileSync(textFile, text)
const [coldMs, ...warmMs] = times
process.stdout.write(JSON.stringify({ importMs, coldMs, warmMs }))
