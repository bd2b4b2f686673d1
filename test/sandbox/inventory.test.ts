import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()

/**
 * Every own name of the global object, and of the objects that the prelude made or changed. A new engine may bring
 * new ones: each is looked at before it is put on the list.
 */
test('E06 the globals of a program are exactly the documented ones', async () => {
  const { value } = await sandbox.run(`
    const names = (object) => Reflect.ownKeys(object).map(String).sort()
    return {
      globalThis: names(globalThis),
      console: names(console),
      sdk: names(sdk),
      artifacts: names(artifacts),
      crypto: names(crypto),
      performance: names(performance),
      ArrayBuffer: names(ArrayBuffer),
      'ArrayBuffer.prototype': names(ArrayBuffer.prototype),
      Date: names(Date),
      Error: names(Error),
      Intl: names(Intl),
      'Temporal.Now': names(Temporal.Now),
      'ToolError.prototype': names(ToolError.prototype),
      writable: names(globalThis).filter((name) => !Reflect.getOwnPropertyDescriptor(globalThis, name)?.writable),
    }`)
  const listed: unknown = JSON.parse(readFileSync(new URL('inventory.json', import.meta.url), 'utf8'))
  expect(value).toEqual(listed)
})
