/** What a program may look for and not find, and what to do instead. The only home of this wording. */
interface Unavailable {
  readonly instead: string
  /** Refused before anything runs; otherwise the program starts, and hears of it when it gets there. */
  readonly isRefused: boolean
  /** Words in names of tools that may do the same. */
  readonly toolWords?: readonly string[]
}

const NETWORK = ['http', 'fetch', 'request', 'url', 'web', 'download']
const FILES = ['file', 'read', 'write', 'dir']

const NO_NETWORK = 'a program has no network of its own; call a tool that does it: await tools.<name>({ … })'
const NO_FILES = 'a program has no file system; call a tool that reads or writes: await tools.<name>({ … })'
const NO_PROCESS = 'a program has no process, arguments or environment; end it with return, or with throw for an error'
const NO_PAGE = 'a program runs in no browser; return the data instead'

const NAMES: ReadonlyMap<string, Unavailable> = new Map<string, Unavailable>([
  ['fetch', { instead: NO_NETWORK, isRefused: true, toolWords: NETWORK }],
  ['XMLHttpRequest', { instead: NO_NETWORK, isRefused: true, toolWords: NETWORK }],
  ['WebSocket', { instead: NO_NETWORK, isRefused: true, toolWords: NETWORK }],
  ['EventSource', { instead: NO_NETWORK, isRefused: true, toolWords: NETWORK }],
  ['axios', { instead: NO_NETWORK, isRefused: false, toolWords: NETWORK }],
  ['fs', { instead: NO_FILES, isRefused: true, toolWords: FILES }],
  ['process', { instead: NO_PROCESS, isRefused: true }],
  ['Deno', { instead: NO_PROCESS, isRefused: true }],
  ['Bun', { instead: NO_PROCESS, isRefused: true }],
  ['child_process', { instead: 'a program starts no processes; call a tool', isRefused: true }],
  ['importScripts', { instead: 'a program loads no other code; write it inline', isRefused: true }],
  ['require', { instead: 'a program has no modules; `tools` is a global', isRefused: false }],
  ['module', { instead: 'a program has no modules; end it with return', isRefused: false }],
  ['exports', { instead: 'a program has no modules; end it with return', isRefused: false }],
  ['__dirname', { instead: NO_FILES, isRefused: false }],
  ['__filename', { instead: NO_FILES, isRefused: false }],
  [
    'Buffer',
    {
      instead: 'use atob() and btoa() for base64, TextEncoder and TextDecoder for text, Uint8Array for bytes',
      isRefused: false,
    },
  ],
  ['global', { instead: 'use globalThis', isRefused: false }],
  ['window', { instead: NO_PAGE, isRefused: false }],
  ['document', { instead: NO_PAGE, isRefused: false }],
  ['navigator', { instead: NO_PAGE, isRefused: false }],
  ['alert', { instead: 'use console.log() or return the text', isRefused: false }],
  ['prompt', { instead: 'a program can ask nobody; return the question instead', isRefused: false }],
  ['confirm', { instead: 'a program can ask nobody; return the question instead', isRefused: false }],
  ['localStorage', { instead: 'nothing is kept between runs; return what is needed later', isRefused: false }],
  ['sessionStorage', { instead: 'nothing is kept between runs; return what is needed later', isRefused: false }],
  ['Worker', { instead: 'use Promise.all for calls that overlap', isRefused: false }],
  ['WebAssembly', { instead: 'write it in TypeScript', isRefused: false }],
  ['SharedArrayBuffer', { instead: 'use ArrayBuffer', isRefused: false }],
  ['Atomics', { instead: 'a program is a single thread; plain variables do', isRefused: false }],
  ['WeakRef', { instead: 'hold the object itself', isRefused: false }],
  ['FinalizationRegistry', { instead: 'clean up with try … finally or using', isRefused: false }],
  ['_', { instead: 'there is no lodash; use the methods of Array and Object', isRefused: false }],
  ['lodash', { instead: 'there is no lodash; use the methods of Array and Object', isRefused: false }],
  ['moment', { instead: 'use Date and Intl', isRefused: false }],
  ['dayjs', { instead: 'use Date and Intl', isRefused: false }],
  ['z', { instead: 'there is no zod; check values with plain code', isRefused: false }],
  ['print', { instead: 'use console.log()', isRefused: false }],
  ['True', { instead: 'this is TypeScript: true', isRefused: false }],
  ['False', { instead: 'this is TypeScript: false', isRefused: false }],
  ['None', { instead: 'this is TypeScript: null', isRefused: false }],
  ['len', { instead: 'this is TypeScript: value.length', isRefused: false }],
])

