import { readSync, writeSync } from 'node:fs'

/** The other end of the raw ping-pong: what comes in on descriptor 3 goes out on 4, until the pipe ends. */
const buffer = Buffer.alloc(64 * 1024)
for (let bytes = readSync(3, buffer); bytes > 0; bytes = readSync(3, buffer)) writeSync(4, buffer, 0, bytes)
