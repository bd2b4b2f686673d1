import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, isSandbox, isServer } from './_processes.ts'
import { openHeap, type Heap } from './_load-heap.ts'

export const TENANTS = ['north', 'south'] as const
export type Tenant = (typeof TENANTS)[number]
export const MAX_CHILDREN = 4

/** A real `codeferry serve`, in a folder of its own, over two upstream servers of its own. */
export interface LoadService extends AsyncDisposable {
  readonly url: string
  readonly secrets: Readonly<Record<Tenant, string>>
  readonly pid: number
  readonly heap: Heap
  /** Sandbox processes that live. */
  sandboxes(): readonly number[]
  /** Upstream processes of one name. */
  upstreams(name: string): readonly number[]
  /** What stood on its stderr besides the lines of an untroubled log. */
  readonly troubles: readonly string[]
  /** SIGTERM, then its exit code; and how many processes it left behind. */
  end(): Promise<{ readonly code: number | null; readonly left: number }>
}

const ROOT = join(import.meta.dirname, '..')
const MAX_TROUBLES = 20

export async function startLoadService(): Promise<LoadService> {
  const folder = await mkdtemp(join(tmpdir(), 'codeferry-load-'))
  const secrets = { north: newSecret(), south: newSecret() }
  await writeFile(join(folder, 'codeferry.json'), JSON.stringify(settingsWith(secrets)))
  const args = ['--inspect=127.0.0.1:0', join(ROOT, 'src/cli/main.ts'), 'serve', '--json', '--port', '0']
  const child = spawn(process.execPath, [...args, '--require-confinement', 'none'], { cwd: folder })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  const troubles: string[] = []
  const inspector = watchStderr(child, troubles)
  try {
    const url = await Promise.race([
      readUrl(child),
      ended.then((code) => Promise.reject(new Error(`serve ended with ${code}: ${troubles.join('\n')}`))),
    ])
    const heap = await openHeap(await inspector)
    const pid = Number(child.pid) // It has started, or there were no URL.
    const below = () => descendantsOf(pid)
    return {
      url,
      secrets,
      pid,
      heap,
      troubles,
      sandboxes: () => below().filter(isSandbox),
      upstreams: (name) => below().filter((each) => isServer(each, name)),
      async end() {
        const started = below()
        heap[Symbol.dispose]()
        child.kill('SIGTERM')
        const code = await Promise.race([ended, sleep(60_000, null, { ref: false })])
        // Upstream servers end when their stdin does.
        for (let n = 0; n < 50 && started.some(isAlive); n++) await sleep(100)
        return { code, left: started.filter(isAlive).length }
      },
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL')
        await ended
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (thrown) {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
    throw thrown
  }
}

function settingsWith(secrets: Readonly<Record<Tenant, string>>): object {
  const upstream = (name: string) => ({
    command: process.execPath,
    args: [join(ROOT, 'benchmarks/_load-server.ts'), name],
  })
  return {
    mcpServers: { steady: upstream('steady'), frail: upstream('frail') },
    scopes: { global: { mode: 'both' }, north: {}, south: {} },
    pool: { maxChildren: MAX_CHILDREN, childrenPerTenant: 2 },
    store: { sqlite: 'sessions.sqlite' },
    tokens: TENANTS.map((name) => ({
      name,
      scope: name,
      may: ['run', 'call', 'read'],
      secret: { sha256: createHash('sha256').update(secrets[name]).digest('hex') },
    })),
  }
}

function newSecret(): string {
  return `cft_${randomBytes(24).toString('hex')}`
}

/** Resolves with where the inspector listens; keeps what an operator would want to hear of. */
function watchStderr(child: ChildProcess, troubles: string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  if (child.stderr === null) throw new TypeError('the service was started without a pipe for stderr')
  createInterface({ input: child.stderr }).on('line', (line) => {
    const inspector = /ws:\/\/\S+/.exec(line)?.[0]
    if (inspector !== undefined) return resolve(inspector)
    if (isUntroubled(line) || troubles.length >= MAX_TROUBLES) return
    troubles.push(line.slice(0, 2_000))
  })
  return promise
}

/** Log lines up to `warn` are news: 503 while it is full, the end of a server. Anything that is no log line is trouble. */
function isUntroubled(line: string): boolean {
  if (/^(using |For help, see:|Debugger |Waiting for the debugger)/.test(line) || line === '') return true
  // How the service tells that an upstream died; the load kills one.
  if (line.startsWith('warning: ')) return true
  try {
    return Number((JSON.parse(line) as { level?: unknown }).level) < 50
  } catch {
    return false
  }
}

function readUrl(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    try {
      resolve(String((JSON.parse(text) as { url?: unknown }).url))
    } catch {
      // Not whole yet.
    }
  })
  return promise
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
