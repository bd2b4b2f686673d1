import type { Io } from './io.ts'

/**
 * Notices that output could not be written. A reader that has seen enough (`| head`) is no fault; a full disk is one,
 * and without a listener either would end the process with a stack.
 */
export function watchOutput({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>): { readonly fault: string | undefined } {
  let fault: string | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Once a stream is broken, each further write fails as well: the first failure says why.
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') fault ??= error.message
  })
  // There is nowhere left to say it.
  stderr.on('error', () => {})
  return {
    get fault() {
      return fault
    },
  }
}
