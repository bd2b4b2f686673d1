import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CodedError } from '../../src/data/failure.ts'
import { parseSettings } from '../../src/settings/read-settings.ts'
import { faultsOf } from './sample-settings.ts'

const rule = { tools: '*', reason: 'because' }

describe('a fault says where it is, the rule, what was found and what to do', () => {
  test.each<[string, unknown, string]>([
    ['a misspelt section', { polices: {} }, 'polices: there is no such key; did you mean "policies"?'],
    [
      'a key that is like no other',
      { server: { telemetry: { zzz: 1 } } },
      'server.telemetry.zzz: there is no such key; remove it; known here: content',
    ],
    [
      'a limit that is none',
      { limits: { walMs: 1 } },
      'limits.walMs: there is no such key; did you mean "wallMs", "cpuMs" or "drainMs"?',
    ],
    [
      'a limit too low',
      { limits: { maxCalls: 0 } },
      'limits.maxCalls: must be at least 1; found 0; correct it, or leave it out',
    ],
    [
      'a limit beyond all numbers, told once',
      { limits: { cpuMs: 1e300 } },
      'limits.cpuMs: must be at most 2147483647; found 1e+300; correct it, or leave it out',
    ],
    [
      'a rule that hides nothing',
      { policies: { redact: [{ keys: [] }] } },
      'policies.redact[0]: must hide something: name "keys" or "patterns"; without "keys" it hides the usual ones; found an object with "keys"; correct it, or take it out',
    ],
    [
      'a fraction',
      { pool: { maxQueue: 1.5 } },
      'pool.maxQueue: must be a whole number; found 1.5; correct it, or leave it out',
    ],
    [
      'a word that is none of these',
      { typecheck: 'maybe' },
      'typecheck: must be one of "error", "notice", "off"; found "maybe"; correct it, or leave it out',
    ],
    [
      'a rule without its reason',
      { policies: { guards: [{ tools: '*' }] } },
      'policies.guards[0].reason: is missing; it must be a string; add it',
    ],
    [
      'a tool that is no name',
      { policies: { timeouts: [{ tools: ['a', 'b c'], timeoutMs: 1 }] } },
      'policies.timeouts[0].tools[1]: must be the name of a tool, "ns.*" for every tool of a namespace, or "*" for every tool; found "b c"; correct it, or take it out',
    ],
    [
      'tools of the wrong kind',
      { policies: { timeouts: [{ tools: 3, timeoutMs: 1 }] } },
      'policies.timeouts[0].tools: must be a tool name, "ns.*" or "*", or an array of these; found 3; correct it',
    ],
    [
      'half a rate',
      { policies: { rate: [{ tools: '*', maxCalls: 3 }] } },
      'policies.rate[0]: must say "maxCalls" and "perMs" together; found an object with "tools", "maxCalls"; correct it, or take it out',
    ],
    [
      'a test of nothing',
      { policies: { approval: [{ ...rule, arguments: { pointer: '/a' } }] } },
      'policies.approval[0].arguments: must say exactly one of "equals", "in", "matches", "exists"; found none of them; correct it, or leave it out',
    ],
    [
      'a test of two things in a list',
      { policies: { approval: [{ ...rule, arguments: [{ pointer: '/a', equals: null, exists: true }] }] } },
      'policies.approval[0].arguments[0]: must say exactly one of "equals", "in", "matches", "exists"; found "equals" and "exists"; correct it, or take it out',
    ],
    [
      'a pattern that is none',
      { policies: { guards: [{ ...rule, arguments: { pointer: '/a', matches: '(' } }] } },
      'policies.guards[0].arguments.matches: must be a regular expression that JavaScript can read; found "("; correct it, or leave it out',
    ],
    [
      'a pattern that would hide everything',
      { policies: { redact: [{ patterns: ['a*'] }] } },
      'policies.redact[0].patterns[0]: must not match the empty text; found "a*"; correct it, or take it out',
    ],
    [
      'a rule for a scope that is not there',
      { policies: { guards: [{ ...rule, scopes: ['global', 'x'] }] } },
      'policies.guards[0].scopes: must name "global" or scopes of "scopes"; found "x"; declare it there, or correct it',
    ],
    [
      'an origin with a path',
      { server: { allowedOrigins: ['https://a.example/'] } },
      'server.allowedOrigins[0]: must be an origin such as "https://app.example.com": scheme, host and port, and nothing after them; found "https://a.example/"; correct it, or take it out',
    ],
    [
      'a store of no kind',
      { store: 'disk' },
      'store: must be one of "memory", or an object; found "disk"; correct it, or leave it out',
    ],
    ['a store without its path', { store: { sqlite: '' } }, 'store.sqlite: must not be empty; found ""; correct it'],
    [
      'a restriction that restricts nothing',
      { scopes: { a: { restrictions: { sealed: true } } } },
      'scopes.a.restrictions: must say "allow" or "deny"; "allow": [] hides everything; found an object with "sealed"; correct it, or leave it out',
    ],
    [
      'run_code restricted',
      { scopes: { a: { restrictions: { deny: ['run_code'] } } } },
      'scopes.a.restrictions: deny: "run_code" cannot be restricted: run_code is the transport, the mode of a scope decides about it; correct it',
    ],
    [
      'a scope’s name with a blank',
      { scopes: { 'a b': {} } },
      'scopes["a b"]: a scope\'s name must be 1–64 of A–Z, a–z, 0–9, "_", "-", "."; rename it',
    ],
    [
      'a parent that is not there',
      { scopes: { a: { parent: 'raeder' }, reader: {} } },
      'scopes: scope "a": its parent "raeder" is not declared; declare it, or leave "parent" out. Did you mean "reader"?',
    ],
    [
      'a server that is not there',
      { mcpServers: { files: { command: 'x' } }, scopes: { a: { servers: ['file'] } } },
      'scopes.a.servers: must name servers of this file; found "file"; correct it, or describe it. Did you mean "files"?',
    ],
    [
      'a name that JavaScript treats specially',
      '{"scopes": {"__proto__": {"mode": "native"}}}',
      'scopes.__proto__: there is no such key, and nothing can be named so; remove it',
    ],
    [
      'an API with the name of an MCP server',
      { mcpServers: { shop: { command: 'x' } }, openapi: [{ name: 'shop', spec: 's' }] },
      'openapi[0].name: must be its own; an MCP server has the same; rename one',
    ],
    [
      'two APIs of one name',
      {
        openapi: [
          { name: 'shop', spec: 's' },
          { name: 'shop', spec: 't' },
        ],
      },
      'openapi[1].name: must be its own; openapi[0] has the same; rename one',
    ],
    [
      'a misspelt key of an API',
      { openapi: [{ name: 'shop', spec: 's', baseURL: 'HUSH' }] },
      'openapi[0].baseURL: there is no such key; did you mean "baseUrl"?',
    ],
    [
      'an access of no kind, whose words may be secret',
      { http: [{ name: 'a', description: '', url: 'https://a.example', auth: { type: 'HUSH', token: 'HUSH' } }] },
      'http[0].auth.type: must be one of "bearer", "basic", "apiKey"; found a string; correct it',
    ],
    [
      'a misspelt key of one kind of access',
      {
        http: [
          { name: 'a', description: '', url: 'https://a.example', auth: { type: 'bearer', tokn: 'HUSH', token: 'x' } },
        ],
      },
      'http[0].auth.tokn: there is no such key; did you mean "token"?',
    ],
    [
      'servers that are no object',
      { mcpServers: [] },
      'mcpServers: must be an object; found an empty array; correct it, or leave it out',
    ],
    [
      'a file that is a list',
      '[]',
      'the file: must be an object; found an array; begin it with { "mcpServers": { … } }',
    ],
  ])('%s', (_what, content, fault) => {
    expect(faultsOf(content)).toEqual([fault])
  })

  test('parents that go in a circle are each told of', () => {
    expect(faultsOf({ scopes: { a: { parent: 'b' }, b: { parent: 'a' } } })).toHaveLength(2)
  })

  test('a key that occurs twice is a fault: the rules of the first one would be lost', () => {
    const [fault] = faultsOf('{ "policies": {},\n "policies": {} }')
    expect(fault).toMatch(/^codeferry\.json:2: the key "policies" occurs twice/)
  })

  test('what is no JSON is shown without its values', () => {
    const read = () => parseSettings('{ "tokens": "hush" "x" }', 'codeferry.json', { env: {}, cwd: '/' })
    expect(read).toThrow(/codeferry\.json:1:20: this is not JSON: expected , or \}/)
    expect(read).not.toThrow(/hush/)
  })
})

