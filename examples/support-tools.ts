/** A small shop for the agent examples: what its tools say and do is the same at every run. */
import { defineTool, type Approver, type ToolDefinition } from '../src/index.ts'

const ORDERS = [
  { id: 'A-17', customer: 'Ada', amount: 40, state: 'lost' },
  { id: 'A-18', customer: 'Ben', amount: 15, state: 'delivered' },
  { id: 'A-19', customer: 'Cleo', amount: 900, state: 'lost' },
] as const

const order = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    customer: { type: 'string' },
    amount: { type: 'number' },
    state: { type: 'string', enum: ['lost', 'delivered'] },
  },
  required: ['id', 'customer', 'amount', 'state'],
  additionalProperties: false,
} as const

export function createShopTools(): readonly ToolDefinition[] {
  return [
    defineTool({
      name: 'list',
      namespace: 'orders',
      description: 'Orders of the last week.',
      parameters: { type: 'object', properties: {} },
      output: { schema: { type: 'array', items: order } },
      annotations: { readOnlyHint: true },
      isConcurrencySafe: () => true,
      execute(_args, exec) {
        // A note for the model, not a part of the value: the program does not see it, the next step does.
        exec.deferContext('The list is cached; it is 10 minutes old.')
        return ORDERS
      },
    }),
    defineTool({
      name: 'refund',
      namespace: 'orders',
      description: 'Gives the money of one order back.',
      parameters: {
        type: 'object',
        properties: { id: { type: 'string' }, amount: { type: 'number' } },
        required: ['id', 'amount'],
      },
      output: {
        schema: {
          type: 'object',
          properties: { refunded: { type: 'number' } },
          required: ['refunded'],
          additionalProperties: false,
        },
      },
      annotations: { destructiveHint: true },
      execute: ({ amount }) => ({ refunded: amount }),
    }),
    defineTool({
      name: 'close',
      namespace: 'ticket',
      description: 'Closes the ticket with a summary. Nothing is left to do after that.',
      parameters: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
      annotations: { destructiveHint: false },
      execute({ summary }, exec) {
        // Counts even from inside a program, if both this call and the program succeed.
        exec.concludeTurn()
        return `closed: ${summary}`
      },
    }),
  ]
}

/** In the place of a person: says yes to small refunds. */
export const careful: Approver = {
  async ask({ toolName, arguments: args, reasons }) {
    const isSmall = typeof args['amount'] === 'number' && args['amount'] <= 100
    console.log(`asked about ${toolName} ${JSON.stringify(args)} (${reasons.join('; ')}): ${isSmall ? 'yes' : 'no'}`)
    return isSmall ? { answer: 'approve', by: 'the shift lead' } : { answer: 'reject', reason: 'over 100: ask finance' }
  },
}
