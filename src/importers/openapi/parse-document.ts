import { utf8ByteLength } from '../../data/bytes.ts'
import { CodedError } from '../../data/failure.ts'
import { isRecord, type JsonObject } from '../../data/json.ts'
import { scanJson } from '../../data/json-scan.ts'
import { MAX_DEPTH, plainCopy } from './plain-copy.ts'
import { readYaml } from './read-yaml.ts'

/** The largest public descriptions have about 10 MB of JSON. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
/** YAML takes far longer to read than JSON: a bigger one is converted first. */
const MAX_YAML_BYTES = 8 * 1024 * 1024

/**
 * The text of an API description as plain data that is known to be a bounded tree. Size and nesting are judged before
 * anything is built; YAML is read in a worker with a deadline, as its reader's time and memory are the author's choice.
 * Throws `CONFIG_INVALID`; fetches nothing.
 */
export async function parseDocument(text: string, place: string): Promise<JsonObject> {
  const bytes = text.length > MAX_DOCUMENT_BYTES ? text.length : utf8ByteLength(text)
  if (bytes > MAX_DOCUMENT_BYTES) {
    throw invalid(`${place} has ${bytes} bytes; at most ${MAX_DOCUMENT_BYTES} are read. Split the description`)
  }
  const copied = plainCopy(/^[\ufeff\s]*[[{]/.test(text) ? readJson(text, place) : await readYamlText(text, place))
  if (!copied.ok) throw invalid(`${place} ${copied.reason}`)
  if (!isRecord(copied.value)) throw invalid(`${place} must hold an object with "openapi" or "swagger"`)
  return copied.value
}

/** Text that begins with a bracket. Of properties given twice the last one counts, as everywhere else. */
function readJson(text: string, place: string): unknown {
  const json = text.replace(/^\ufeff/, '')
  const scan = scanJson(json, MAX_DEPTH)
  try {
    // The scan stops at a property given twice; what comes after it is for the parser and the copy to judge.
    if (scan.ok || scan.message.startsWith('duplicate')) return JSON.parse(json)
  } catch {
    // Said below.
  }
  throw invalid(
    scan.ok ? `${place} cannot be read` : `${place} is not JSON: ${scan.message} (at character ${scan.offset + 1})`,
  )
}

async function readYamlText(text: string, place: string): Promise<unknown> {
  if (text.trim() === '') throw invalid(`${place} is empty`)
  if (text.length > MAX_YAML_BYTES) {
    throw invalid(
      `${place} is YAML of ${text.length} characters; at most ${MAX_YAML_BYTES} are read. Convert it to JSON`,
    )
  }
  if (isNestedDeeply(text)) throw invalid(`${place} is nested too deeply`)
  const read = await readYaml(text)
  if (!read.ok) throw invalid(`${place} is neither JSON nor YAML that can be read: ${read.reason}`)
  return read.value
}

const MAX_BRACKETS = 400
const MAX_INDENT = 2_000

/**
 * Every level of block style is a column to the right, and every level of flow style a bracket. Looks at each character
 * once: this runs outside the worker, where nothing could stop it.
 */
function isNestedDeeply(text: string): boolean {
  let brackets = 0
  let indent = 0
  let isLineStart = true
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    const isSpace = character === SPACE || (character >= TAB && character <= CARRIAGE_RETURN)
    if (character === OPEN_BRACKET || character === OPEN_BRACE) brackets++
    else if (!isSpace) brackets = 0
    if (character === LINE_FEED || character === CARRIAGE_RETURN) [indent, isLineStart] = [0, true]
    else if (character === SPACE && isLineStart) indent++
    else isLineStart = false
    if (brackets >= MAX_BRACKETS || indent >= MAX_INDENT) return true
  }
  return false
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, OPEN_BRACKET, OPEN_BRACE] = [9, 10, 13, 32, 91, 123]

function invalid(message: string): CodedError {
  return new CodedError('CONFIG_INVALID', message)
}
