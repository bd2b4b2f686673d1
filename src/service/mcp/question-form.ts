import type { ClientCapabilities, ElicitRequestFormParams } from '@modelcontextprotocol/server'
import { isRecord } from '../../data/json.ts'
import type { Decision, PendingApproval } from '../approvals/approval-desk.ts'

const MAX_SHOWN_ARGUMENTS = 4_000
const MAX_SHOWN_REASON = 300
const MAX_REASON = 1_000

/** Whether a client can show a form. `elicitation: {}` is how revisions before the modes said so. */
export function canShowForm(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/**
 * The question as a form. The decision has no default: a client that accepts whatever it is sent has decided nothing.
 * Everything in the message comes from a tool's owner or from a model, so nothing in it may hide from the reader.
 */
export function questionForm({ toolName, arguments: args, reasons }: PendingApproval): ElicitRequestFormParams {
  const json = visible(JSON.stringify(args, undefined, 2))
  const cut = json.length - MAX_SHOWN_ARGUMENTS
  const shown =
    cut <= 0 ? json : `${json.slice(0, MAX_SHOWN_ARGUMENTS)}\n… ${cut} more characters are NOT SHOWN but would be sent`
  const why = reasons.map((reason) => `Why you are asked: ${visible(reason).slice(0, MAX_SHOWN_REASON)}`)
  return {
    mode: 'form',
    message: [`May ${visible(toolName)} be called, once, with these arguments?`, shown, ...why].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: 'Approve lets this one call happen. Anything else refuses it.',
          enum: ['approve', 'reject'],
        },
        reason: { type: 'string', title: 'Reason', description: 'Told to the model when you refuse.' },
      },
      required: ['decision'],
    },
  }
}

/** What a client sent back for a form. Only an accepted, explicit yes is a yes. */
export function readAnswer(action: 'accept' | 'decline' | 'cancel', content: unknown, by: string): Decision {
  switch (action) {
    case 'accept': {
      const { decision, reason } = isRecord(content) ? content : {}
      if (decision === 'approve') return { answer: 'approve', by }
      if (decision === 'reject')
        return { answer: 'reject', by, ...(typeof reason === 'string' && { reason: reason.slice(0, MAX_REASON) }) }
      return { answer: 'reject', by, reason: 'the form came back without a decision' }
    }
    case 'decline':
      return { answer: 'reject', by }
    case 'cancel':
      return { answer: 'dismiss', by }
  }
}

/** Controls, format characters (direction, zero width, tags), private use and odd line ends, as what they are. */
function visible(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
