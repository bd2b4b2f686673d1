/** The loop of an agent, with a script in the place of the model. Shared by the two agent examples. */
import { CallBatch, type ContentBlock, type Engine, type SessionLog, type UserMessage } from '../src/index.ts'
import { systemClock } from '../src/pipeline/system-clock.ts'
import { deriveNames } from '../src/registry/native-names.ts'
import type { CallNode } from '../src/session/call-tree.ts'
import { callTree } from '../src/session/replay.ts'

/** What the model answers at one step: a thought, and tool calls by the names that it was shown. */
export interface Step {
  readonly says: string
  readonly calls: readonly { readonly name: string; readonly arguments: object }[]
}

/**
 * Plays the steps until a call asks for the end of the turn. All calls of a step are one batch: the safe ones overlap,
 * results come back in the order of the calls, and what tools want to tell the model comes after them.
 */
export async function playTurn(engine: Engine, session: SessionLog, script: readonly Step[]): Promise<void> {
  // Providers take no dot in a name: the model is shown `orders_list`, the log and the policies know `orders.list`.
  const { nameByNative } = deriveNames(engine.registry.view(session.scope))
  let inbox: readonly UserMessage[] = []
  for (const [index, { says, calls }] of script.entries()) {
    console.log(`\n── step ${index + 1} ──`)
    for (const { source, content } of inbox) console.log(`reads, from ${source}: ${textOf(content)}`)
    console.log(`model: ${says}`)
    const batch = new CallBatch({ runtime: engine.runtime, session, scope: session.scope, clock: systemClock })
    const { results, contexts, concludesTurn } = await batch.run(
      calls.map((call) => ({
        name: nameByNative.get(call.name) ?? call.name,
        arguments: JSON.stringify(call.arguments),
      })),
    )
    for (const { name, durable } of results)
      console.log(`${durable.isError ? '✗' : '✓'} ${name}\n${indent(textOf(durable.content))}`)
    // The next step begins with these messages; a real loop would send them to the model behind the results.
    inbox = contexts
    if (concludesTurn) {
      for (const { source, content } of inbox) console.log(`for the next turn, from ${source}: ${textOf(content)}`)
      console.log('\nThe turn ends: a tool asked for it.')
      return
    }
  }
  console.log('\nThe turn ends: the script is over.')
}

/** The calls of a session as its log tells them: nested calls stand under the program that made them. */
export function printCallTree(session: SessionLog): void {
  console.log('\nThe session log as a tree of calls:')
  const print = (node: CallNode, depth: number): void => {
    const how = node.state === 'ok' ? 'ok' : (node.error?.code ?? node.state)
    const told = node.contexts.map(({ source }) => `, a message from ${source} rode home`).join('')
    console.log(`${'  '.repeat(depth)}${node.name}: ${how}${told}`)
    for (const child of node.children) print(child, depth + 1)
  }
  for (const root of callTree(session.events())) print(root, 1)
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
