import guestCode from 'codeferry:guest'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { createFilePort } from './port.ts'
import { runLoop } from './loop.ts'

// An unrolled loop of V8 14 lost its interrupt check: `for (;;) list.push(new Array(1000))` obeyed neither the slice
// limit nor the memory limit, and grew to gigabytes.
setFlagsFromString('--no-turboshaft-loop-unrolling')
// Before any isolate exists: they take their zone from the process.
process.env['TZ'] = 'UTC'

const { values } = parseArgs({
  options: { addon: { type: 'string' }, 'max-frame-bytes': { type: 'string', default: String(256 * 1024 * 1024) } },
})
// Leaves by itself: `process.exit` with live isolates crashes now and then.
process.exitCode = runLoop({
  port: createFilePort(3, 4),
  addon: values.addon ?? '',
  guestCode,
  maxFrameBytes: Number(values['max-frame-bytes']),
})
