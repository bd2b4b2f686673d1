import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/data/json.ts'
import type { PendingApproval } from '../../../src/service/approvals/approval-desk.ts'
import { canShowForm, questionForm, readAnswer } from '../../../src/service/mcp/question-form.ts'

const QUESTION: PendingApproval = {
  id: 'approval-1',
  scope: 'global',
  sessionId: 's',
  callId: 'c',
  rootCallId: 'c',
  toolName: 'pay',
  arguments: {},
  reasons: ['money'],
  askedAtMs: 0,
}

test('nothing in a form hides from the reader, whatever names, arguments and reasons hold', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.string({ unit: 'binary' }),
      (toolName, args, reason) => {
        const { message } = questionForm({
          ...QUESTION,
          toolName,
          arguments: args as JsonObject,
          reasons: [reason],
        })
        expect(message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(message.length).toBeLessThan(20_000 + toolName.length * 10)
      },
    ),
    { numRuns: 200 },
  )
})

test('a form has no default: accepting what was sent decides nothing', () => {
  const { requestedSchema } = questionForm(QUESTION)
  expect(JSON.stringify(requestedSchema)).not.toContain('"default"')
  expect(requestedSchema.required).toEqual(['decision'])
})

test('of all that can come back, only an accepted form with the word approve is a yes', () => {
  const anything = fc.anything({ withNullPrototype: true })
  fc.assert(
    fc.property(fc.constantFrom('accept', 'decline', 'cancel'), anything, (action, content) => {
      const said = typeof content === 'object' && content !== null ? Reflect.get(content, 'decision') : undefined
      fc.pre(said !== 'approve')
      expect(readAnswer(action, content, 'somebody').answer).not.toBe('approve')
    }),
  )
  for (const action of ['decline', 'cancel'] as const)
    expect(readAnswer(action, { decision: 'approve' }, 'somebody').answer).not.toBe('approve')
  expect(readAnswer('accept', { decision: 'approve' }, 'somebody')).toEqual({ answer: 'approve', by: 'somebody' })
})

test.each([
  [undefined, false],
  [{}, false],
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{ elicitation: { url: {}, form: {} } }, true],
])('a client with the capabilities %j can show a form: %j', (capabilities, can) => {
  expect(canShowForm(capabilities)).toBe(can)
})
