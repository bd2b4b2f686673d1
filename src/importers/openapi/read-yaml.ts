import { Worker } from 'node:worker_threads'

export type ReadYaml = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string }

/** A megabyte takes about a second; more than this is a text made to take long. */
const DEADLINE_MS = 20_000
const MAX_MEGABYTES = 512

/**
 * Reads YAML in a worker that can be stopped: the reader compares every key of a mapping with all others, so a text of
 * some hundred kilobytes can keep a thread busy for minutes. Total. The worker has an empty environment.
 */
export async function readYaml(text: string, deadlineMs = DEADLINE_MS): Promise<ReadYaml> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./yaml-worker.${extension}`, import.meta.url), {
    workerData: text,
    env: {},
    // The reader's warnings quote the text.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<ReadYaml>((resolve) => {
      const fail = (reason: string) => resolve({ ok: false, reason })
      timer = setTimeout(() => fail(`it takes longer than ${deadlineMs} ms; convert it to JSON`), deadlineMs)
      worker.once('message', (message: ReadYaml) => resolve(message))
      worker.once('error', () => fail('it takes more memory than it may; convert it to JSON'))
      worker.once('exit', () => fail('its reader ended early'))
    })
  } finally {
    clearTimeout(timer)
    // The answer does not wait for the thread's end, which may come late on a busy machine.
    void worker.terminate()
  }
}
