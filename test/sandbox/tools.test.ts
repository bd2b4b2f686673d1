import { describe, expect, test } from 'vitest'
import { tool, type CallEvent } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [
  tool('get_weather', ['get_weather'], ['city']),
  tool('github.issue_read', ['github', 'issue_read'], ['owner', 'repo']),
  tool('send_message'),
  tool('send.message', ['send_message_2'], []),
  tool('API-post-page', ['API_post_page']),
  tool('__proto__', ['__proto__'], ['x']),
  tool('then', ['then']),
]
const answer = (call: CallEvent) => ({ ok: `${call.op} ${call.name} ${call.args}` })
const run = (source: string, more: readonly ReturnType<typeof tool>[] = bindings) =>
  sandbox.run(source, { bindings: more, answer })

describe('names', () => {
  test('exact names and paths lead to the tool, without a this', async () => {
    const { value, notices } = await run(`
      const { get_weather } = tools
      const { issue_read } = tools.github
      return [await get_weather({ city: 'x' }), await issue_read(), await tools['github.issue_read']({}), await tools['API-post-page'](), await tools.API_post_page({})]`)
    expect(value).toEqual([
      'call get_weather {"city":"x"}',
      'call github.issue_read {}',
      'call github.issue_read {}',
      'call API-post-page {}',
      'call API-post-page {}',
    ])
    expect(notices).toEqual([])
  })

  test('names of the language are names like any other', async () => {
    const { value } = await run(
      `return [await tools['__proto__']({ x: 1 }), await tools['then']({}), typeof tools.constructor, typeof tools.toString]`,
      [tool('__proto__', ['__proto__']), tool('then', ['then'])],
    )
    expect(value).toEqual(['call __proto__ {"x":1}', 'call then {}', 'undefined', 'undefined'])
  })

  test('tools is no promise, unless a tool is named then', async () => {
    const { value } = await run(
      `return [typeof tools.then, typeof tools.github.then, (await tools) === tools]`,
      bindings.slice(0, 2),
    )
    expect(value).toEqual(['undefined', 'undefined', true])
  })

  test.each([
    ['tools.getWeather()', 'get_weather'],
    ['tools.GetWeather()', 'get_weather'],
    ['tools["get-weather"]()', 'get_weather'],
    ['tools.githubIssueRead()', 'github.issue_read'],
    ['tools.github_issue_read()', 'github.issue_read'],
    ['tools.github.issueRead()', 'github.issue_read'],
    ['tools.GitHub.issue_read()', 'github.issue_read'],
    ['tools.apiPostPage()', 'API-post-page'],
  ])('%s is understood, with a notice', async (source, name) => {
    const done = await run(`return await ${source}`)
    expect(done.calls.map((call) => call.name)).toEqual([name])
    expect(done.notices).toHaveLength(1)
    expect(done.notices[0]).toContain('use that name')
  })

  test('a spelling that could mean two tools means none', async () => {
    const done = await run(`return typeof tools.sendMessage`)
    expect(done.value).toBe('undefined')
  })

  test('enumeration lists the tools by their names', async () => {
    const { value } = await run(`
      const loop = []
      for (const name in tools.github) loop.push(name)
      return { keys: Object.keys(tools), loop, has: ['get_weather' in tools, 'github' in tools, 'nope' in tools, 'issue_read' in tools.github], entries: Object.entries(tools.github).map(([k, v]) => [k, typeof v]), names: Object.values(tools).every((f) => typeof f === 'function') }`)
    expect(value).toEqual({
      keys: bindings.map((binding) => binding.name),
      loop: ['issue_read'],
      has: [true, true, false, true],
      entries: [['issue_read', 'function']],
      names: true,
    })
  })

  test('a tool that is a group as well is both', async () => {
    const { value } = await run(`return [await tools.a({}), await tools.a.b({}), Object.keys(tools)]`, [
      tool('a'),
      tool('a.b', ['a', 'b']),
    ])
    expect(value).toEqual(['call a {}', 'call a.b {}', ['a', 'a.b']])
  })
})

describe('a name that is not there', () => {
  test.each([
    ['tools.get_wether({})', 'tools has no "get_wether"; nearest: get_weather'],
    ['const { weather } = tools; await weather({})', 'tools has no "weather"; nearest: get_weather'],
    ['await tools.github.issue_raed({})', 'tools.github has no "issue_raed"; nearest: issue_read'],
    ['await tools.githb.issue_read({})', 'tools has no "githb"; nearest: github ('],
    ['await tools["zzzzzz"]()', 'tools has no "zzzzzz" ('],
  ])('%s is explained when the program dies of it', async (source, start) => {
    const done = await run(source)
    expect(done.state).toMatchObject({ s: 'threw', name: 'TypeError' })
    if (done.state.s === 'threw') expect(done.state.message.startsWith(start)).toBe(true)
  })

  test('is undefined and no error to a program that asks', async () => {
    const done = await run(`if (tools.get_wether) return 1; try { tools.nope() } catch (e) { return e.message }`)
    expect(done.value).toBe('tools.nope is not a function')
  })

  test('does not explain an unrelated TypeError', async () => {
    const done = await run(`tools.nope; const o = {}; o.run()`)
    expect(done.state).toMatchObject({ s: 'threw', message: 'o.run is not a function' })
  })
})

