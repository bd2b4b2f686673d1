/**
 * Makes text of a stranger (a server's name, its stderr, a tool's message) safe to print: no escape sequences that move
 * the cursor, retitle the window or fake a prompt, and no direction overrides that reorder what a person reads.
 */
export function printable(text: string, maxLength = 2_000): string {
  const cleaned = text
    .replace(ESCAPE_SEQUENCES, '')
    .replace(CONTROLS, '')
    .replace(DIRECTION_OVERRIDES, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .toWellFormed()
  return cleaned.length <= maxLength ? cleaned : `${cleaned.slice(0, maxLength)}… (${cleaned.length} characters)`
}

/** As `printable`, on one line. */
export function printableLine(text: string, maxLength = 300): string {
  return printable(text.slice(0, maxLength * 8), maxLength)
    .replaceAll(/\s+/g, ' ')
    .trim()
}

// CSI and OSC sequences as a whole, so that their parameters do not stay behind as noise.
// oxlint-disable-next-line no-control-regex -- control characters are the subject of this file
const ESCAPE_SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?/g
// Everything below a space but tab and line ends; DEL; the C1 block.
// oxlint-disable-next-line no-control-regex -- control characters are the subject of this file
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
const DIRECTION_OVERRIDES = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
