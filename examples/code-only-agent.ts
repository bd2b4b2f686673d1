/**
 * Mode `code`: the model has one tool, `run_code`, and everything else is in the SDK that its system prompt carries.
 * A call past the program is refused with the program to write; the second program does the job and ends the turn.
 */
import { createApprovalPolicy, createEngine } from '../src/index.ts'
import { playTurn, printCallTree, type Step } from './scripted-agent.ts'
import { careful, createShopTools } from './support-tools.ts'

const script: readonly Step[] = [
  { says: 'I look at the orders.', calls: [{ name: 'orders_list', arguments: {} }] },
  {
    says: 'Programs only, then. Which orders are lost?',
    calls: [
      {
        name: 'run_code',
        arguments: {
          code: `
            const orders = await tools.orders.list()
            return orders.filter((order) => order.state === 'lost').map((order) => order.id)
          `,
        },
      },
    ],
  },
  {
    says: 'I refund what I may and close the ticket.',
    calls: [
      {
        name: 'run_code',
        arguments: {
          code: `
            const lost = (await tools.orders.list()).filter((order) => order.state === 'lost')
            const report: string[] = []
            for (const { id, amount } of lost) {
              try {
                await tools.orders.refund({ id, amount })
                report.push(id + ' refunded')
              } catch (error) {
                if (!(error instanceof ToolError)) throw error
                report.push(id + ' ' + error.code)
              }
            }
            return await tools.ticket.close({ summary: report.join(', ') })
          `,
        },
      },
    ],
  },
  { says: 'This step is never asked for.', calls: [{ name: 'run_code', arguments: { code: 'return 1' } }] },
]

await using engine = await createEngine({
  mode: 'code',
  tools: createShopTools(),
  policies: [createApprovalPolicy({ rules: [{ tools: 'orders.refund', reason: 'it moves money' }] })],
  approver: careful,
})

const prompt = engine.systemPrompt()
console.log(
  `The model has ${engine.registry
    .modelTools('global')
    .map(({ name }) => name)
    .join(', ')}.`,
)
console.log('Its system prompt begins and ends so:\n')
console.log(prompt.split('\n').slice(0, 4).join('\n'))
console.log('[…]')
console.log(prompt.slice(prompt.lastIndexOf('```ts')).trimEnd())

const session = engine.openSession()
await playTurn(engine, session, script)
printCallTree(session)
