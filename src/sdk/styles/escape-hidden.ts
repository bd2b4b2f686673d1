/** Controls, format and unassigned characters, surrogates (a line break is what it looks like), line separators, … */
const HIDDEN_CLASSES = String.raw`[^\P{C}\n]|[\p{Zl}\p{Zp}]`
/** … blank fillers and marks that join or select without a shape of their own. */
const HIDDEN_MARKS = String.raw`[\u034f\u115f\u1160\u17b4\u17b5\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]`
const HIDDEN = new RegExp(`${HIDDEN_CLASSES}|${HIDDEN_MARKS}`, 'gu')

/**
 * Writes what a reader would not see as `\uXXXX`. Inside a string of JSON or TypeScript that is the same value; in a
 * comment it is visible.
 */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    let escaped = ''
    for (let at = 0; at < character.length; at += 1) {
      escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
    }
    return escaped
  })
}
