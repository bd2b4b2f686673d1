import { readSync, writeSync } from 'node:fs'
import type { Port } from './frames.ts'

/** Two one-way pipes given by number. The host should give blocking ends; a non-blocking one is waited for, not spun on. */
export function createFilePort(input: number, output: number): Port {
  return {
    read: (buffer, offset, length) => again(() => readSync(input, buffer, offset, length, null)),
    write(buffer) {
      let written = 0
      while (written < buffer.length) {
        written += again(() => writeSync(output, buffer, written, buffer.length - written))
      }
    },
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))

function again(operation: () => number): number {
  for (;;) {
    try {
      return operation()
    } catch (thrown) {
      const code = (thrown as NodeJS.ErrnoException).code
      if (code !== 'EAGAIN') throw thrown
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}
