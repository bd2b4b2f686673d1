import { join } from 'node:path'
import { CodedError } from '../data/failure.ts'
import { buildLadder, findTools, type Command, type Rung, type Tools } from './confinement-ladder.ts'
import { probeRung, seatBelt, type Findings } from './confinement-probe.ts'
import type { ConfinementReport } from './executor.ts'
import type { PrivateRoot } from './private-root.ts'

export type ConfinementLevel = ConfinementReport['level']

export interface Confinement {
  readonly report: ConfinementReport
  readonly addon: string
  /** The command of a child; `slot` sets children apart where they get users of their own. */
  childCommand(slot: number): Command
}

export interface ConfinementOptions {
  readonly root: PrivateRoot
  readonly require: ConfinementLevel
  readonly dataBytes: number
  /** Flags for V8 and Node beside our own, such as `--jitless`. */
  readonly nodeFlags: readonly string[]
  /** What to confine with; otherwise what is installed. */
  readonly tools?: Tools
}

const RANK = { none: 0, basic: 1, strong: 2 } as const

/** Climbs down the ladder to the first rung that works here and says, from probes, which walls then stand. */
export async function probeConfinement(options: ConfinementOptions): Promise<Confinement> {
  const { root } = options
  const isRoot = process.getuid?.() === 0
  const ladder = buildLadder({ tools: options.tools ?? findTools(), root, isRoot, dataBytes: options.dataBytes })
  const failed: string[] = []
  for (const rung of ladder) {
    const probe = await probeRung(rung, root)
    if (!probe.ok) {
      failed.push(`${rung.name}: ${probe.why}`)
      continue
    }
    const report = toReport(rung, probe.findings, probe.hasSeatBelt, failed)
    assertLevel(report, options.require)
    return {
      report,
      addon: probe.addon,
      childCommand: (slot) => rung.command(childArgs(rung, options, probe.hasSeatBelt), slot),
    }
  }
  throw new CodedError('SANDBOX_UNAVAILABLE', `no sandbox process can be started here. ${failed.join('; ')}`)
}

function childArgs(rung: Rung, { root, nodeFlags }: ConfinementOptions, hasSeatBelt: boolean): string[] {
  const inside = (path: string) => (rung.isJailed ? path : join(root.path, path))
  return [
    '--no-node-snapshot',
    ...nodeFlags,
    ...(hasSeatBelt ? seatBelt(inside('/app')) : []),
    inside(root.bundle),
    '--addon',
    inside(root.addon),
  ]
}

function toReport(rung: Rung, found: Findings, hasSeatBelt: boolean, failed: readonly string[]): ConfinementReport {
  const isUnprivileged = found.uid > 0 && (found.capabilities === undefined || /^0+$/.test(found.capabilities))
  const hasLimits = found.maxData !== undefined && found.maxData !== 'unlimited'
  // bubblewrap itself sets the working directory's name, as seen from inside.
  const isEnvironmentEmpty = found.environment.every((name) => name === 'PWD')
  const walls: Record<string, readonly [stands: boolean, detail: string]> = {
    'no root': [isUnprivileged, `user ${found.uid}, effective capabilities ${found.capabilities ?? 'unknown'}`],
    'no new privileges': [found.noNewPrivileges === true, noNewPrivilegesDetail(found.noNewPrivileges)],
    limits: [hasLimits, hasLimits ? limitsDetail(Number(found.maxData)) : 'no limit on data'],
    network: [
      !found.canConnect,
      found.canConnect ? 'a local port of the host could be reached' : 'the host’s loopback could not be reached',
    ],
    'file reading': [
      !found.canReadHostFile,
      found.canReadHostFile ? 'a world-readable file of the host could be read' : 'no file of the host could be read',
    ],
    'file writing': [
      !found.canWriteFile,
      found.canWriteFile ? 'a file could be made in a directory open to all' : 'no file could be made',
    ],
    programs: [
      !found.canStartPrograms,
      found.canStartPrograms ? 'programs of the host could be started' : 'no program of the host could be started',
    ],
    signals: [
      !found.canSignalHost,
      found.canSignalHost ? 'the host could be signalled' : 'the host could not be signalled',
    ],
    environment: [isEnvironmentEmpty, isEnvironmentEmpty ? 'empty' : found.environment.join(', ')],
    'node permission model': [hasSeatBelt, 'a seat belt for JavaScript, not a wall against native code'],
  }
  const isBasic = isUnprivileged && found.noNewPrivileges === true && hasLimits
  const isStrong = isBasic && !found.canConnect && !found.canReadHostFile && !found.canWriteFile && !found.canSignalHost
  return {
    level: isStrong ? 'strong' : isBasic ? 'basic' : 'none',
    walls: [
      {
        name: 'operating system',
        stands: rung.name !== 'none',
        detail: [`confined by: ${rung.name}`, ...failed.map((why) => `not available: ${why}`)].join('; '),
      },
      ...Object.entries(walls).map(([name, [stands, detail]]) => ({ name, stands, detail })),
    ],
  }
}

/** Isolates reserve far more addresses than they use, so this limit is wide: it is no bound on memory, and says so. */
function limitsDetail(maxDataBytes: number): string {
  return (
    `data at most ${Math.round(maxDataBytes / 2 ** 30)} GiB of address space, which stops only a runaway process; ` +
    'memory in use is bounded by each isolate’s heap limit and by the host’s watch over the process; ' +
    'no file larger than 0 bytes, 64 open files, no core dump'
  )
}

function noNewPrivilegesDetail(isSet: boolean | undefined): string {
  return isSet === undefined ? 'could not be found out' : isSet ? 'set' : 'not set'
}

function assertLevel(report: ConfinementReport, required: ConfinementLevel): void {
  if (RANK[report.level] >= RANK[required]) return
  const needed = required === 'strong' ? STRONG_WALLS : BASIC_WALLS
  const missing = report.walls.filter((wall) => !wall.stands && needed.includes(wall.name))
  throw new CodedError(
    'SANDBOX_UNAVAILABLE',
    `requireConfinement is '${required}', but only '${report.level}' can be had here. Missing: ` +
      `${missing.map((wall) => `${wall.name} (${wall.detail})`).join('; ')}. ` +
      `On Linux install util-linux (setpriv, prlimit, unshare) or bubblewrap and allow user namespaces, ` +
      `or set requireConfinement to '${report.level}' to accept less`,
  )
}

const BASIC_WALLS = ['no root', 'no new privileges', 'limits']
const STRONG_WALLS = [...BASIC_WALLS, 'network', 'file reading', 'file writing', 'signals']
