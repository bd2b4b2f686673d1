import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)

async function example(name: string): Promise<string> {
  const { stdout, stderr } = await exec(process.execPath, [join(root, 'examples', name)])
  expect(stderr).toBe('')
  return stdout
}

/** The output from the heading of one step to that of the next. */
function step(output: string, number: number): string {
  const [, after = ''] = output.split(`── step ${number} ──\n`)
  return after.split('\n── step')[0] ?? ''
}

const CACHED = 'reads, from orders.list: The list is cached; it is 10 minutes old.'

describe('the code-only agent', () => {
  let output: string
  beforeAll(async () => {
    output = await example('code-only-agent.ts')
  })

  test('gives its model one tool, and the others in the system prompt', () => {
    expect(output).toMatch(/^The model has run_code\.$/m)
    expect(output).toContain('refund(args: { id: string; amount: number }): Promise<{ refunded: number }>')
  })

  test('refuses a call past the program with the program to write', () => {
    expect(step(output, 1)).toContain('✗ orders.list')
    expect(step(output, 1)).toContain('CALL_VIA_RUN_CODE')
    expect(step(output, 1)).toContain('return await tools.orders.list()')
  })

  test('has what a nested call defers before the model at the next step, and not earlier', () => {
    expect(step(output, 2)).toContain('["A-17","A-19"]')
    expect(step(output, 2)).not.toContain(CACHED)
    expect(step(output, 3)).toContain(CACHED)
  })

  test('asks about each refund inside a program, and the program lives with the refusal', () => {
    expect(step(output, 3)).toContain('asked about orders.refund {"id":"A-17","amount":40} (it moves money): yes')
    expect(step(output, 3)).toContain('asked about orders.refund {"id":"A-19","amount":900} (it moves money): no')
    expect(step(output, 3)).toContain('closed: A-17 refunded, A-19 APPROVAL_REJECTED')
  })

  test('ends the turn as a nested call wished: the rest of the script is never asked for', () => {
    expect(output).toContain('The turn ends: a tool asked for it.')
    expect(output).not.toContain('── step 4 ──')
  })

  test('prints its log as a tree, nested calls under the program that made them', () => {
    expect(output.slice(output.indexOf('The session log'))).toBe(`The session log as a tree of calls:
  orders.list: CALL_VIA_RUN_CODE
  run_code: ok, a message from orders.list rode home
    orders.list: ok
  run_code: ok, a message from orders.list rode home
    orders.list: ok
    orders.refund: ok
    orders.refund: APPROVAL_REJECTED
    ticket.close: ok
`)
  })
})

describe('the hybrid agent', () => {
  let output: string
  beforeAll(async () => {
    output = await example('hybrid-agent.ts')
  })

  test('gives its model the tools under names that providers take, and run_code', () => {
    expect(output).toMatch(/^The model has orders_list, orders_refund, ticket_close, run_code\.$/m)
  })

  test('answers a native call and a program of one step, in their order', () => {
    const first = step(output, 1)
    expect(first.indexOf('✓ orders.list')).toBeGreaterThan(0)
    expect(first.indexOf('✓ run_code')).toBeGreaterThan(first.indexOf('✓ orders.list'))
    expect(first).toContain('{"lost":["A-17","A-19"],"delivered":["A-18"]}')
    expect(first).toContain('looked at 3')
  })

  test('has the messages of both before the model at the next step', () => {
    expect(step(output, 1)).not.toContain(CACHED)
    expect(step(output, 2).split(CACHED)).toHaveLength(3)
  })

  test('asks about native refunds, and a refusal is a result like any other', () => {
    expect(step(output, 2)).toContain('✓ orders.refund\n    {"refunded":40}')
    expect(step(output, 2)).toMatch(/✗ orders\.refund\n {4}APPROVAL_REJECTED: .*over 100: ask finance/)
  })

  test('ends the turn from inside a program', () => {
    expect(step(output, 3)).toContain('closed: A-17 refunded, A-19 goes to finance')
    expect(output).toContain('The turn ends: a tool asked for it.')
    expect(output).not.toContain('── step 4 ──')
  })

  test('prints its log as a tree of native calls and programs', () => {
    expect(output.slice(output.indexOf('The session log'))).toBe(`The session log as a tree of calls:
  orders.list: ok, a message from orders.list rode home
  run_code: ok, a message from orders.list rode home
    orders.list: ok
  orders.refund: ok
  orders.refund: APPROVAL_REJECTED
  run_code: ok
    ticket.close: ok
`)
  })
})

test('every example that can be run is in the list of examples, and the other way round', async () => {
  const readme = await readFile(join(root, 'examples/README.md'), 'utf8')
  const listed = [...readme.matchAll(/^\| `node examples\/([\w-]+\.ts)`/gm)].map(([, file]) => file)
  const files = (await readdir(join(root, 'examples'))).filter((file) => file.endsWith('.ts'))
  const told = files.filter((file) => !listed.includes(file))
  expect(listed.filter((file) => !files.includes(file ?? ''))).toEqual([])
  // What others import is told of below the table.
  for (const file of told) expect(readme).toContain(`\`${file}\``)
})
