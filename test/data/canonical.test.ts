import { expect, test } from 'vitest'
import { canonicalJson, digestJson } from '../../src/data/canonical.ts'
import type { Json } from '../../src/data/json.ts'

test('keys are sorted by UTF-16 units and numbers are written as ECMAScript writes them', () => {
  // The example of RFC 8785, section 3.2.3 and 3.2.2.
  const value: Json = JSON.parse(
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
  )
  expect([...canonicalJson(value).matchAll(/"([^"]*)":/g)].map(([, key]) => key)).toEqual([
    '\\r',
    '1',
    '\u0080',
    'ö',
    '€',
    '😀',
    '\ufb33',
  ])
  expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001])).toBe(
    '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
  )
  expect(canonicalJson({ b: [], a: {}, c: [null, true, '\u000f"'] })).toBe(
    '{"a":{},"b":[],"c":[null,true,"\\u000f\\""]}',
  )
})

test('a deep value is written without recursion', () => {
  let value: Json = 1
  for (let level = 0; level < 100_000; level++) value = [value]
  expect(canonicalJson(value)).toHaveLength(200_001)
})

test('the digest is SHA-256 of the text', () => {
  expect(digestJson({ b: 1, a: 2 })).toBe('d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772')
  expect(digestJson({ a: 2, b: 1 })).toBe(digestJson({ b: 1, a: 2 }))
})
