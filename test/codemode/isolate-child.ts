/**
 * Evaluates compiled programs, each in an isolate of its own, and tells what came of them. Runs as a child process with
 * `--no-node-snapshot`, so that no program text is ever evaluated in the process of the tests.
 * In: a JSON array of scripts on standard input. Out: a JSON array of `Evaluated`.
 */
import ivm from 'isolated-vm'

/** Tools that answer with their own name and arguments; a tool called `absent…` is not there, one called `fail…` rejects. */
const BOOTSTRAP = `
  globalThis.calls = []
  const place = (path) => new Proxy(async (args) => {
    calls.push(path)
    if (path.startsWith('fail')) throw new Error('tool failed')
    return { path, args: args === undefined ? {} : args }
  }, { get: (target, key) => typeof key !== 'string' || key === 'then' || key.startsWith('absent') ? undefined
      : key in Function.prototype && path !== '' ? target[key] : place(path === '' ? key : path + '.' + key) })
  globalThis.tools = place('')
  globalThis.logs = []
  const log = (...parts) => void logs.push(parts.map((part) => typeof part === 'string' ? part : JSON.stringify(part)).join(' '))
  globalThis.console = { log, error: log, warn: log, info: log, debug: log }
  globalThis.sdk = { search: async (query) => 'searched ' + query }
  globalThis.shown = []
  globalThis.show = (block) => void shown.push(block)
  globalThis.progress = () => {}
  globalThis.artifacts = { read: async (id) => 'artifact ' + id }
  globalThis.ToolError = class ToolError extends Error {}
`
const DRIVER = `(program) => (async () => {
  const before = new Set(Reflect.ownKeys(globalThis))
  const told = { calls, logs, shown }
  try {
    const value = await program()
    told.ok = true
    if (value !== undefined) told.value = typeof value === 'function' ? 'a function' : value
  } catch (thrown) {
    told.ok = false
    told.error = { name: thrown?.name, message: String(thrown?.message ?? thrown), stack: String(thrown?.stack ?? '') }
  }
  told.newGlobals = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String)
  return JSON.stringify(told)
})()`

async function evaluate(code: string): Promise<unknown> {
  const isolate = new ivm.Isolate({ memoryLimit: 64 })
  try {
    const context = await isolate.createContext()
    await context.eval(BOOTSTRAP, { filename: 'bootstrap.js' })
    const driver = await context.eval(DRIVER, { reference: true, filename: 'driver.js' })
    const script = await isolate.compileScript(code, { filename: 'program.js' })
    const program = await script.run(context, { reference: true })
    const told: unknown = await driver.apply(undefined, [program.derefInto()], {
      result: { promise: true, copy: true },
      timeout: 5_000,
    })
    return JSON.parse(String(told))
  } catch (thrown) {
    return { ok: false, error: { name: 'EvaluationError', message: String(thrown), stack: '' }, calls: [], logs: [] }
  } finally {
    isolate.dispose()
  }
}

let input = ''
for await (const chunk of process.stdin.setEncoding('utf8')) input += String(chunk)
const results: unknown[] = []
for (const code of JSON.parse(input) as string[]) results.push(await evaluate(code))
process.stdout.write(JSON.stringify(results))