const MODULES: ReadonlyMap<string, Unavailable> = new Map<string, Unavailable>([
  ...['fs', 'fs/promises', 'fs-extra', 'path', 'os', 'glob'].map(
    (name) => [name, { instead: NO_FILES, isRefused: true, toolWords: FILES }] as const,
  ),
  ...['http', 'https', 'http2', 'net', 'undici', 'axios', 'node-fetch', 'got', 'ws', 'superagent'].map(
    (name) => [name, { instead: NO_NETWORK, isRefused: true, toolWords: NETWORK }] as const,
  ),
  ...['process', 'child_process', 'worker_threads', 'execa'].map(
    (name) => [name, { instead: NO_PROCESS, isRefused: true }] as const,
  ),
  ['crypto', { instead: 'the global crypto has randomUUID() and getRandomValues()', isRefused: true }],
  ['buffer', { instead: 'use atob(), btoa(), TextEncoder and TextDecoder', isRefused: true }],
  ['util', { instead: 'console.log prints objects in full; structuredClone copies them', isRefused: true }],
  ['url', { instead: 'URL and URLSearchParams are globals', isRefused: true }],
  ['timers/promises', { instead: 'write await new Promise((done) => setTimeout(done, ms))', isRefused: true }],
  ['zod', { instead: 'check values with plain code', isRefused: true }],
  ...['lodash', 'lodash-es', 'ramda', 'underscore'].map(
    (name) => [name, { instead: 'use the methods of Array and Object', isRefused: true }] as const,
  ),
  ...['moment', 'dayjs', 'date-fns', 'luxon'].map(
    (name) => [name, { instead: 'use Date and Intl', isRefused: true }] as const,
  ),
])

export function isRefusedName(name: string): boolean {
  return NAMES.get(name)?.isRefused === true
}

export function refusedNames(): readonly string[] {
  return [...NAMES.keys()].filter(isRefusedName)
}

/** What to use instead of a name; undefined when the name is none that programs are known to look for. */
export function insteadOfName(name: string, toolNames: readonly string[]): string | undefined {
  const found = NAMES.get(name)
  return found === undefined ? undefined : found.instead + suggestTools(found.toolWords, toolNames)
}

export function insteadOfModule(specifier: string, toolNames: readonly string[]): string {
  const found = MODULES.get(specifier.startsWith('node:') ? specifier.slice(5) : specifier)
  if (found === undefined) return '`tools` is a global, nothing has to be imported for it; write other code inline'
  return found.instead + suggestTools(found.toolWords, toolNames)
}

/** What a program has; told when it looks for something that nobody can guess. */
export const GLOBALS_SENTENCE =
  'A program has the language itself, tools, sdk, show, progress, artifacts, console, timers, URL, URLSearchParams, ' +
  'TextEncoder, TextDecoder, atob, btoa, structuredClone, crypto.randomUUID, AbortController, performance.now and Intl.'

function suggestTools(words: readonly string[] | undefined, toolNames: readonly string[]): string {
  if (words === undefined) return ''
  const fitting = toolNames.filter((name) => words.some((word) => name.toLowerCase().includes(word))).slice(0, 3)
  return fitting.length === 0 ? '' : ` (here, perhaps: ${fitting.join(', ')})`
}
