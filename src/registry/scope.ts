/** Name of the global scope: what is registered there is inherited by every other scope. */
export const GLOBAL_SCOPE = 'global'

/** The reserved transport tool. No registration, restriction or program may name it. */
export const RUN_CODE = 'run_code'

/** Which entry the model has: tools directly, `run_code` only, or both. */
export type Mode = 'native' | 'code' | 'both'
