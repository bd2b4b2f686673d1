import { expect, test } from 'vitest'
import { unmatchedRules } from '../../src/settings/unmatched-rules.ts'
import { settingsOf } from './sample-settings.ts'

const TOOLS = ['files.read', 'files.write', 'now']
const guard = (tools: string | string[]) => ({ policies: { guards: [{ tools, reason: 'r' }] } })

test.each<[string, Record<string, unknown>]>([
  ['names and patterns that tools have', guard(['files.read', 'files.*', '*', 'now', 'run_code'])],
  ['no names', { policies: { redact: [{}], spill: {} }, scopes: { a: {} } }],
  [
    'names of a server that gave no tools',
    { mcpServers: { git: { command: 'x' } }, ...guard(['git.push', 'git.*']), scopes: { a: { servers: [] } } },
  ],
])('nothing is said of %s', (_what, content) => {
  expect(unmatchedRules(settingsOf(content), TOOLS)).toEqual([])
})

test('a name that no tool has is told with its place and the nearest names', () => {
  const settings = settingsOf({
    policies: {
      ...guard(['files.raed']).policies,
      timeouts: [{ tools: 'file.*', timeoutMs: 1 }],
      annotations: { distrust: 'zzz' },
    },
    scopes: { a: { restrictions: { deny: ['nwo'] }, tiers: { 'files.wirte': 'code' } } },
  })
  expect(unmatchedRules(settings, TOOLS)).toEqual([
    'policies.guards[0]: no tool has the name "files.raed" now; the rule applies when one appears. Did you mean "files.read" or "files.write"?',
    'policies.timeouts[0]: no tool has the name "file.*" now; the rule applies when one appears. Did you mean "files.*"?',
    'policies.annotations.distrust: no tool has the name "zzz" now; the rule applies when one appears.',
    'scopes.a: no tool has the name "nwo" now; the rule applies when one appears. Did you mean "now"?',
    'scopes.a.tiers: no tool has the name "files.wirte" now; the rule applies when one appears. Did you mean "files.write" or "files.read"?',
  ])
})
