import type { ContentBlock } from '../data/content.ts'
import { CodedError } from '../data/failure.ts'
import type { Json } from '../data/json.ts'
import type { Outcome } from '../data/outcome.ts'
import type { Policy, PostDecision } from '../pipeline/call.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'
import { redactJson, type Redaction } from './redact-json.ts'

export interface RedactOptions {
  /**
   * `value`: takes secrets out of the canonical value, so that neither programs nor the model get them; content and
   * meta are made again from the clean value. A failure that holds a secret is withheld.
   * `content`: takes them out of what the model reads. This is presentation, not confidentiality: a program still gets
   * the value as it is.
   */
  readonly target: 'value' | 'content'
  /** Members whose value is hidden whatever it is. Case and separators do not count. Default: `SECRET_KEYS`. */
  readonly keys?: readonly string[]
  /** Hidden wherever they occur in a text. */
  readonly patterns?: readonly RegExp[]
  /** Default `[redacted]`. */
  readonly mask?: string
  /** Default `*`. */
  readonly tools?: NamePattern | readonly NamePattern[]
}

export const SECRET_KEYS: readonly string[] = Object.freeze(
  (
    'password passwd passphrase secret clientSecret apiKey accessKey secretKey privateKey token accessToken ' +
    'refreshToken idToken bearerToken sessionToken authorization cookie setCookie credentials connectionString'
  ).split(' '),
)

/**
 * Replaces secrets in results. A mask may be of another type than the member's schema says; the value is then refused as
 * `INVALID_TOOL_OUTPUT` rather than shown.
 */
export function createRedactPolicy(options: RedactOptions): Policy {
  const redaction = createRedaction(options)
  const matches = matchNames(options.tools ?? '*')
  const decide = options.target === 'value' ? redactValue : redactContent
  return {
    name: `redact-${options.target}`,
    post: (call, outcome) => (matches(call.toolName) ? decide(outcome, redaction) : KEEP),
  }
}

/** Both, in the order in which they must stand: what is left in content after the value is clean is taken out of it. */
export function createRedactPolicies(options: Omit<RedactOptions, 'target'>): readonly [Policy, Policy] {
  return [createRedactPolicy({ ...options, target: 'value' }), createRedactPolicy({ ...options, target: 'content' })]
}

const KEEP: PostDecision = Object.freeze({ decision: 'keep' })

function redactValue(outcome: Outcome, redaction: Redaction): PostDecision {
  if (!outcome.isError) {
    const value = redactJson(outcome.value, redaction)
    return value === outcome.value ? KEEP : { decision: 'replace-value', value }
  }
  const { message, details } = outcome.error
  const isClean =
    redaction.text(message) === message && (details === undefined || redactJson(details, redaction) === details)
  // A failure's words cannot be replaced one by one, and they reach programs and the log as they are.
  return isClean
    ? KEEP
    : { decision: 'block', feedback: `the failure (${outcome.error.code}) held a secret and is withheld` }
}

function redactContent(outcome: Outcome, redaction: Redaction): PostDecision {
  let isChanged = false
  const content = outcome.content.map((block) => {
    const clean = redactBlock(block, redaction)
    if (clean !== block) isChanged = true
    return clean
  })
  return isChanged ? { decision: 'replace-content', content } : KEEP
}

/** Text of every kind; pictures and sounds are not looked into. */
function redactBlock(block: ContentBlock, redaction: Redaction): ContentBlock {
  switch (block.type) {
    case 'text':
    case 'resource_link':
    case 'resource': {
      const blob = block.type === 'resource' ? block.resource.blob : undefined
      const clean = redactJson(block as unknown as Json, redaction) as unknown as ContentBlock // JSON of the same shape.
      if (clean === block || clean.type !== 'resource' || blob === undefined) return clean
      // Base64 that happens to look like a secret must stay base64.
      return { ...clean, resource: { ...clean.resource, blob } }
    }
    case 'image':
    case 'audio':
      return block
  }
}

function createRedaction(options: RedactOptions): Redaction {
  if (options.keys?.length === 0 && (options.patterns ?? []).length === 0) {
    throw new CodedError(
      'CONFIG_INVALID',
      'redact policy: no keys and no patterns hide nothing; name some, or leave "keys" out for the usual ones',
    )
  }
  const mask = options.mask ?? '[redacted]'
  const keys = new Set((options.keys ?? SECRET_KEYS).map(plainKey))
  const patterns = (options.patterns ?? []).map((pattern) => {
    if (pattern.test('')) {
      throw new CodedError('CONFIG_INVALID', `redact policy: the pattern ${String(pattern)} matches the empty text`)
    }
    // Every occurrence, and no state from one text to the next.
    return new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join(''))
  })
  return {
    mask,
    isSecretKey: remembered((key) => keys.has(plainKey(key))),
    text:
      patterns.length === 0
        ? (text) => text
        : (text) => patterns.reduce((clean, pattern) => clean.replace(pattern, () => mask), text),
  }
}

/** Tools give the same few names again and again. Names come from outside: what is remembered is bounded. */
function remembered(ask: (key: string) => boolean): (key: string) => boolean {
  const answers = new Map<string, boolean>()
  return (key) => {
    let answer = answers.get(key)
    if (answer === undefined) {
      answer = ask(key)
      if (answers.size >= MAX_REMEMBERED) answers.clear()
      if (key.length <= MAX_REMEMBERED_LENGTH) answers.set(key, answer)
    }
    return answer
  }
}
const MAX_REMEMBERED = 1_000
const MAX_REMEMBERED_LENGTH = 100

/** `api_key`, `apiKey` and `API-Key` are one name, in any script. What has no letter and no digit is itself. */
function plainKey(key: string): string {
  const plain = key
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
  return plain === '' ? key : plain
}
