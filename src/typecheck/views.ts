import { createHash } from 'node:crypto'
import { renderCheckerSdk } from '../sdk/render-checker.ts'
import type { SdkNames, SdkView } from '../sdk/sdk-view.ts'
import { ROOT } from './compiler-files.ts'

/** How many programs one state of a project can hold. */
export const SLOTS = 16

/** The declarations that programs of one view are checked against; equal texts share one project of the compiler. */
export interface CheckedView {
  readonly hash: string
  readonly sdkText: string
}

const checkedByView = new WeakMap<SdkView, { readonly names: SdkNames; readonly checked: CheckedView }>()

export function checkedViewOf(view: SdkView, names: SdkNames): CheckedView {
  const known = checkedByView.get(view)
  if (known?.names === names) return known.checked
  const sdkText = renderCheckerSdk(view, names)
  const checked = { hash: createHash('sha256').update(sdkText).digest('hex').slice(0, 32), sdkText }
  checkedByView.set(view, { names, checked })
  return checked
}

export function folderOf(hash: string): string {
  return `${ROOT}/${hash}`
}
export function slotPath(hash: string, slot: number): string {
  return `${folderOf(hash)}/program-${slot}.ts`
}
export function sdkPath(hash: string): string {
  return `${folderOf(hash)}/sdk.d.ts`
}
export function preludePath(hash: string): string {
  return `${folderOf(hash)}/prelude.d.ts`
}
export function configPath(hash: string): string {
  return `${folderOf(hash)}/tsconfig.json`
}

/** Text of a slot nobody uses. */
export const EMPTY_SLOT = 'export {}\n'

/**
 * Options under which a correct program is never refused for style. `strict` with implicit `any` allowed to be reported
 * (and then ignored) lets arrays that start empty grow a type; without it they would be `never[]`.
 */
export const CONFIG_TEXT = JSON.stringify({
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    lib: ['esnext'],
    types: [],
    noEmit: true,
    strict: true,
    useUnknownInCatchVariables: false,
    strictPropertyInitialization: false,
    experimentalDecorators: false,
    allowUnreachableCode: true,
    allowUnusedLabels: true,
    noErrorTruncation: true,
    skipLibCheck: true,
    skipDefaultLibCheck: true,
  },
  files: ['prelude.d.ts', 'sdk.d.ts', ...Array.from({ length: SLOTS }, (_, slot) => `program-${slot}.ts`)],
})
