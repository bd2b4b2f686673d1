import { propertyKey, stringLiteral } from './safe-text.ts'
import { writeSdkText } from './sdk-text.ts'
import { callableTools, hasOwnFull } from './sdk-view.ts'
import type { SdkNames, SdkView } from './sdk-view.ts'

// A view never changes; every program of a session is checked against it.
const textByView = new WeakMap<SdkView, { readonly names: SdkNames; readonly text: string }>()

/**
 * The declarations a program is checked against, whatever part of them the model was shown: every signature, each tool
 * under its exact name too, and each namespace as a global of its own. Compiles together with `prelude.d.ts`.
 *
 * `tools[name]` with a computed name, and untyped parameters of callbacks, are no errors of a program: check with
 * `noImplicitAny: false` and `useUnknownInCatchVariables: false`.
 */
export function renderCheckerSdk(view: SdkView, names: SdkNames): string {
  const known = textByView.get(view)
  if (known?.names === names) return known.text
  const tools = callableTools(view, names)
  const members = writeSdkText(tools, {
    head: 'type SdkTools =',
    ownFull: hasOwnFull(tools),
    formOf: () => ({ kind: 'signature', docChars: 0, memberDocChars: 0, hints: false }),
  })
  const exact = tools
    .filter(({ tool, path }) => path.length > 1 || path[0] !== tool.name)
    .map(
      ({ tool, path }) =>
        ` ${propertyKey(tool.name)}: SdkTools${path.map((part) => `[${stringLiteral(part)}]`).join('')}`,
    )
  const namespaces = new Set(tools.flatMap(({ path }) => (path.length > 1 ? path.slice(0, 1) : [])))
  const globals = [...namespaces]
    .filter((name) => /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) && !TAKEN_GLOBALS.has(name))
    .map((name) => `declare const ${name}: SdkTools[${stringLiteral(name)}]`)
  const text = [`${members}declare const tools: SdkTools & {`, ...exact, '}', ...globals, ''].join('\n')
  textByView.set(view, { names, text })
  return text
}

/** Values of the library and the prelude, and words that name no variable: a namespace of that name has no global. */
const TAKEN_GLOBALS: ReadonlySet<string> = new Set(
  `
    AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array
    BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array
    Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise
    Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError
    Temporal TextDecoder TextEncoder ToolError TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array
    Uint8ClampedArray WeakMap WeakRef WeakSet artifacts atob btoa clearInterval clearTimeout console crypto decodeURI
    decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt
    performance progress queueMicrotask sdk setInterval setTimeout show structuredClone tools undefined unescape
    arguments await break case catch class const continue debugger default delete do else enum export extends false
    finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof var void while with yield
  `
    .trim()
    .split(/\s+/),
)
