/** JSON values as plain data. Nothing here checks anything: `snapshot.ts` makes values that are known to be JSON. */
export type JsonScalar = null | boolean | number | string
export type Json = JsonScalar | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** True for a non-null, non-array object. Says nothing about what is inside. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** End of an exhaustive switch: does not compile while a case is missing. */
export function assertNever(value: never): never {
  throw new TypeError(`unreachable case: ${String(value)}`)
}
