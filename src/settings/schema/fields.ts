import { z } from 'zod'

/** Node's timers take 31 bits; a longer time would fire at once. */
const MAX_MS = 2 ** 31 - 1
/** A pattern of the file is trusted, but a long one is a mistake, and its cost grows with its length. */
const MAX_PATTERN = 512
const MAX_PATTERNS = 200

export function milliseconds(description: string) {
  return z.int().min(1).max(MAX_MS).describe(description)
}

export function wholeNumber(min: number, max: number, description: string) {
  return z.int().min(min).max(max).describe(description)
}

export function text(maxLength: number, description: string) {
  return z.string().min(1).max(maxLength).describe(description)
}

const toolPattern = z
  .string()
  .min(1)
  .max(130)
  .regex(/^(?:\*|[A-Za-z0-9_.\-/]+(?:\.\*)?)$/, {
    error: 'must be the name of a tool, "ns.*" for every tool of a namespace, or "*" for every tool',
  })

/** One name or pattern, or several. */
export const toolPatterns = z
  .union([toolPattern, z.array(toolPattern).min(1).max(1_000)], {
    error: 'must be a tool name, "ns.*" or "*", or an array of these',
  })
  .describe('A tool name, "ns.*" for every tool of a namespace, "*" for every tool, or an array of these')

/** As restrictions and tiers take them: `*` alone is none. */
export const scopeEntries = z.array(text(130, 'A tool name, or "ns.*" for every tool of a namespace')).max(1_000)

export const scopeNames = z
  .array(text(64, 'The name of a scope'))
  .min(1)
  .max(1_000)
  .describe('Only calls of these scopes (exactly these, not the ones below them); default: all')

const FLAGS = /^[imsu]*$/
const patternObject = z
  .strictObject({
    pattern: text(MAX_PATTERN, 'A regular expression'),
    flags: z
      .string()
      .regex(FLAGS, { error: 'may hold the flags i, m, s and u' })
      .optional()
      .describe('Any of i, m, s, u'),
  })
  .superRefine(({ pattern, flags }, context) => refuseBadPattern(pattern, flags, context))

/** A regular expression: its source, or `{ pattern, flags }`. */
export const regularExpression = z.union(
  [
    text(MAX_PATTERN, 'A regular expression').superRefine((pattern, context) =>
      refuseBadPattern(pattern, undefined, context),
    ),
    patternObject,
  ],
  {
    error: `must be a regular expression of at most ${MAX_PATTERN} characters as a string, or { "pattern", "flags" } with flags of i, m, s, u`,
  },
)
export type RegularExpression = z.infer<typeof regularExpression>

export const regularExpressions = z.array(regularExpression).max(MAX_PATTERNS)

export function toRegExp(given: RegularExpression): RegExp {
  return typeof given === 'string' ? new RegExp(given) : new RegExp(given.pattern, given.flags ?? '')
}

function refuseBadPattern(pattern: string, flags: string | undefined, context: z.RefinementCtx): void {
  try {
    new RegExp(pattern, FLAGS.test(flags ?? '') ? flags : '')
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a regular expression that JavaScript can read' })
  }
}
