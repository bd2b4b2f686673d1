import { z } from 'zod'
import { argumentTests } from './argument-test.ts'
import {
  milliseconds,
  regularExpressions,
  scopeNames,
  text,
  toolPatterns,
  toRegExp,
  wholeNumber,
  type RegularExpression,
} from './fields.ts'

const MAX_RULES = 500
const reason = text(500, 'What the person, the program and the log read')

const verdict = z.enum(['allow', 'ask', 'deny'])
const annotations = z
  .strictObject({
    readOnly: verdict.optional().describe('Tools that say they only read. Default allow'),
    additive: verdict.optional().describe('Tools that write and say they destroy nothing. Default allow'),
    destructive: verdict.optional().describe('Default ask'),
    unannotated: verdict.optional().describe('Tools that say nothing of themselves. Default: as destructive'),
    distrust: toolPatterns.optional().describe('Tools whose word is not believed; they count as unannotated'),
  })
  .describe('Decides by what tools say of themselves')

const approvalRule = z.strictObject({
  tools: toolPatterns.optional(),
  when: z
    .enum(['destructive', 'open-world', 'writes'])
    .optional()
    .describe('What the tool says of itself; silence means the worse'),
  arguments: argumentTests.optional(),
  scopes: scopeNames.optional(),
  reason,
})

const guardRule = z.strictObject({
  tools: toolPatterns,
  arguments: argumentTests.optional(),
  scopes: scopeNames.optional(),
  reason,
})

const rateRule = z
  .strictObject({
    tools: toolPatterns,
    maxCalls: wholeNumber(1, 1_000_000, 'Most calls in any perMs; the next is denied').optional(),
    perMs: milliseconds('The window of maxCalls').optional(),
    maxConcurrent: wholeNumber(1, 100_000, 'Most calls at once; the next waits').optional(),
    per: z.enum(['all', 'scope', 'session']).optional().describe('Whose calls are counted together. Default all'),
  })
  .superRefine((rule, context) => {
    if ((rule.maxCalls === undefined) !== (rule.perMs === undefined)) {
      context.addIssue({ code: 'custom', message: 'must say "maxCalls" and "perMs" together' })
    } else if (rule.maxCalls === undefined && rule.maxConcurrent === undefined) {
      context.addIssue({ code: 'custom', message: 'must say "maxCalls" with "perMs", or "maxConcurrent"' })
    }
  })

/** A pattern that finds the empty text would hide everything between all letters. */
const hidingPatterns = regularExpressions.superRefine((patterns, context) => {
  for (const [index, pattern] of patterns.entries()) {
    if (findsNothing(pattern))
      context.addIssue({ code: 'custom', path: [index], message: 'must not match the empty text' })
  }
})

function findsNothing(pattern: RegularExpression): boolean {
  try {
    return toRegExp(pattern).test('')
  } catch {
    return false // Told by the pattern's own check.
  }
}

const redactRule = z
  .strictObject({
    target: z
      .enum(['value', 'content', 'both'])
      .optional()
      .describe('value: neither programs nor the model get it; content: only the model does not. Default both'),
    keys: z
      .array(text(128, 'A name'))
      .max(1_000)
      .optional()
      .describe('Members whose value is hidden; default: the usual ones'),
    patterns: hidingPatterns.optional().describe('Hidden wherever they occur in a text'),
    mask: z.string().max(100).optional().describe('Default [redacted]'),
    tools: toolPatterns.optional(),
  })
  .superRefine(({ keys, patterns }, context) => {
    if (keys?.length === 0 && (patterns ?? []).length === 0)
      context.addIssue({
        code: 'custom',
        message: 'must hide something: name "keys" or "patterns"; without "keys" it hides the usual ones',
      })
  })

const spill = z
  .strictObject({
    maxBytes: wholeNumber(256, 64 * 1024 * 1024, 'Content of one result. Default 32768').optional(),
    tools: toolPatterns.optional(),
  })
  .describe('Shows a preview of large content and keeps the whole, for programs to read in parts')

const timeoutRule = z.strictObject({ tools: toolPatterns, timeoutMs: milliseconds('Most time of one call') })

export const policiesSchema = z
  .strictObject({
    annotations: annotations.optional(),
    approval: z.array(approvalRule).max(MAX_RULES).optional().describe('Calls that a person is asked about'),
    guards: z.array(guardRule).max(MAX_RULES).optional().describe('Calls that are denied, whatever anybody approves'),
    rate: z.array(rateRule).max(MAX_RULES).optional().describe('How many calls, and how many at once'),
    redact: z.array(redactRule).max(MAX_RULES).optional().describe('Secrets that are taken out of results'),
    spill: spill.optional(),
    timeouts: z.array(timeoutRule).max(MAX_RULES).optional().describe('The first rule that speaks of a tool counts'),
  })
  .describe('What is asked about, denied, counted, hidden and cut short')
export type PolicySettings = z.infer<typeof policiesSchema>
