import type { Engine } from '../../engine.ts'

export interface EngineLease extends Disposable {
  readonly engine: Engine
}

/** Who still works with which engine: after a reload the old one may go when nobody does. */
export interface EngineLeases {
  /** The engine of this moment, held until disposed. */
  take(): EngineLease
  /** Resolves when nothing that was begun with `engine` is under way. */
  drained(engine: Engine): Promise<void>
}

export function createEngineLeases(engine: () => Engine): EngineLeases {
  const countByEngine = new Map<Engine, number>()
  const waitersByEngine = new Map<Engine, (() => void)[]>()

  function giveBack(held: Engine): void {
    const count = (countByEngine.get(held) ?? 1) - 1
    if (count > 0) return void countByEngine.set(held, count)
    countByEngine.delete(held)
    const waiters = waitersByEngine.get(held) ?? []
    waitersByEngine.delete(held)
    for (const resolve of waiters) resolve()
  }

  return {
    take() {
      const held = engine()
      countByEngine.set(held, (countByEngine.get(held) ?? 0) + 1)
      let isHeld = true
      return {
        engine: held,
        [Symbol.dispose]() {
          if (isHeld) giveBack(held)
          isHeld = false
        },
      }
    },
    drained(held) {
      if (!countByEngine.has(held)) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waitersByEngine.set(held, [...(waitersByEngine.get(held) ?? []), resolve])
      return promise
    },
  }
}