describe('arguments', () => {
  test('none, undefined and further ones are no matter', async () => {
    const { calls } = await run(`
      await tools.get_weather(); await tools.get_weather(undefined)
      await Promise.all([{ city: 'a' }].map(tools.get_weather))`)
    expect(calls.map((call) => call.args)).toEqual(['{}', '{}', '{"city":"a"}'])
  })

  test.each([
    [
      'tools.get_weather("Paris")',
      'tools.get_weather takes one object of arguments; got "Paris". Write tools.get_weather({ city: "Paris" })',
    ],
    [
      'tools["get_weather"](5)',
      'tools.get_weather takes one object of arguments; got 5. Write tools.get_weather({ city: 5 })',
    ],
    [
      'tools.github.issue_read("x")',
      'tools.github.issue_read takes one object of arguments; got "x". Write tools.github.issue_read({ … }) with its properties by name',
    ],
    [
      'tools.send_message(null)',
      'tools.send_message takes one object of arguments; got null. Write tools.send_message(), or tools.send_message({ … }) with its properties by name',
    ],
  ])('%s is refused with the call that was meant', async (source, message) => {
    const done = await run(`try { await ${source} } catch (e) { return { ...e, name: e.name, message: e.message } }`)
    expect(done.calls).toEqual([])
    expect(done.value).toMatchObject({
      name: 'ToolError',
      code: 'INVALID_ARGS',
      phase: 'arguments',
      bodyStarted: false,
      retryable: false,
      message,
    })
  })
})

describe('ToolError', () => {
  const err = {
    tool: 't',
    code: 'POLICY_DENIED',
    message: 'not allowed',
    phase: 'pre',
    bodyStarted: false,
    retryable: false,
    details: { a: 1 },
    content: [{ type: 'text', text: 'x' }],
  }
  const script = { bindings: [tool('t')], answer: () => ({ err }) }

  test('carries the fields of the failure and reads well', async () => {
    const { value } = await sandbox.run(
      `try { await tools.t({}) } catch (e) {
        return [e instanceof ToolError, e instanceof Error, String(e), e.name, e.tool, e.code, e.phase, e.bodyStarted, e.retryable, e.details, e.content, JSON.parse(JSON.stringify(e))]
      }`,
      script,
    )
    const { message: _message, ...fields } = err
    expect(value).toEqual([
      true,
      true,
      'ToolError: not allowed',
      'ToolError',
      't',
      'POLICY_DENIED',
      'pre',
      false,
      false,
      { a: 1 },
      err.content,
      fields,
    ])
  })

  test('uncaught, it ends the program with its code and the program’s own line', async () => {
    const done = await sandbox.run(`const go = async () => {\n  await tools.t({})\n}\nawait go()`, script)
    expect(done.state).toMatchObject({
      s: 'threw',
      name: 'ToolError',
      message: 'not allowed',
      code: 'POLICY_DENIED',
      tool: 't',
    })
    if (done.state.s === 'threw') expect(done.state.stack).toContain('program.js:3:')
  })

  test('returned, it is data', async () => {
    const done = await sandbox.run(`return await tools.t({}).catch((e) => e)`, script)
    expect(done.value).toEqual({
      name: 'ToolError',
      message: 'not allowed',
      code: 'POLICY_DENIED',
      tool: 't',
      phase: 'pre',
      bodyStarted: false,
      retryable: false,
      details: { a: 1 },
    })
  })
})

describe('services', () => {
  test('full, search, describe and artifacts are calls of their own kind', async () => {
    const { calls } = await run(`
      await tools.full('get_weather', { city: 'x' })
      await sdk.search('mail', { limit: 3 })
      await sdk.describe('a'); await sdk.describe(['a', 'b'])
      await artifacts.read('id', { offset: 1, length: 2 })`)
    expect(calls.map(({ op, name, args }) => [op, name, args])).toEqual([
      ['full', 'get_weather', '{"city":"x"}'],
      ['search', 'sdk.search', '{"query":"mail","limit":3}'],
      ['describe', 'sdk.describe', '{"names":["a"]}'],
      ['describe', 'sdk.describe', '{"names":["a","b"]}'],
      ['artifact', 'artifacts.read', '{"id":"id","offset":1,"length":2}'],
    ])
  })

  test('wrong uses reject with what to write', async () => {
    const { value, calls } = await run(
      `return Promise.all([tools.full({}), sdk.search(), sdk.describe(1), artifacts.read()].map((p) => p.catch((e) => e.code)))`,
    )
    expect([value, calls]).toEqual([Array.from({ length: 4 }, () => 'INVALID_ARGS'), []])
  })

  test('show passes blocks and texts, progress passes words and numbers', async () => {
    const { events } = await run(`
      show({ type: 'image', data: 'aGk=', mimeType: 'image/png' }); show('plain')
      try { show(5) } catch (e) { console.log(e.name) }
      progress('half', 0.5); progress(7); progress({ message: 'm' })`)
    expect(events).toEqual([
      { e: 'show', json: '{"type":"image","data":"aGk=","mimeType":"image/png"}' },
      { e: 'show', json: '{"type":"text","text":"plain"}' },
      { e: 'log', level: 'log', at: 0, text: 'TypeError' },
      { e: 'progress', message: 'half', fraction: 0.5 },
      { e: 'progress', fraction: 1 },
      { e: 'progress', message: 'm' },
    ])
  })
})
