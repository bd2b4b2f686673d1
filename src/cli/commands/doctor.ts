import { hasCode, thrownMessage } from '../../data/failure.ts'
import type { ExecutorReport } from '../../executor/executor.ts'
import { IN_PROCESS_WARNING, probeInProcess } from '../../executor/in-process-executor.ts'
import { createProcessExecutor } from '../../executor/process-executor.ts'
import { checkConfig, type Check } from '../check-config.ts'
import { EXIT } from '../exit-codes.ts'
import { watchInterrupt } from '../interrupt.ts'
import { paletteFor, safe, writeJson, type Io } from '../io.ts'
import { VERSION } from '../version.ts'

export interface DoctorCommandOptions {
  readonly config?: string
  readonly json?: boolean
}

const OLDEST_NODE = 24

/** Looks at everything a run needs and says what is missing and what to do about it. Starts the configured servers once. */
export async function doctorCommand(options: DoctorCommandOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  const host = checkNode()
  const sandbox = await interrupt.race(checkSandbox())
  const config = await interrupt.race(checkConfig(options.config, io))
  const checks = [host, ...sandbox.checks, ...config]
  const exitCode = verdict(host, sandbox.checks, config)
  if (options.json === true)
    writeJson(io, { version: VERSION, ok: exitCode === EXIT.ok, exitCode, checks, sandbox: sandbox.report })
  else writeChecks(io, checks)
  return exitCode
}

function verdict(host: Check, sandbox: readonly Check[], config: readonly Check[]): number {
  // Walls that are missing are told, but only the isolate and the level that runs require decide.
  if (!host.ok || sandbox.some(({ name, ok }) => !ok && !name.startsWith('wall'))) return EXIT.sandboxUnavailable
  if (config.some(({ name, ok }) => !ok && name === 'config')) return EXIT.usage
  return config.every(({ ok }) => ok) ? EXIT.ok : EXIT.serversMissing
}

function checkNode(): Check {
  const ok = Number(process.versions.node.split('.')[0]) >= OLDEST_NODE
  return {
    name: 'node',
    ok,
    detail: `${process.version} at ${process.execPath}`,
    ...(!ok && { advice: `install Node ${OLDEST_NODE} or newer` }),
  }
}

async function checkSandbox(): Promise<{ readonly checks: readonly Check[]; readonly report?: ExecutorReport }> {
  try {
    await using executor = await createProcessExecutor({ requireConfinement: 'none', hasWarmSpare: false })
    const report = await executor.report()
    const { node, isolatedVm, confinement } = report
    const checks = [
      { name: 'sandbox node', ok: true, detail: `${node.version} at ${node.path}` },
      {
        name: 'isolated-vm',
        ok: isolatedVm.ok,
        detail: isolatedVm.detail,
        ...(!isolatedVm.ok && { advice: 'install it for the sandbox Node above: npm install isolated-vm' }),
      },
      {
        name: 'confinement',
        ok: confinement.level !== 'none',
        detail: confinement.level,
        ...(confinement.level === 'none' && {
          advice: 'programs run only with --require-confinement none; see the walls below',
        }),
      },
      ...confinement.walls.map(({ name, stands, detail }) => ({ name: `wall: ${name}`, ok: stands, detail })),
      await checkInProcess(),
    ]
    return { checks, report }
  } catch (thrown) {
    if (!hasCode(thrown)) throw thrown
    return { checks: [{ name: 'sandbox', ok: false, detail: thrownMessage(thrown) }] }
  }
}

/** Never a fault: no command runs programs that way. It is told with what it would cost. */
async function checkInProcess(): Promise<Check> {
  const name = 'in-process'
  try {
    await probeInProcess()
    return {
      name,
      ok: true,
      detail: `not used here; an engine with isolation "in-process" would start, but: ${IN_PROCESS_WARNING}`,
    }
  } catch (thrown) {
    if (!hasCode(thrown)) throw thrown
    return { name, ok: true, detail: `not used here, and it would not start: ${thrownMessage(thrown)}` }
  }
}

function writeChecks(io: Io, checks: readonly Check[]): void {
  const { dim, green, red, yellow } = paletteFor(io.stdout, io.env)
  const width = Math.min(32, Math.max(...checks.map(({ name }) => name.length)))
  const lines = checks.map(({ name, ok, detail, advice }) => {
    // What is configured is there, and does not work; what a run needs beside that is missing.
    const isConfigured = name === 'config' || /^(?:server|API|HTTP tool) /.test(name)
    const word = ok
      ? green('OK     ')
      : name.startsWith('wall')
        ? yellow('missing')
        : red(isConfigured ? 'FAILED ' : 'MISSING')
    const text = safe(detail).replaceAll('\n', `\n${' '.repeat(width + 10)}`)
    return `${word} ${safe(name).padEnd(width)} ${dim(text)}${advice === undefined ? '' : `\n${' '.repeat(8)}→ ${advice}`}`
  })
  io.stdout.write(`${lines.join('\n')}\n`)
}
