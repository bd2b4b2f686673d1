/**
 * Threat-model rows E06, E07 (vm2 GHSA-2cm2-m3w5-gp2f): every object that a program can reach without making one, by own
 * keys and prototypes, is on a committed list. A new engine or a change of the prelude that brings something more fails
 * here until somebody has looked at it and run this with `UPDATE_INVENTORY=1`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useBench } from '../support/hostile-bench.ts'

const bench = useBench({ limits: { cpuMs: 5_000, maxResultBytes: 8 << 20 } })
const file = new URL('inventory.txt', import.meta.url)

/**
 * Walks breadth first, so that each object has its shortest name. A line: name, kind, and what cannot be done to it
 * (`r` read-only, `f` fixed).
 */
const WALK = `
  const lines = []
  const seen = new Map()
  const queue = []
  const nameOf = (key) => (typeof key === 'symbol' ? '[' + String(key) + ']' : key)
  const visit = (value, name) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return
    if (seen.has(value)) return
    seen.set(value, name)
    queue.push(value)
  }
  const samples = {
    call: tools.echo({ a: 1 }), result: await tools.echo({ a: [1] }), error: await tools.fails({}).catch((e) => e), url: new URL('a:b'), params: new URLSearchParams('a=1'),
    encoder: new TextEncoder(), decoder: new TextDecoder(), bytes: new TextEncoder().encode('a'), abort: new AbortController(), signal: new AbortController().signal,
    generator: (function* () {})(), asyncGenerator: (async function* () {})(), asyncFunction: async () => {}, iterator: [].values(), mapIterator: new Map().entries(), setIterator: new Set().values(),
    stringIterator: ''[Symbol.iterator](), regExpIterator: 'a'.matchAll(/a/g), helper: [].values().map((x) => x), segmenter: new Intl.Segmenter('en').segment('a'), segments: new Intl.Segmenter('en').segment('a')[Symbol.iterator](),
    paramsIterator: new URLSearchParams('a=1').entries(), strictArguments: (function () { 'use strict'; return arguments })(), wrapped: Iterator.from({ next() { return { done: true } } }),
    timer: setTimeout(() => {}, 0), uuid: crypto.randomUUID(), clone: structuredClone(new Error('x')), date: new Date(), tool: tools.echo, group: tools.innocent, full: tools.full,
  }
  let at = 0
  const walk = () => {
    for (; at < queue.length; at++) {
      const object = queue[at]
      const name = seen.get(object)
      const proto = Reflect.getPrototypeOf(object)
      visit(proto, name + '.[[Prototype]]')
      // Most are functions; what has another prototype is said.
      if (object !== globalThis && proto !== Function.prototype) lines.push(name + ' : ' + (proto === null ? 'null' : seen.get(proto) || 'globalThis'))
      for (const key of Reflect.ownKeys(object)) {
        const d = Reflect.getOwnPropertyDescriptor(object, key)
        if (d === undefined || key === 'length' || key === 'name') continue
        const path = (name === '' ? '' : name + '.') + nameOf(key)
        const flags = (d.configurable ? '' : 'f') + ('value' in d && !d.writable ? 'r' : '')
        const kind = 'value' in d ? (d.value === null ? 'null' : typeof d.value) : 'accessor'
        lines.push(path + ' = ' + kind + (flags === '' ? '' : ' ' + flags))
        for (const part of ['value', 'get', 'set']) visit(d[part], part === 'value' ? path : path + '.<' + part + '>')
      }
    }
  }
  void Temporal // It is there for programs that name it.
  visit(globalThis, '')
  walk()
  for (const name of Object.keys(samples)) visit(samples[name], '<' + name + '>')
  walk()
  return [...new Set(lines)].sort()`

test('E06 E07 a program reaches exactly what is on the list', async () => {
  const { code, value } = await bench.attack(WALK)
  expect(code).toBe('OK')
  const found = value as string[]
  if (process.env['UPDATE_INVENTORY'] !== undefined || !existsSync(file)) writeFileSync(file, `${found.join('\n')}\n`)
  const listed = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(listed.length).toBeGreaterThan(1_000)
  const known = new Set(listed)
  const now = new Set(found)
  expect({ unknown: found.filter((line) => !known.has(line)), gone: listed.filter((line) => !now.has(line)) }).toEqual({
    unknown: [],
    gone: [],
  })
})

test('E07 the list names nothing of isolated-vm, of Node or of the prelude', () => {
  const listed = readFileSync(file, 'utf8')
  expect(listed).not.toMatch(
    /applySync|applyIgnored|derefInto|copySync|ExternalCopy|createContext|\bprocess\b|\brequire\b|\bBuffer\b|__codeferry|prelude|bootstrap/,
  )
})
