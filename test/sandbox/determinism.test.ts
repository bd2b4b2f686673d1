import { expect, test } from 'vitest'
import { startHost, tool } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [tool('t')]
const SOURCE = `
  const noted = []
  const note = (...values) => { noted.push(values.map(String).join(' ')); console.log(...values) }
  note(Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint32Array(3))])
  note(Date.now(), new Date(), Date(), performance.now(), String(Temporal.Now.instant()), String(Temporal.Now.plainDateTimeISO()))
  note(new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }).format(), new Date().toLocaleString())
  const slow = new Promise((resolve) => setTimeout(resolve, 1500, 'slow'))
  const first = await Promise.race([slow, tools.t({ r: Math.random() })])
  let ticks = 0
  const every = setInterval(() => { note('tick', ++ticks, Date.now()); if (ticks === 3) clearInterval(every) }, 400)
  await slow
  const all = await Promise.all([tools.t({ r: Math.random() }), tools.t({ at: Date.now() })])
  note(performance.now(), Math.random())
  return { first, all, noted, id: crypto.randomUUID() }`

test('the same seed and the same deliveries give the same events, in other children too', async () => {
  const script = { bindings, answer: (call: { n: number }) => ({ ok: call.n }) }
  const first = await sandbox.run(SOURCE, script)
  expect(first.state.s).toBe('returned')
  await using other = await startHost({ env: { TZ: 'Asia/Tokyo', LANG: 'fr_FR.UTF-8' } })
  const second = await other.run(SOURCE, script)
  expect(second.state).toEqual(first.state)
  expect(second.events).toEqual(first.events)
  const reseeded = await sandbox.run(SOURCE, { ...script, seed: 'f'.repeat(32) })
  expect(reseeded.events).not.toEqual(first.events)
})

test('the clock stands still between deliveries, and a busy wait cannot end', async () => {
  const done = await sandbox.run(`const end = Date.now() + 1; while (Date.now() < end) {}`, { sliceMs: 80 })
  expect(done.state).toMatchObject({ s: 'stopped', why: 'slice-timeout' })
})

test('Temporal is there for a program that names it, and for no other', async () => {
  const hidden = await sandbox.run(
    `return [typeof globalThis['Temp' + 'oral'], 'toTemp' + 'oralInstant' in new Date()]`,
  )
  expect(hidden.value).toEqual(['undefined', false])
  const escaped = await sandbox.run(String.raw`return \u0054emporal.Now.instant().epochMilliseconds === Date.now()`)
  expect(escaped.value).toBe(true)
  const named = await sandbox.run(`return new Date().toTemporalInstant().epochMilliseconds === Date.now()`)
  expect(named.value).toBe(true)
})

test('every way to ask for now gives the run’s time', async () => {
  const { value } = await sandbox.run(
    `await new Promise((resolve) => setTimeout(resolve, 60000))
     const D = new Date().constructor
     class Mine extends Date {}
     return {
       all: [Date.now(), +new Date(), +new D(), +new Mine(), Date.parse(Date()), Temporal.Now.instant().epochMilliseconds, Temporal.Now.zonedDateTimeISO().epochMilliseconds],
       performance: performance.now(),
       texts: [Intl.DateTimeFormat().format(), new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(), Intl.DateTimeFormat().formatToParts().length, String(Temporal.Now.plainDateISO()), String(Temporal.Now.plainTimeISO())],
       still: [new Date(0).toISOString(), new Date(2020, 1, 2).getTime(), Date.UTC(2020), new Date('2020-01-01') instanceof Date, Object.prototype.toString.call(new Date()), new Mine() instanceof Mine],
     }`,
    { startTimeMs: Date.UTC(2030, 5, 6, 7, 8, 9) },
  )
  const now = Date.UTC(2030, 5, 6, 7, 9, 9)
  expect(value).toEqual({
    all: Array.from({ length: 7 }, () => now),
    performance: 60_000,
    texts: ['6/6/2030', '07:09:09', 5, '2030-06-06', '07:09:09'],
    still: ['1970-01-01T00:00:00.000Z', Date.UTC(2020, 1, 2), Date.UTC(2020), true, '[object Date]', true],
  })
})

test('random numbers are numbers of [0, 1) and well spread; UUIDs are of version 4', async () => {
  const { value } = await sandbox.run(`
    const buckets = Array(10).fill(0)
    for (let i = 0; i < 10000; i++) buckets[Math.floor(Math.random() * 10)]++
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID())
    return { buckets, ok: ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)), distinct: new Set(ids).size }`)
  const { buckets, ok, distinct } = value as { buckets: number[]; ok: boolean; distinct: number }
  expect([ok, distinct, buckets.length]).toEqual([true, 100, 10])
  for (const count of buckets) expect(count).toBeGreaterThan(800)
})

test('a slice that was cut short has said the beginning of what the whole one says', async () => {
  const source = `
    for (let i = 0; ; i++) {
      const id = setTimeout(() => {}, 10)
      console.log(i)
      progress('step ' + i)
      clearTimeout(id)
      if (i === 2000000) return
    }`
  const short = await sandbox.run(source, { sliceMs: 15, limits: { maxLogBytes: 1000 } })
  const long = await sandbox.run(source, { sliceMs: 60, limits: { maxLogBytes: 1000 } })
  const [less, more] = [short.events, long.events].toSorted((left, right) => left.length - right.length)
  expect(more!.slice(0, less!.length)).toEqual(less)
})
