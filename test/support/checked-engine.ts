import { expect } from 'vitest'
import type { EngineOptions, EngineProblem } from '../../src/config.ts'
import { createEngine, type Engine } from '../../src/engine.ts'
import { openSqliteReader } from '../../src/session/sqlite-log.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'
import { expectSoundLogs } from './sound-logs.ts'

/**
 * An engine as users start it, with both invariant checkers on: of each call while it runs, and of every log it kept,
 * once it is disposed. A test about anything else fails too when the protocol was broken on the way.
 */
export async function createCheckedEngine(options: EngineOptions = {}): Promise<Engine> {
  const store = options.store ?? createMemoryStore({ now: Date.now })
  const problems: EngineProblem[] = []
  const engine = await createEngine({
    ...options,
    store,
    checkInvariants: true,
    onProblem(problem) {
      problems.push(problem)
      options.onProblem?.(problem)
    },
  })
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      if ('sqlite' in store) {
        using reader = openSqliteReader(store.sqlite)
        await expectSoundLogs(reader)
      } else await expectSoundLogs(store)
      expect(problems.filter(({ message }) => /^(INVARIANT_BROKEN|INTERNAL_FAULT)/.test(message))).toEqual([])
    },
  }
}
