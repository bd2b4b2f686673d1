import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Command, Rung } from './confinement-ladder.ts'
import type { PrivateRoot } from './private-root.ts'
import { processLine } from './process-tree.ts'

/** What a confined child found that it can do, and what the kernel says about it. */
export interface Findings {
  readonly canReadHostFile: boolean
  readonly canWriteFile: boolean
  readonly canConnect: boolean
  readonly canStartPrograms: boolean
  readonly canSignalHost: boolean
  readonly uid: number
  readonly environment: readonly string[]
  /** From /proc, read by the host. Undefined: not to be found out. */
  readonly noNewPrivileges?: boolean
  readonly capabilities?: string
  readonly maxData?: string
}

export type Probe =
  | { readonly ok: true; readonly findings: Findings; readonly addon: string; readonly hasSeatBelt: boolean }
  | { readonly ok: false; readonly why: string }

const PROBE_MS = 10_000

/**
 * Starts a child on a rung and lets it try what it must not be able to do. A wall is what a probe ran into, never what
 * the command line asked for.
 */
export async function probeRung(rung: Rung, root: PrivateRoot): Promise<Probe> {
  const bait = join(dirname(root.path), 'bait')
  writeFileSync(bait, 'bait', { mode: 0o644 })
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const attempt = `(${tryEverything.toString()})(${JSON.stringify({ bait, port, hostPid: process.pid })})`
    const tried = await runProbe(rung.command(['-e', attempt], 0), (pid) => readProc(pid))
    if (!tried.ok) return tried
    const inside = (path: string) => (rung.isJailed ? path : join(root.path, path))
    const addon = inside(root.addon)
    const load = `(${loadAddon.toString()})(${JSON.stringify(addon)})`
    const belt = seatBelt(inside('/app'))
    const withBelt = await runProbe(rung.command(['--no-node-snapshot', ...belt, '-e', load], 0), () => ({}))
    const loaded = withBelt.ok
      ? withBelt
      : await runProbe(rung.command(['--no-node-snapshot', '-e', load], 0), () => ({}))
    if (!loaded.ok) return { ok: false, why: `isolated-vm does not load: ${loaded.why}` }
    return {
      ok: true,
      // Both halves were written by the probe below, in a child that runs no program yet.
      findings: { ...(tried.said as unknown as Findings), ...tried.seen },
      addon: String(loaded.said['addon']),
      hasSeatBelt: withBelt.ok,
    }
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Node's own permission model: a second lock on the JavaScript side, worth nothing against native code. */
export function seatBelt(readable: string): string[] {
  // The addon's loader looks for the second file to tell which C library is here.
  const readings = [`${readable}/`, '/etc/alpine-release'].map((path) => `--allow-fs-read=${path}`)
  return ['--permission', '--allow-addons', ...readings, '--no-warnings']
}

type Ran =
  | { readonly ok: true; readonly said: Record<string, unknown>; readonly seen: object }
  | { readonly ok: false; readonly why: string }

function runProbe({ file, args, cwd }: Command, look: (pid: number) => object): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(file, [...args], {
      cwd,
      env: {},
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: PROBE_MS,
      killSignal: 'SIGKILL',
    })
    let out = ''
    let err = ''
    let seen: object = {}
    child.stdin.on('error', () => {})
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      if (!out.includes('\n')) return
      // It waits for the end of its input, so that the kernel's view of it can be read meanwhile.
      if (child.pid !== undefined) seen = look(child.pid)
      child.stdin.end()
    })
    child.stderr.on('data', (chunk: Buffer) => (err = (err + chunk.toString()).slice(0, 2_000)))
    child.on('error', (error) => resolve({ ok: false, why: error.message }))
    child.on('close', (code, signal) => {
      try {
        const said: unknown = JSON.parse(out)
        if (typeof said === 'object' && said !== null) return resolve({ ok: true, said: { ...said }, seen })
      } catch {
        // Told below.
      }
      const firstLine = err.trim().split('\n')[0] ?? ''
      resolve({ ok: false, why: firstLine === '' ? `ended with ${signal ?? code}` : firstLine })
    })
  })
}

function readProc(started: number): Partial<Findings> {
  try {
    const pid = processLine(started).at(-1) ?? started
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1]
    const maxData = /^Max data size\s+(\S+)/m.exec(limits)?.[1]
    const capabilities = field('CapEff')
    return {
      noNewPrivileges: field('NoNewPrivs') === '1',
      ...(capabilities !== undefined && { capabilities }),
      ...(maxData !== undefined && { maxData }),
    }
  } catch {
    return {}
  }
}

// --- the code of the child: sent as text, so it can use nothing of this file ------------------------------------------

function loadAddon(addon: string): void {
  const { createRequire } = process.getBuiltinModule('module')
  const ivm: { Isolate: new (options: object) => { dispose(): void } } = createRequire(`${addon}/`)(addon)
  new ivm.Isolate({ memoryLimit: 16 }).dispose()
  process.stdout.write(`${JSON.stringify({ addon: 'an isolate can be made' })}\n`)
  process.stdin.resume()
}

function tryEverything(aim: { bait: string; port: number; hostPid: number }): void {
  const fs = process.getBuiltinModule('fs')
  const can = (attempt: () => unknown) => {
    try {
      attempt()
      return true
    } catch {
      return false
    }
  }
  const canWriteTo = (path: string) => can(() => fs.closeSync(fs.openSync(path, 'w')))
  const report = (canConnect: boolean) => {
    const name = `codeferry-probe-${process.pid}`
    const found = {
      canReadHostFile: can(() => fs.readFileSync(aim.bait)) || can(() => fs.readFileSync('/etc/passwd')),
      canWriteFile: ['/tmp', '/var/tmp', '/dev/shm', '.', '/'].some((directory) => {
        const isWritten = canWriteTo(`${directory}/${name}`)
        if (isWritten) can(() => fs.rmSync(`${directory}/${name}`))
        return isWritten
      }),
      canConnect,
      canStartPrograms: ['/bin/sh', '/bin/true', '/usr/bin/env'].some(
        (program) => process.getBuiltinModule('child_process').spawnSync(program, ['-c', 'true']).error === undefined,
      ),
      canSignalHost: can(() => process.kill(aim.hostPid, 0)),
      uid: process.getuid?.() ?? -1,
      environment: Object.keys(process.env),
    }
    process.stdout.write(`${JSON.stringify(found)}\n`)
    process.stdin.resume()
  }
  const socket = process.getBuiltinModule('net').connect(aim.port, '127.0.0.1')
  socket.on('connect', () => {
    socket.destroy()
    report(true)
  })
  socket.on('error', () => report(false))
}
