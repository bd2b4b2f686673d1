import type { QuestionRules } from './mcp-host.ts'
import type { Step } from './progress.ts'
import type { Question } from './question.ts'

/**
 * A question that this client's user is not asked. Other people may answer it; a client that hears progress is told so
 * while it waits, and one that does not gets a refusal that says so, before it gives up by itself without a reason.
 */
export function askElsewhere(
  { approval, closed, decide }: Question,
  { elsewhere, mayElicit }: QuestionRules,
  onStep: ((step: Step) => void) | undefined,
): void {
  if (closed.aborted) return
  const why = mayElicit()
    ? 'this client cannot ask its user (it has no elicitation)'
    : 'this client may not ask its user'
  if (elsewhere === undefined) {
    decide({ answer: 'reject', by: 'codeferry', reason: `${why}, and nobody else can be asked here` })
    return
  }
  if (onStep === undefined) {
    const timer = setTimeout(() => {
      const reason = `a person has to approve this call; ${why}, and nobody answered at ${elsewhere.place} within ${elsewhere.waitMs} ms. Tell the user to look there, and then call again`
      decide({ answer: 'reject', by: 'codeferry', reason })
    }, elsewhere.waitMs)
    closed.addEventListener('abort', () => clearTimeout(timer), { once: true })
    return
  }
  const remind = () =>
    onStep({ message: `${approval.toolName} waits for a person: ${approval.id} at ${elsewhere.place}` })
  remind()
  const reminding = setInterval(remind, elsewhere.remindMs)
  closed.addEventListener('abort', () => clearInterval(reminding), { once: true })
}
