import { define, HIDDEN } from './primordials.ts'
import { atob, btoa, DOMException, TextDecoder, TextEncoder } from './web/encoding.ts'
import { AbortController, AbortSignal, Event, EventTarget, setLater } from './web/events.ts'
import { structuredClone } from './web/structured-clone.ts'
import { URL, URLSearchParams } from './web/url.ts'

/** Classes and functions of the web platform that programs expect of every host. */
const WEB = {
  AbortController,
  AbortSignal,
  DOMException,
  Event,
  EventTarget,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  structuredClone,
} as const

export function installWeb(global: object): void {
  const names = Object.keys(WEB) as (keyof typeof WEB)[]
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as keyof typeof WEB
    // The bundler may have renamed a class that mentions itself.
    define(WEB[name], 'name', name, { configurable: true })
    define(global, name, WEB[name], HIDDEN)
  }
  const { queueMicrotask } = global as { queueMicrotask: (callback: () => void) => void }
  setLater(queueMicrotask)
}
