/**
 * Text of tool owners on its way into declarations that a model reads and a compiler parses. The owner may be hostile:
 * what it wrote must stay inside its comment, string or key, must be visible to a person who looks at it, and must
 * not be an instruction to a tool that reads source text.
 */

/** Controls, format characters (bidi, zero-width, tags, …), private use, lone surrogates, line separators; … */
const HIDDEN_CLASSES = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}`
/** … blank fillers and marks that join or select without a shape of their own, as code points. */
const HIDDEN_MARKS = String.raw`\u034f\u115f\u1160\u17b4\u17b5\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}`
const HIDDEN = new RegExp(`[${HIDDEN_CLASSES}${HIDDEN_MARKS}]`, 'gu')
const PLAIN = /^[\x20-\x7e]*$/
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
/** However long a description is, no more than this many characters of it are looked at per character shown. */
const READ_AHEAD = 4

/** Whether the text holds characters that a reader would not see. Line breaks and tabs are no secret. */
export function hasHiddenCharacters(text: string): boolean {
  return !PLAIN.test(text) && text.replace(/[\s\ufe0f\u200d]+/g, ' ').search(HIDDEN) !== -1
}

/** One line for a `//` comment: at most `maxChars`, cut at a word with `…`. Empty when nothing visible is left. */
export function commentText(text: string, maxChars: number): string {
  let line = text.slice(0, maxChars * READ_AHEAD + 256)
  if (!PLAIN.test(line)) line = line.replace(/[\s\u0085]+/g, ' ').replace(HIDDEN, '')
  if (line.includes('  ')) line = line.replace(/ {2,}/g, ' ')
  line = line.trim()
  // The text may be longer than what was read: then the cut is the caller's to see as well.
  const isPartial = text.length > maxChars * READ_AHEAD + 256
  return cutAtWord(defuse(line), maxChars, isPartial)
}

/** A double-quoted TypeScript string literal with exactly this value, made of visible ASCII where it matters. */
export function stringLiteral(value: string): string {
  const quoted = JSON.stringify(value)
  if (PLAIN.test(quoted) && !/[`<*@$]/.test(quoted)) return quoted
  return quoted
    .replace(HIDDEN, escapeUnits)
    .replace(/`/g, '\\x60')
    .replace(/<(?=[/!])/g, '\\x3c')
    .replace(/\*(?=\/)/g, '\\x2a')
    .replace(/\/(?=\*)/g, '\\x2f')
    .replace(/\$(?=\{)/g, '\\x24')
    .replace(/@(?=ts-|jsx)/g, '\\x40')
}

/** A property or member name: bare when it is an ASCII identifier, else quoted. Reserved words may be bare here. */
export function propertyKey(name: string): string {
  return IDENTIFIER.test(name) && name !== '__proto__' ? name : stringLiteral(name)
}

/** `tools.github.issue_read`, with brackets where a name is no identifier. */
export function accessPath(path: readonly string[]): string {
  return path.map((name) => (IDENTIFIER.test(name) ? `.${name}` : `[${stringLiteral(name)}]`)).join('')
}

/** Nothing here may close a block comment, a fence, a tag or a template, or speak to a compiler. */
function defuse(line: string): string {
  if (!/[*/`$<@#]/.test(line)) return line
  return line
    .replace(/\*(?=\/)/g, '* ')
    .replace(/\/(?=\*)/g, '/ ')
    .replace(/`(?=``)/g, "'")
    .replace(/(?<=')``/g, "''")
    .replace(/\$(?=\{)/g, '$ ')
    .replace(/<(?=\/|!--)/g, '< ')
    .replace(/@(?=ts-|jsx)/gi, '@ ')
    .replace(/^[@#/]+(?=\S)/, (sign) => `${sign} `)
}

function cutAtWord(line: string, maxChars: number, isPartial: boolean): string {
  if (line.length <= maxChars && !isPartial) return line
  const room = line.slice(0, Math.max(maxChars - 1, 0))
  const space = room.lastIndexOf(' ')
  const kept = space > maxChars / 2 ? room.slice(0, space) : room
  return `${kept.replace(/[\ud800-\udbff]$/, '').replace(/[\s,;:.–-]+$/, '')}…`
}

function escapeUnits(character: string): string {
  let escaped = ''
  for (let at = 0; at < character.length; at += 1) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }
  return escaped
}
