import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, digestJson } from '../../src/data/canonical.ts'
import { previewText, truncateText, utf8ByteLength } from '../../src/data/bytes.ts'
import { nearestNames } from '../../src/data/nearest-names.ts'
import { parseContent } from '../../src/data/parse-content.ts'
import { parseArguments } from '../../src/data/parse-json.ts'
import { isRecord } from '../../src/data/json.ts'
import type { Json } from '../../src/data/json.ts'
import { snapshot } from '../../src/data/snapshot.ts'
import { anyText, hostileValue, jsonValue } from '../support/arbitrary/json.ts'

describe('snapshot', () => {
  test('gives back every JSON value unchanged, frozen, and says how many bytes it is as text', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = JSON.stringify(value)
        const taken = snapshot(value)
        expect(taken).toMatchObject({ ok: true, bytes: utf8ByteLength(text) })
        if (!taken.ok) return
        expect(JSON.stringify(taken.value)).toBe(text)
        expect(isDeepFrozen(taken.value)).toBe(true)
      }),
    )
  })

  test('never throws, and what it accepts of anything is what JSON text can carry', () => {
    fc.assert(
      fc.property(hostileValue, (make) => {
        const taken = snapshot(make())
        if (taken.ok) expect(JSON.parse(JSON.stringify(taken.value))).toEqual(taken.value)
        else expect(taken.reason).not.toBe('')
      }),
    )
  })

  test('keeps to each of its limits', () => {
    fc.assert(
      fc.property(jsonValue, fc.nat(60), (value, limit) => {
        const text = JSON.stringify(value)
        expect(snapshot(value, { maxBytes: limit }).ok).toBe(utf8ByteLength(text) <= limit)
        expect(snapshot(value, { maxNodes: limit }).ok).toBe(countNodes(value) <= limit)
      }),
    )
  })
})

describe('canonical text', () => {
  test('is the same whatever the order of keys, and parses back to the value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value)
        expect(digestJson(reversed(value))).toBe(digestJson(value))
      }),
    )
  })
})

describe('parseArguments', () => {
  test('reads every JSON object it is given as text', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const parsed = parseArguments(JSON.stringify(value, undefined, indent))
        if (isRecord(value)) expect(parsed).toMatchObject({ ok: true, value: { ...(value as object) } })
        else expect(parsed.ok).toBe(false)
      }),
    )
  })

  test('says yes and no to text as JSON.parse does, and on no gives a position in the text', () => {
    const almostJson = fc.oneof(
      anyText,
      fc
        .tuple(jsonValue, fc.nat(), fc.constantFrom('', '"', ',', '}', '0', '\\', '\u0001', ' '))
        .map(([value, at, extra]) => {
          const text = JSON.stringify({ value })
          const index = at % text.length
          return text.slice(0, index) + extra + text.slice(index + 1)
        }),
    )
    fc.assert(
      fc.property(almostJson, (text) => {
        const parsed = parseArguments(text)
        if (parsed.ok) {
          if (text.trim() !== '') expect(isRecord(JSON.parse(text))).toBe(true)
        } else {
          expect(parsed.position.offset).toBeLessThanOrEqual(text.length)
          const isForgiven = /duplicate|JSON object|JSON data/.test(parsed.message)
          if (!isForgiven) expect(() => JSON.parse(text)).toThrow()
        }
      }),
      { numRuns: 400 },
    )
  })
})

test('cut texts keep to their budget and never split a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(300), (text, maxBytes) => {
      for (const cut of [truncateText(text, maxBytes), previewText(text, maxBytes)]) {
        expect(utf8ByteLength(cut)).toBeLessThanOrEqual(maxBytes)
        expect(cut.isWellFormed()).toBe(true)
        if (utf8ByteLength(text) <= maxBytes) expect(cut).toBe(text)
      }
    }),
  )
})

test('parseContent is total', () => {
  fc.assert(
    fc.property(hostileValue, hostileValue, fc.boolean(), (make, makeOther, isBlock) => {
      const parsed = parseContent([isBlock ? { type: 'text', text: make() } : make(), makeOther()])
      if (parsed.ok) expect(Object.isFrozen(parsed.content)).toBe(true)
    }),
  )
})

test('near names are among the candidates, no more than asked for, and a changed case is always found', () => {
  fc.assert(
    fc.property(fc.array(anyText), anyText, (candidates, wanted) => {
      const found = nearestNames(wanted, candidates, 2)
      expect(found.length).toBeLessThanOrEqual(2)
      for (const name of found) expect(candidates).toContain(name)
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{3,8}_[a-z]{3,8}$/), (name) => {
      expect(nearestNames(name.toUpperCase().replace('_', '.'), ['other_thing', name, 'third'])[0]).toBe(name)
    }),
  )
})

function isDeepFrozen(value: Json): boolean {
  return (
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))
  )
}
function countNodes(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, part: Json) => sum + countNodes(part), 1)
}
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isRecord(value)) return value
  const copy = {}
  for (const [key, part] of Object.entries(value).toReversed()) {
    Object.defineProperty(copy, key, {
      value: reversed(part as Json),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return copy
}
