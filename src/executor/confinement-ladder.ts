import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PrivateRoot } from './private-root.ts'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
}

/** One way to confine a child. `command` wraps a Node invocation; paths in `nodeArgs` are as `insideRoot` says. */
export interface Rung {
  readonly name: string
  /** Whether the child sees the private root as `/`. */
  readonly isJailed: boolean
  command(nodeArgs: readonly string[], slot: number): Command
}

export interface Tools {
  readonly bwrap?: string
  readonly unshare?: string
  readonly setpriv?: string
  readonly prlimit?: string
}

const DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']

/** Absolute paths: a child's environment is empty, and a `PATH` of the host is not to choose what confines it. */
export function findTool(name: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  return DIRECTORIES.map((directory) => join(directory, name)).find((path) => existsSync(path))
}

export function findTools(): Tools {
  const found: { -readonly [K in keyof Tools]: Tools[K] } = {}
  for (const name of ['bwrap', 'unshare', 'setpriv', 'prlimit'] as const) {
    const path = findTool(name)
    if (path !== undefined) found[name] = path
  }
  return found
}

/**
 * Each child gets a user id of its own out of this range (the one that service managers use for passing users), so
 * that a child that was taken over can neither signal nor trace a child of another tenant.
 */
const FIRST_UID = 61_184
const UID_COUNT = 4_000
const NOBODY = 65_534

export interface LadderOptions {
  readonly tools: Tools
  readonly root: PrivateRoot
  readonly isRoot: boolean
  /** Bytes of data segment and private mappings a child may have, over all runs in it. */
  readonly dataBytes: number
}

/** Ways to confine a child here, strongest first. The last is no confinement at all. */
export function buildLadder({ tools, root, isRoot, dataBytes }: LadderOptions): Rung[] {
  const { bwrap, unshare, setpriv, prlimit } = tools
  const limits = [`--data=${dataBytes}`, '--nofile=64', '--core=0', '--fsize=0']
  const limited = prlimit === undefined ? [] : [prlimit, ...limits, '--']
  const outside = { cwd: join(root.path, root.empty), node: join(root.path, root.node) }
  const rungs: Rung[] = []

  if (bwrap !== undefined && root.isJail) {
    rungs.push({
      name: 'bubblewrap',
      isJailed: true,
      command: (nodeArgs) =>
        toCommand([...limited, bwrap, ...bwrapArgs(root), '--', root.node, ...nodeArgs], outside.cwd),
    })
  }
  if (setpriv !== undefined) {
    const dropTo = (uid: number) => (isRoot ? dropRoot(uid) : NO_NEW_PRIVILEGES)
    const drop = (slot: number) => [setpriv, ...dropTo(FIRST_UID + (slot % UID_COUNT)), '--', ...limited]
    const dropToNobody = () => [setpriv, ...dropTo(NOBODY), '--', ...limited]
    const unshareWords =
      unshare === undefined ? [] : isRoot ? [unshare, ...NAMESPACES] : userNamespace(setpriv, unshare)
    if (unshare !== undefined && root.isJail) {
      rungs.push({
        name: 'namespaces, own root directory',
        isJailed: true,
        command: (nodeArgs, slot) =>
          toCommand(
            [...unshareWords, `--root=${root.path}`, `--wd=${root.empty}`, '--', ...drop(slot), root.node, ...nodeArgs],
            outside.cwd,
          ),
      })
    }
    if (unshare !== undefined) {
      rungs.push({
        name: 'network namespace',
        isJailed: false,
        command: (nodeArgs, slot) =>
          toCommand([...unshareWords, '--', ...drop(slot), outside.node, ...nodeArgs], outside.cwd),
      })
    }
    rungs.push({
      name: 'no privileges, limits',
      isJailed: false,
      command: (nodeArgs, slot) => toCommand([...drop(slot), outside.node, ...nodeArgs], outside.cwd),
    })
    if (isRoot) {
      rungs.push({
        name: 'no privileges (one user for all), limits',
        isJailed: false,
        command: (nodeArgs) => toCommand([...dropToNobody(), outside.node, ...nodeArgs], outside.cwd),
      })
    }
  }
  if (prlimit !== undefined) {
    rungs.push({
      name: 'limits',
      isJailed: false,
      command: (nodeArgs) => toCommand([...limited, outside.node, ...nodeArgs], outside.cwd),
    })
  }
  rungs.push({
    name: 'none',
    isJailed: false,
    command: (nodeArgs) => toCommand([outside.node, ...nodeArgs], outside.cwd),
  })
  return rungs
}

const NAMESPACES = ['--net', '--ipc', '--uts']

/**
 * A user that is not root needs a user namespace to be allowed the others, and a process namespace to be out of reach
 * of the host, whose user it stays. The extra process dies with the host and takes the child along.
 */
function userNamespace(setpriv: string, unshare: string): string[] {
  const process = ['--pid', '--fork', '--kill-child=KILL']
  return [setpriv, '--pdeathsig=KILL', '--', unshare, '--user', '--map-current-user', ...process, ...NAMESPACES]
}

// The parent-death signal ends a child whose isolate is stuck when the host is killed and can no longer do it.
const NO_NEW_PRIVILEGES = ['--no-new-privs', '--inh-caps=-all', '--pdeathsig=KILL']

function dropRoot(uid: number): string[] {
  return [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--bounding-set=-all', ...NO_NEW_PRIVILEGES]
}

function bwrapArgs(root: PrivateRoot): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    '--uid',
    String(NOBODY),
    '--gid',
    String(NOBODY),
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--ro-bind',
    root.path,
    '/',
    '--chdir',
    root.empty,
  ]
}

function toCommand(words: readonly string[], cwd: string): Command {
  const [file, ...args] = words
  if (file === undefined) throw new Error('a command needs a program')
  return { file, args, cwd }
}
