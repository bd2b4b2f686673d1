// One contestant in a process of its own, driven by messages: so that none pays for another's heap, and memory can be told apart.
import { setTimeout as sleep } from 'node:timers/promises'

const [file, options] = process.argv.slice(2)
const gates = []
const texts = new Map()
const textOf = (length) => {
  const text = texts.get(length) ?? 'x'.repeat(length)
  texts.set(length, text)
  return text
}
const tools = {
  empty: ({ n }) => ({ n }),
  text: ({ n }) => ({ text: textOf(n) }),
  work: async () => {
    await sleep(5)
    return null
  },
  gate: () =>
    new Promise((resolve) => {
      gates.push(() => resolve({ n: 1 }))
    }),
}
const { start } = await import(`./contestants/${file}`)
const peer = await start(tools, JSON.parse(options))
let programs = 0
let waiting = []

async function timed(body, expected) {
  // A text that was not run before: no cache of compiled programs helps.
  const code = `const nonce = ${++programs}\n${body}`
  const startedAt = performance.now()
  const value = await peer.run(code)
  const took = performance.now() - startedAt
  if (JSON.stringify(value) !== JSON.stringify(expected)) {
    throw new Error(`wrong result: ${JSON.stringify(value)}; expected ${JSON.stringify(expected)}`)
  }
  return took
}

const work = {
  noop: ({ runs }) => times(runs, () => timed('return 1', 1)),
  async sequential({ calls }) {
    const body = `let sum = 0\nfor (let n = 1; n <= ${calls}; n++) sum += (${peer.call('empty')}({ n })).n\nreturn sum`
    return [((await timed(body, (calls * (calls + 1)) / 2)) * 1_000) / calls]
  },
  async payload({ calls, bytes }) {
    const body = `let length = 0\nfor (let n = 0; n < ${calls}; n++) length += (${peer.call('text')}({ n: ${bytes} })).text.length\nreturn length`
    return [((await timed(body, calls * bytes)) * 1_000) / calls]
  },
  async parallel({ calls }) {
    const body = `const all = await Promise.all(Array.from({ length: ${calls} }, (_, n) => ${peer.promise('empty')}({ n })))\nreturn all.reduce((sum, { n }) => sum + n, 0)`
    return [await timed(body, (calls * (calls - 1)) / 2)]
  },
  async burst({ runs, calls }) {
    const startedAt = performance.now()
    const body = `let done = 0\nfor (; done < ${calls}; done++) ${peer.call('work')}({})\nreturn done`
    await Promise.all(Array.from({ length: runs }, () => timed(body, calls)))
    return [performance.now() - startedAt]
  },
  async throughput({ forMs, atOnce }) {
    const startedAt = performance.now()
    let runs = 0
    const one = async () => {
      while (performance.now() - startedAt < forMs) {
        await timed('return 1', 1)
        runs++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, one))
    return [(runs * 1_000) / (performance.now() - startedAt)]
  },
  /** The parent reads the memory meanwhile. */
  async wait({ runs }) {
    waiting = Array.from({ length: runs }, () => timed(`const { n } = ${peer.call('gate')}({})\nreturn n`, 1))
    for (const one of waiting) one.catch(() => {})
    const until = performance.now() + 30_000
    while (gates.length < runs && performance.now() < until) await sleep(20)
    return [gates.length]
  },
  async release() {
    while (gates.length > 0) gates.shift()()
    const settled = Promise.all(waiting)
    await Promise.race([settled, sleep(20_000).then(() => Promise.reject(new Error('runs did not end')))])
    return []
  },
  async close() {
    await peer.close()
    return []
  },
}

async function times(count, one) {
  const samples = []
  for (let i = 0; i < count; i++) samples.push(await one())
  return samples
}

process.on('message', ({ name, ...asked }) => void answer(name, asked))

async function answer(name, asked) {
  try {
    process.send({ samples: await work[name](asked) })
  } catch (thrown) {
    process.send({ failure: thrown instanceof Error ? thrown.message : String(thrown) })
  }
  if (name === 'close') process.disconnect()
}
// Ready: the first message is awaited before anything is asked.
process.send({ samples: [] })
