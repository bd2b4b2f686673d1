import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFifoChannel } from '../src/executor/channel.ts'

export interface PingPong extends AsyncDisposable {
  /** µs of each round trip of so many. */
  play(times: number): Promise<readonly number[]>
}

/**
 * The floor under a call from a program: 100 bytes there and back to a blocking child, over the pipes that the executor
 * uses, read and written as it does, with nothing else around.
 */
export async function startPingPong(): Promise<PingPong> {
  const folder = await mkdtemp(join(tmpdir(), 'codeferry-ping-'))
  const channel = openFifoChannel('mkfifo', folder, 'ping')
  const child = spawn(process.execPath, [join(import.meta.dirname, '_echo-child.ts')], {
    stdio: ['ignore', 'ignore', 'inherit', channel.childIn, channel.childOut],
  })
  channel.closeChildEnds()
  const ball = Buffer.alloc(100, 'x')
  let onBall = () => {}
  const source = new Socket({
    fd: channel.hostIn,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.alloc(1_024),
      callback() {
        onBall()
        return true
      },
    },
  })
  const sink = new Socket({ fd: channel.hostOut, readable: false, writable: true })

  return {
    play: (times) =>
      new Promise((resolve) => {
        const samples: number[] = []
        let sentAt = performance.now()
        onBall = () => {
          const now = performance.now()
          samples.push((now - sentAt) * 1_000)
          if (samples.length === times) return resolve(samples)
          sentAt = now
          writeSync(channel.hostOut, ball)
        }
        writeSync(channel.hostOut, ball)
      }),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      sink.destroy()
      source.destroy()
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
