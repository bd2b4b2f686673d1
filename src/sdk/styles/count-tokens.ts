export const TOKEN_ENCODING = 'o200k_base'

/**
 * Longest run of one kind of characters that the tokenizer is given whole. It looks for pairs in a run over and over: a
 * hundred thousand spaces would take it many seconds. No word of real text is this long, so real counts are exact.
 */
const MAX_RUN = 1_000
const LONG_RUNS = /[\p{L}\p{M}]{1000,}|\s{1000,}|[^\s\p{L}\p{M}\p{N}]{1000,}/gu
/** What looks like a special token is text like other text here. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

export type TokenCounter = (text: string) => number

/** A real tokenizer (`o200k_base`). Its tables take a fifth of a second to load, so they are loaded when they are asked for. */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  return (text) => {
    let tokens = 0
    let from = 0
    for (const { 0: run, index } of text.matchAll(LONG_RUNS)) {
      tokens += countTokens(text.slice(from, index), AS_TEXT)
      for (let at = 0; at < run.length; at += MAX_RUN) tokens += countTokens(run.slice(at, at + MAX_RUN), AS_TEXT)
      from = index + run.length
    }
    return tokens + countTokens(text.slice(from), AS_TEXT)
  }
}
