// A host process that starts runs, says so on its standard output, and stays until it is killed from outside.
import { createProcessExecutor } from '../../../src/executor/process-executor.ts'
import { start } from '../../executor/harness.ts'

const executor = await createProcessExecutor()
const never = () => new Promise<never>(() => {})
const limits = { cpuMs: 60_000, wallMs: 120_000 }
const waiting = start(executor, `await tools.never({})`, { tenant: 'waiting', tools: { never }, limits })
// Uninterruptible, so the child cannot notice by itself that nobody listens any more.
start(executor, `await tools.echo({}); const a = []; a[2 ** 32 - 2] = 1; a.sort()`, { tenant: 'stuck', limits })
while (waiting.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
process.stdout.write('running\n')
