import { hash } from 'node:crypto'
import type { Json } from './json.ts'

/**
 * Canonical JSON text (RFC 8785): equal values give equal text, whatever the order of their keys. One liberty: a lone
 * surrogate, which the RFC refuses, is written as its escape, so that every JSON value has a text. Never recurses.
 */
export function canonicalJson(value: Json): string {
  let text = ''
  // What is still to be written, last first: values, and ready-made text in a box of its own.
  const pending: (Json | Written)[] = [value]
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (item instanceof Written) text += item.text
    else if (isList(item)) {
      pending.push(CLOSE_ARRAY)
      for (let i = item.length - 1; i >= 0; i--) {
        pending.push(item[i]!) // i is within the array.
        if (i > 0) pending.push(COMMA)
      }
      text += '['
    } else if (typeof item === 'object' && item !== null) {
      // Plain sort() compares UTF-16 code units, as the RFC asks.
      const keys = Object.keys(item).sort()
      pending.push(CLOSE_OBJECT)
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i]!
        pending.push(item[key]!) // An own key of JSON data has a value.
        pending.push(new Written(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`))
      }
      text += '{'
    } else text += JSON.stringify(item)
  }
  return text
}

/** SHA-256 of the canonical text, in hexadecimal. */
export function digestJson(value: Json): string {
  return hash('sha256', canonicalJson(value), 'hex')
}

class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
const COMMA = new Written(',')
const CLOSE_ARRAY = new Written(']')
const CLOSE_OBJECT = new Written('}')

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
