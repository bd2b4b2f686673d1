import { isRecord } from '../data/json.ts'

/** JSON text of a value for a note, cut with `…`. Looks at no more of the value than it shows, however deep it is. */
export function shortJson(value: unknown, maxChars: number): string {
  let text = ''
  const write = (part: unknown, depth: number): void => {
    if (text.length > maxChars) return
    if (typeof part === 'string') text += JSON.stringify(part.slice(0, maxChars + 1))
    else if (typeof part === 'number' || typeof part === 'boolean' || part === null) text += String(part)
    else if (depth > 8) text += '…'
    else if (Array.isArray(part)) writeAll(part, '[]', (item) => write(item, depth + 1))
    else if (isRecord(part)) {
      writeAll(Object.keys(part), '{}', (key) => {
        text += `${JSON.stringify(key.slice(0, maxChars + 1))}:`
        write(part[key], depth + 1)
      })
    }
  }
  const writeAll = <T>(items: readonly T[], brackets: string, one: (item: T) => void): void => {
    text += brackets.charAt(0)
    for (const [at, item] of items.entries()) {
      if (text.length > maxChars) return
      if (at > 0) text += ','
      one(item)
    }
    text += brackets.charAt(1)
  }
  write(value, 0)
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`
}
