import { expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { createRig, tool } from './rig.ts'

test('the listener hears of each success, with the value that the caller gets, and of no failure', async () => {
  const heard: (readonly [string, Json])[] = []
  const rig = createRig({ onSuccess: ({ toolName }, value) => void heard.push([toolName, value]) })
  rig.registry.register(tool({ name: 'good', execute: () => ({ secret: 1 }) }))
  rig.registry.register(
    tool({
      name: 'bad',
      execute: () => {
        throw new Error('no')
      },
    }),
  )
  rig.runtime.use({ name: 'redact', post: () => ({ decision: 'replace-value', value: 'redacted' }) })
  await rig.call('good')
  await rig.call('bad')
  await rig.call('missing')
  expect(heard).toEqual([['good', 'redacted']])
})

test('a listener that throws changes nothing and is reported', async () => {
  const rig = createRig({
    onSuccess() {
      throw new Error('listener down')
    },
  })
  rig.registry.register(tool({ name: 't', execute: () => 1 }))
  expect(await rig.call('t')).toMatchObject({ isError: false, value: 1 })
  expect(rig.diagnostics).toMatchObject([{ code: 'OBSERVER_FAILED', message: 'an observer threw: listener down' }])
})