test('all faults are told at once, those within a part and those between parts', () => {
  const faults = faultsOf({
    limits: { maxCalls: 'x' },
    scopes: { bad: { mode: 3 }, child: { parent: 'nowhere' } },
    tokens: [
      { name: 'a b', secret: {} },
      { name: 'ok', scope: 'bda', secret: { env: 'NOPE' } },
    ],
    extra: 1,
  })
  expect(faults.map((fault) => fault.slice(0, fault.indexOf(':')))).toEqual([
    'scopes.bad.mode',
    'limits.maxCalls',
    'tokens[0].name',
    'tokens[0].secret',
    'extra',
    'scopes',
    'tokens[1].scope',
    'tokens[1].secret.env',
  ])
})

test('whatever stands in the file, reading gives settings or faults, and a secret is in none of them', () => {
  const secret = 'HUSH-HUSH-HUSH-HUSH'
  const key = fc.constantFrom(
    'mcpServers',
    'openapi',
    'http',
    'scopes',
    'policies',
    'limits',
    'tokens',
    'server',
    'store',
    'pool',
    'approval',
    'guards',
    'redact',
    'tools',
    'arguments',
    'pointer',
    'matches',
    'secret',
    'env',
    'name',
    'restrictions',
    '__proto__',
    'constructor',
    'toString',
  )
  const leaf = fc
    .oneof(fc.constant(3), fc.constant(null), fc.boolean(), fc.string())
    .map((value) => JSON.stringify(value))
  // Text from the beginning, so that `__proto__` is a key like any other.
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(fc.tuple(key, tie('tree')), { maxLength: 4 })
        .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
    ),
  }))
  const sections = fc.dictionary(
    fc.constantFrom('scopes', 'policies', 'limits', 'server', 'http', 'openapi', 'store', 'pool'),
    tree,
    { maxKeys: 4 },
  )
  fc.assert(
    fc.property(sections, (given) => {
      const body = Object.entries(given).map(([k, v]) => `${JSON.stringify(k)}:${v}`)
      const source = `{${[...body, `"tokens":[{"name":"n","secret":${JSON.stringify(secret)}}]`].join(',')}}`
      try {
        parseSettings(source, 'codeferry.json', { env: {}, cwd: '/' })
        expect.unreachable('the secret is a fault')
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(CodedError)
        expect((thrown as CodedError).message).not.toContain(secret)
        expect((thrown as CodedError).message).toContain('tokens[0].secret')
      }
    }),
    { numRuns: 150 },
  )
})
