import { textBlock, type UserMessage } from '../data/content.ts'
import { thrownMessage } from '../data/failure.ts'
import { isRecord, type JsonObject } from '../data/json.ts'
import { parseContent } from '../data/parse-content.ts'
import { snapshot } from '../data/snapshot.ts'

export type ParsedMessage =
  { readonly ok: true; readonly message: UserMessage } | { readonly ok: false; readonly reason: string }

/** A frozen copy of a message somebody wants to send along, or what is wrong with it. Total. */
export function parseUserMessage(given: unknown, source: string): ParsedMessage {
  if (typeof given === 'string') {
    return {
      ok: true,
      message: Object.freeze({ role: 'user', content: Object.freeze([Object.freeze(textBlock(given))]), source }),
    }
  }
  try {
    if (!isRecord(given)) return { ok: false, reason: 'a context must be a string or a user message' }
    const { role, content, source: ownSource, metadata } = given
    if (role !== 'user') return { ok: false, reason: 'the role of a context must be "user"' }
    const parsed = parseContent(content)
    if (!parsed.ok) return { ok: false, reason: `content of a context: ${parsed.path || '(whole)'}: ${parsed.reason}` }
    const taken = metadata === undefined ? undefined : snapshot(metadata)
    if (taken !== undefined && (!taken.ok || !isRecord(taken.value))) {
      return { ok: false, reason: 'metadata of a context must be a JSON object' }
    }
    return {
      ok: true,
      message: Object.freeze<UserMessage>({
        role: 'user',
        content: parsed.content,
        source: typeof ownSource === 'string' && ownSource !== '' ? ownSource : source,
        ...(taken?.ok === true && { metadata: taken.value as JsonObject }), // Checked to be an object above.
      }),
    }
  } catch (thrown) {
    return { ok: false, reason: `a context cannot be read: ${thrownMessage(thrown)}` }
  }
}
