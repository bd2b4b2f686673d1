import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Compiler } from './find-compiler.ts'
import { ROOT, type CompilerFiles } from './compiler-files.ts'

const QUESTIONS = 'readFile,fileExists,directoryExists,getAccessibleEntries,realpath'
/** A program of 256 KiB has a syntax tree of some MiB; more than this is a process gone wrong. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** The collector works harder near it. Not a wall: the deadline of a check is what ends a program that eats memory. */
const ENVIRONMENT = { GOMEMLIMIT: '512MiB', GOTRACEBACK: 'none' }

/**
 * The native compiler as a child process that answers questions about types. One request at a time is up to the caller;
 * every request settles: with its answer, or with a rejection when the process is gone.
 */
export interface CompilerProcess extends AsyncDisposable {
  request(method: string, params: unknown): Promise<unknown>
  /** Ends the process at once; open requests reject. */
  kill(): void
  readonly exited: Promise<void>
}

export function startCompiler(compiler: Compiler, files: CompilerFiles): CompilerProcess {
  // No inherited environment: what the process reads is written by strangers, and it needs none of our secrets.
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    compiler.executable,
    ['--api', '--async', '--cwd', ROOT, `--callbacks=${QUESTIONS}`],
    { stdio: ['pipe', 'pipe', 'ignore'], env: ENVIRONMENT, cwd: compiler.libraryFolder },
  )
  const waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >()
  let lastId = 0
  let isGone = false
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  let needed = 0

  // Nothing of ours waits for a check alone: an idle compiler must not keep a finished process alive.
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref?: () => void }).unref?.() // Pipes are sockets.

  let markExited: () => void
  const exited = new Promise<void>((resolve) => (markExited = resolve))
  const lose = () => {
    if (!isGone) {
      isGone = true
      const open = [...waiting.values()]
      waiting.clear()
      for (const { reject } of open) reject(new Error('the type checker process ended'))
    }
  }
  child.once('error', () => (lose(), markExited()))
  child.once('exit', () => (lose(), markExited()))
  child.stdin.on('error', lose)
  child.stdout.on('error', lose)

  function send(message: object): void {
    if (isGone) return
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    child.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]))
  }

  function kill(): void {
    lose()
    child.kill('SIGKILL')
  }

  function take(text: string): void {
    const message = JSON.parse(text) as {
      id?: unknown
      method?: unknown
      params?: unknown
      result?: unknown
      error?: unknown
    } // Fields are checked below.
    if (typeof message.method === 'string') {
      if (message.id !== undefined)
        send({ id: message.id, result: files.answer(message.method, String(message.params)) })
      return
    }
    const open = typeof message.id === 'number' ? waiting.get(message.id) : undefined
    if (open === undefined) return
    waiting.delete(message.id as number) // It found an entry.
    if (message.error === undefined) open.resolve(message.result)
    else open.reject(new Error(`the type checker refused a request: ${JSON.stringify(message.error).slice(0, 300)}`))
  }

  child.stdout.on('data', (chunk: Buffer) => {
    buffered.push(chunk)
    bufferedBytes += chunk.length
    // Large answers come in many chunks: they are joined when the announced number of bytes is there.
    if (bufferedBytes < needed) return
    let bytes = buffered.length === 1 ? chunk : Buffer.concat(buffered)
    try {
      for (;;) {
        const headEnd = bytes.indexOf('\r\n\r\n')
        if (headEnd < 0) {
          needed = 0
          break
        }
        const length = Number(/Content-Length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1] ?? NaN)
        if (!(length <= MAX_MESSAGE_BYTES)) throw new Error('a message without a fair length')
        needed = headEnd + 4 + length
        if (bytes.length < needed) break
        take(bytes.toString('utf8', headEnd + 4, needed))
        bytes = bytes.subarray(needed)
      }
    } catch {
      kill()
      return
    }
    buffered = bytes.length === 0 ? [] : [bytes]
    bufferedBytes = bytes.length
  })

  return {
    request(method, params) {
      if (isGone) return Promise.reject(new Error('the type checker process ended'))
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, params })
      })
    },
    kill,
    exited,
    async [Symbol.asyncDispose]() {
      child.ref() // Whoever closes it waits for its end.
      kill()
      await exited
    },
  }
}
