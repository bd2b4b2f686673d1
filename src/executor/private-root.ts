import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  constants as fsConstants,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * The files a child needs, in a directory of its own that an unprivileged user can read and that can serve as its
 * whole file system: Node, its libraries, the child's bundle, the addon, and an empty working directory. Nothing of
 * the host's home or package directories has to be readable for the sandbox's user.
 */
export interface PrivateRoot {
  /** Host path of the directory. */
  readonly path: string
  /** Where FIFOs are made; only the host's user can enter. */
  readonly fifoPath: string
  /** Paths as seen from inside the root; outside they stand under `path`. */
  readonly node: string
  readonly bundle: string
  readonly addon: string
  readonly empty: string
  /** Whether Node and the listed programs can run with this as their root directory. */
  readonly isJail: boolean
  remove(): void
}

/** By this file the addon's loader tells which C library is here. */
const ALPINE = '/etc/alpine-release'

export function createPrivateRoot(source: {
  readonly node: string
  readonly bundle: string
  readonly addon: string
  /** Programs that must run inside when the directory is a jail. */
  readonly programs: readonly string[]
}): PrivateRoot {
  removeLeftBehind()
  const base = mkdtempSync(join(tmpdir(), ownPrefix(process.pid)))
  const path = join(base, 'root')
  const fifoPath = join(base, 'fifo')
  try {
    mkdirSync(fifoPath, { mode: 0o700 })
    for (const directory of ['', 'empty', 'app', 'app/node_modules', 'bin']) {
      mkdirSync(join(path, directory))
    }
    linkOrCopy(source.node, join(path, 'bin/node'))
    copyFileSync(source.bundle, join(path, 'app/child.cjs'))
    copyAddon(source.addon, join(path, 'app/node_modules'))
    const isJail = copyForJail([source.node, ...source.programs], path)
    chmodSync(base, 0o755)
    makeReadable(path, join(path, 'bin/node'))
    return {
      path,
      fifoPath,
      node: '/bin/node',
      bundle: '/app/child.cjs',
      addon: '/app/node_modules/isolated-vm',
      empty: '/empty',
      isJail,
      remove: () => rmSync(base, { recursive: true, force: true }),
    }
  } catch (thrown) {
    rmSync(base, { recursive: true, force: true })
    throw thrown
  }
}

/** A host that was killed could not tidy up; its directory is told by the process id in its name. */
function removeLeftBehind(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^codeferry-\d+-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || !name.startsWith(ownPrefix(Number(pid))) || isAlive(Number(pid))) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // Another user's: theirs to remove.
    }
  }
}

/** Containers may share a directory for temporary files: a process id only means something in its own namespace. */
function ownPrefix(pid: number): string {
  return `codeferry-${pidNamespace()}-${pid}-`
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')
  }
}

/** Node is 100 MB and more: a second name for the same file costs nothing where the file system allows one. */
function linkOrCopy(from: string, to: string): void {
  try {
    if ((statSync(from).mode & 0o005) !== 0o005) throw new Error('only its owner may run it')
    linkSync(from, to)
  } catch {
    copyFileSync(from, to, fsConstants.COPYFILE_FICLONE)
    chmodSync(to, 0o755)
  }
}

/** Whatever the host's umask and the modes of the originals were. A linked Node is not ours to change. */
function makeReadable(path: string, except: string): void {
  if (path === except) return
  const stats = lstatSync(path)
  if (!stats.isDirectory()) return chmodSync(path, stats.mode & 0o100 ? 0o755 : 0o644)
  chmodSync(path, 0o755)
  for (const name of readdirSync(path)) makeReadable(join(path, name), except)
}

/** Only what loading needs: the entry, the manifest, the binary of this platform (or one built here), the loader. */
function copyAddon(from: string, nodeModules: string): void {
  const to = join(nodeModules, 'isolated-vm')
  mkdirSync(to)
  for (const file of ['package.json', 'isolated-vm.js']) copyFileSync(join(from, file), join(to, file))
  const built = 'build/Release/isolated_vm.node'
  if (existsSync(join(from, built))) {
    mkdirSync(dirname(join(to, built)), { recursive: true })
    copyFileSync(join(from, built), join(to, built))
  }
  const prebuilt = `prebuilds/${process.platform}-${process.arch}`
  if (existsSync(join(from, prebuilt))) cpSync(join(from, prebuilt), join(to, prebuilt), { recursive: true })
  const loader = [join(from, 'node_modules/node-gyp-build'), join(from, '../node-gyp-build')].find((path) =>
    existsSync(path),
  )
  if (loader === undefined) throw new Error(`node-gyp-build, which loads isolated-vm, is missing beside ${from}`)
  cpSync(loader, join(nodeModules, 'node-gyp-build'), { recursive: true, dereference: true })
}

/** Copies programs other than Node (the first) and the libraries of all. False: it cannot be found out what they need. */
function copyForJail([node, ...programs]: readonly string[], root: string): boolean {
  if (process.platform !== 'linux' || node === undefined) return false
  try {
    const libraries = new Set([node, ...programs].flatMap((program) => librariesOf(program)))
    if (existsSync(ALPINE)) copyExecutable(ALPINE, join(root, ALPINE))
    for (const program of programs) copyExecutable(program, join(root, program))
    for (const library of libraries) copyExecutable(library, join(root, library))
    return true
  } catch {
    return false
  }
}

function copyExecutable(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}

function librariesOf(program: string): string[] {
  const listing = execFileSync('ldd', [program], {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return listing.split('\n').flatMap((line) => {
    const found = /(?:=>\s*)?(\/\S+)\s+\(0x/.exec(line)
    return found?.[1] === undefined ? [] : [found[1]]
  })
}
