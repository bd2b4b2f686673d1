/**
 * What every call goes through, in this order. `approval` only when a policy asked, `admit` and `around` only when
 * somebody takes part; `around` to `render` once more for each retry; a refusal goes from its stage to `post` (where
 * the failure table says so), and every outcome to `finalize` and `observe`.
 */
export const STAGES = [
  'create',
  'mode',
  'pre',
  'approval',
  'guards',
  'admit',
  'around',
  'body',
  'value',
  'render',
  'post',
  'finalize',
  'observe',
] as const

export type Stage = (typeof STAGES)[number]
