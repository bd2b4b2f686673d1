/**
 * Mode `both`: the model has the tools and `run_code`, and mixes them in one step. What nested calls want to tell the
 * model arrives with the next step, and a nested call may end the turn.
 */
import { createApprovalPolicy, createEngine } from '../src/index.ts'
import { playTurn, printCallTree, type Step } from './scripted-agent.ts'
import { careful, createShopTools } from './support-tools.ts'

const script: readonly Step[] = [
  {
    says: 'One look by hand, and a program that counts.',
    calls: [
      { name: 'orders_list', arguments: {} },
      {
        name: 'run_code',
        arguments: {
          code: `
            const orders = await tools.orders.list()
            console.log('looked at', orders.length)
            const idsBy = (wanted: string) => orders.filter(({ state }) => state === wanted).map(({ id }) => id)
            return { lost: idsBy('lost'), delivered: idsBy('delivered') }
          `,
        },
      },
    ],
  },
  {
    says: 'Two refunds, one after the other: each of them moves money.',
    calls: [
      { name: 'orders_refund', arguments: { id: 'A-17', amount: 40 } },
      { name: 'orders_refund', arguments: { id: 'A-19', amount: 900 } },
    ],
  },
  {
    says: 'The rest is for finance. I close the ticket from a program.',
    calls: [
      {
        name: 'run_code',
        arguments: { code: `return await tools.ticket.close({ summary: 'A-17 refunded, A-19 goes to finance' })` },
      },
    ],
  },
  { says: 'This step is never asked for.', calls: [{ name: 'orders_list', arguments: {} }] },
]

await using engine = await createEngine({
  mode: 'both',
  tools: createShopTools(),
  policies: [createApprovalPolicy({ rules: [{ tools: 'orders.refund', reason: 'it moves money' }] })],
  approver: careful,
})
console.log(
  `The model has ${engine.registry
    .modelTools('global')
    .map(({ name }) => name)
    .join(', ')}.`,
)

const session = engine.openSession()
await playTurn(engine, session, script)
printCallTree(session)
