import { z } from 'zod'
import { regularExpression } from './fields.ts'

const TESTS = ['equals', 'in', 'matches', 'exists'] as const

/** One thing that must be true of the arguments of a call, as data. */
const argumentTest = z
  .strictObject({
    pointer: z
      .string()
      .max(1_024)
      .regex(/^(?:\/(?:[^~]|~[01])*)?$/s, {
        error: 'must be a JSON Pointer: it begins with "/", ~ is written ~0 and / in a key ~1',
      })
      .describe('JSON Pointer into the arguments, e.g. /path or /to/0; "" is the whole of them'),
    equals: z.unknown().optional().describe('Is this very JSON value'),
    in: z.array(z.unknown()).min(1).max(1_000).optional().describe('Is one of these JSON values'),
    matches: regularExpression
      .optional()
      .describe('A text that this regular expression finds something in; of a list, one element'),
    exists: z.boolean().optional().describe('true: is there; false: is not there'),
  })
  .superRefine((test, context) => {
    const given = TESTS.filter((name) => Object.hasOwn(test, name))
    if (given.length === 1) return
    context.addIssue({
      code: 'custom',
      message: `must say exactly one of ${TESTS.map((name) => `"${name}"`).join(', ')}`,
      params: { found: given.length === 0 ? 'none of them' : given.map((name) => `"${name}"`).join(' and ') },
    })
  })
export type ArgumentTest = z.infer<typeof argumentTest>

export const argumentTests = z
  .union([argumentTest, z.array(argumentTest).min(1).max(50)])
  .describe('What must be true of the arguments: one test, or an array of tests that must all hold')
