import { z } from 'zod'
import { DEFAULT_LIMITS, type Limits } from '../../codemode/limits.ts'
import { milliseconds, wholeNumber } from './fields.ts'

/** What each limit bounds, for editors. A new limit does not compile without a line here. */
const WORDS: Readonly<Record<keyof Limits, string>> = {
  cpuMs: 'Time in the isolate, in milliseconds; waiting costs nothing',
  wallMs: 'Time from start to end of a run, in milliseconds; stands still while a person is asked',
  drainMs: 'How long open calls may go on once the program has ended, in milliseconds',
  memoryMb: 'Memory of one isolate, in megabytes',
  maxCalls: 'Calls of one run',
  maxPendingCalls: 'Calls of one run that wait or go on at once',
  maxConcurrentCalls: 'Calls of one run that go on at once',
  maxProgramBytes: 'Size of a program',
  maxLogBytes: 'Size of what one run prints',
  maxResultBytes: 'Size of what one run returns',
  maxContentBytes: 'Size of what a model is shown of one run',
  maxValueBytes: 'Size of one argument or result of a call',
  approvalMs: 'How long a question to a person stays open, in milliseconds',
}
const MAX_LIMIT = 2 ** 31 - 1

const shape = Object.fromEntries(
  Object.entries(WORDS).map(([name, words]) => {
    const described = `${words}. Default ${DEFAULT_LIMITS[name as keyof Limits]}` // The keys of `WORDS` are the limits.
    const field = name.endsWith('Ms') ? milliseconds(described) : wholeNumber(1, MAX_LIMIT, described)
    return [name, field.optional()]
  }),
) as Record<keyof Limits, z.ZodOptional<z.ZodInt>> // `fromEntries` forgets the keys.

export const limitsSchema = z.strictObject(shape).describe('What one run may use')
