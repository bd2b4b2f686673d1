// A sandbox process that misbehaves as its first argument says. It speaks the wire by hand, so that it can lie.
import { readSync, writeSync } from 'node:fs'

const [behaviour] = process.argv.slice(2)
const HOST = { start: 1, deliver: 2 }
const CHILD = { ready: 65, part: 66, slice: 67, fatal: 68 }

function send(type, run, body, announced) {
  const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const frame = Buffer.alloc(9 + text.length)
  frame.writeUInt32LE(announced ?? text.length, 0)
  frame.writeUInt8(type, 4)
  frame.writeUInt32LE(run, 5)
  text.copy(frame, 9)
  writeSync(4, frame)
}

function readExactly(length) {
  const buffer = Buffer.alloc(length)
  for (let filled = 0; filled < length;) {
    const read = readSync(3, buffer, filled, length - filled, null)
    if (read === 0) process.exit(0)
    filled += read
  }
  return buffer
}

const slice = (run, events, state = { s: 'waiting' }) => send(CHILD.slice, run, { events, state, cpuMs: 1 })
const call = (n, name = 'echo') => ({ e: 'call', n, op: 'call', name, args: '{}' })
const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)

const behaviours = {
  'says garbage': () => writeSync(4, Buffer.alloc(64, 0xee)),
  'sends text that is not JSON': (run) => send(CHILD.slice, run, '{"events":['),
  'sends a slice of another shape': (run) => send(CHILD.slice, run, { events: 'none', state: 7 }),
  'speaks for a run that is not there': () => slice(4_000_000, []),
  'answers twice': (run) => (slice(run, [call(1, 'never')]), slice(run, [])),
  'skips a call number': (run) => slice(run, [call(2)]),
  'repeats a call number': (run) => slice(run, [call(1), call(1)]),
  'announces a frame of four gigabytes': (run) => send(CHILD.slice, run, '{', 0xffffffff),
  'is ready twice': () => send(CHILD.ready, 0, { version: 1, node: 'v26', v8: '1' }),
  'makes more calls than may be pending': (run) =>
    slice(
      run,
      Array.from({ length: 300 }, (_, i) => call(i + 1)),
    ),
  'sets one timer twice': (run) =>
    slice(run, [
      { e: 'timer', id: 1, ms: 60_000 },
      { e: 'timer', id: 1, ms: 60_000 },
    ]),
  'never answers': () => block(),
  'ends by SIGSEGV inside': () => process.kill(process.pid, 'SIGSEGV'),
  'reports a fatal out-of-memory': (run) => send(CHILD.fatal, run, { why: 'out-of-memory', message: 'no more' }),
  'closes its pipe and lives on': async () => {
    const { closeSync } = await import('node:fs')
    closeSync(4)
    block()
  },
  'returns a larger result than allowed': (run) =>
    slice(run, [], { s: 'returned', json: JSON.stringify('x'.repeat(5_000)) }),
  behaves: (run) => slice(run, [], { s: 'returned', json: '"fine"' }),
  // Which call it makes tells two processes apart: a record of one cannot be continued by another.
  'does not repeat itself': (run) => slice(run, [call(1, `call-of-${process.pid}`)]),
}

if (behaviour === 'never gets ready') block()
if (behaviour === 'ends before it is ready') process.exit(3)
send(CHILD.ready, 0, { version: behaviour === 'speaks another version' ? 99 : 1, node: 'v26.0.0', v8: '14' })
for (;;) {
  const header = readExactly(9)
  readExactly(header.readUInt32LE(0))
  const type = header.readUInt8(4)
  if (type === HOST.start || type === HOST.deliver) await behaviours[behaviour](header.readUInt32LE(5))
}
