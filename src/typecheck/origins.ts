import { preludePath, sdkPath } from './views.ts'
import type { FileQuestions, TypeFact } from './compiler-session.ts'

/**
 * Where a type comes from. `declared`: the SDK or the language says what it has, so a name it has not is a mistake.
 * `loose`: the program's own objects, which grow as it runs, and everything that is not known.
 */
export type Origin = 'declared' | 'loose'

const FLAG = { nullish: 28, object: 1 << 20, union: 1 << 27 } as const
const PRIMITIVES: readonly (readonly [flag: number, name: string])[] = [
  [32 | 1024, 'String'],
  [64 | 2048, 'Number'],
  [128 | 4096, 'BigInt'],
  [256 | 8192, 'Boolean'],
]
const MAX_MEMBERS = 40

/** Whether `name` is certainly missing on the type. */
export async function isMissingFrom(ask: FileQuestions, type: TypeFact, name: string, hash: string): Promise<Origin> {
  if (isUnion(type)) {
    const members = (await ask.membersOf(type)).filter(({ flags }) => (flags & FLAG.nullish) === 0)
    if (members.length === 0 || members.length > MAX_MEMBERS) return 'loose'
    for (const member of members) {
      // One of several may be meant, and a program need not tell TypeScript which.
      if ((await ask.propertiesOf(member)).includes(name)) return 'loose'
      if ((await isMissingFrom(ask, member, name, hash)) === 'loose') return 'loose'
    }
    return 'declared'
  }
  const primitive = PRIMITIVES.find(([flag]) => (type.flags & flag) !== 0)
  if (primitive !== undefined) return hasAtRunTime(primitive[1], name) ? 'loose' : 'declared'
  if ((type.flags & FLAG.object) === 0) return 'loose'
  const symbol = await ask.symbolOf(type)
  if (symbol === undefined || symbol.files.length === 0) return 'loose'
  if (symbol.files.every((file) => file === sdkPath(hash) || file === preludePath(hash))) return 'declared'
  if (!symbol.files.every((file) => /\/lib[\w.]*\.d\.ts$/.test(file))) return 'loose'
  return LANGUAGE_TYPES.has(symbol.name) && !hasAtRunTime(symbol.name, name) ? 'declared' : 'loose'
}

export function isUnion(type: TypeFact): boolean {
  return (type.flags & FLAG.union) !== 0
}

/** Errors and functions are left out: programs hang things on them. */
const LANGUAGE_TYPES: ReadonlySet<string> = new Set([
  'Array',
  'ReadonlyArray',
  'Promise',
  'Map',
  'Set',
  'Date',
  'String',
  'Number',
  'Boolean',
  'JSON',
  'Math',
])

/** The declarations of the language may be older than the engine that runs the program. */
function hasAtRunTime(type: string, name: string): boolean {
  const own: unknown = Reflect.get(globalThis, type === 'ReadonlyArray' ? 'Array' : type)
  if (typeof own === 'object' && own !== null) return name in own
  return (
    typeof own === 'function' && typeof own.prototype === 'object' && own.prototype !== null && name in own.prototype
  )
}
