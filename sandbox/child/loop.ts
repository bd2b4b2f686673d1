import { CHILD_FRAME } from '../wire.ts'
import { createFrameReader, createFrameWriter, type Port } from './frames.ts'
import { createIsolateSource, loadIvm } from './isolate.ts'
import { createChild, readyBody } from './run.ts'

export interface LoopOptions {
  readonly port: Port
  readonly addon: string
  readonly guestCode: string
  readonly maxFrameBytes: number
}

/**
 * The whole life of a child: `ready`, then frames until the host closes its pipe. A bug here is told as `fatal` and ends
 * the process. Blocking on purpose: nothing else may run on this thread.
 */
export function runLoop(options: LoopOptions): number {
  const { port, addon, guestCode, maxFrameBytes } = options
  const send = createFrameWriter(port)
  try {
    const source = createIsolateSource(loadIvm(addon), guestCode)
    const child = createChild({ createIsolate: (memoryMb) => source.create(memoryMb), send })
    const frames = createFrameReader(port, maxFrameBytes)
    send(CHILD_FRAME.ready, 0, readyBody())
    for (let frame = frames.next(); frame !== undefined; frame = frames.next()) child.handle(frame)
    return 0
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : 'unknown'
    try {
      send(CHILD_FRAME.fatal, 0, JSON.stringify({ why: 'internal', message: message.slice(0, 2000) }))
    } catch {
      // The host is gone too.
    }
    return 70
  }
}
