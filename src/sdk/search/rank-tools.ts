import type { SdkTool } from '../sdk-view.ts'
import { createWordIndex } from '../word-index.ts'
import type { FieldWeight, WordIndex } from '../word-index.ts'
import { queryTerms } from './query-terms.ts'
import { TOOL_FIELDS, wordsOfTool } from './tool-words.ts'
import type { ToolField } from './tool-words.ts'

/** Ranks the tools of one view. The index is made at the first question. */
export interface ToolRanker {
  /** Places of the best tools, best first, ties in order of place. Empty when no word fits. */
  rank(query: string, limit: number): readonly number[]
}

const WEIGHTS: Readonly<Record<ToolField, FieldWeight>> = {
  name: { weight: 3, lengthPenalty: 0.3 },
  namespace: { weight: 0.5, lengthPenalty: 0 },
  title: { weight: 1.5, lengthPenalty: 0.3 },
  summary: { weight: 2, lengthPenalty: 0.5 },
  description: { weight: 0.8, lengthPenalty: 0.7 },
  parameters: { weight: 1, lengthPenalty: 0.6 },
  parameterTexts: { weight: 0.5, lengthPenalty: 0.7 },
  enums: { weight: 0.6, lengthPenalty: 0.6 },
  nested: { weight: 0.4, lengthPenalty: 0.7 },
  outputs: { weight: 0.3, lengthPenalty: 0.7 },
}

export function createToolRanker(tools: readonly SdkTool[]): ToolRanker {
  let index: WordIndex | undefined
  return {
    rank(query, limit) {
      const terms = queryTerms(query)
      if (terms.length === 0) return []
      index ??= indexOf(tools)
      return [...index.score(terms)]
        .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
        .slice(0, limit)
        .map(([place]) => place)
    },
  }
}

function indexOf(tools: readonly SdkTool[]): WordIndex {
  const documents = tools.map((tool) => {
    const words = wordsOfTool(tool)
    return TOOL_FIELDS.map((field) => words[field])
  })
  return createWordIndex(
    documents,
    TOOL_FIELDS.map((field) => WEIGHTS[field]),
  )
}
