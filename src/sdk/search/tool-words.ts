import { isRecord } from '../../data/json.ts'
import type { SdkTool } from '../sdk-view.ts'
import { splitWords } from './split-words.ts'
import { stemOf } from './stem.ts'

/** Where a word of a tool stands. How much each place counts is the ranker's business. */
export const TOOL_FIELDS = [
  'name',
  'namespace',
  'title',
  'summary',
  'description',
  'parameters',
  'parameterTexts',
  'enums',
  'nested',
  'outputs',
] as const
export type ToolField = (typeof TOOL_FIELDS)[number]
/** Stems of each field, in order. */
export type ToolWords = Readonly<Record<ToolField, readonly string[]>>

// Of each field no more is read: owners write what they like, and an index is held as long as its view.
const MAX_FIELD_CHARS = 4_000
const MAX_NODES = 400
const MAX_DEPTH = 6
const MAX_ENUM_VALUES = 40

// Definitions are frozen when they are registered; a view that changes by one tool reads that one only.
const wordsByTool = new WeakMap<SdkTool, ToolWords>()

export function wordsOfTool(tool: SdkTool): ToolWords {
  let words = wordsByTool.get(tool)
  if (words === undefined) {
    words = readTool(tool)
    wordsByTool.set(tool, words)
  }
  return words
}

function readTool(tool: SdkTool): ToolWords {
  const member = tool.namespace === undefined ? tool.name : tool.name.slice(tool.namespace.length + 1)
  const summaryEnd = endOfSummary(tool.description)
  const args = createSchemaTexts()
  args.read(tool.parameters, 0, 'top')
  const result = createSchemaTexts()
  if (tool.output.schema !== undefined) result.read(tool.output.schema, 0, 'top')
  const nameWords = stemsOf(member)
  return {
    name: [...nameWords, ...joinedPairs(nameWords)],
    namespace: stemsOf(tool.namespace ?? ''),
    title: stemsOf(tool.title ?? ''),
    summary: stemsOf(tool.description.slice(0, summaryEnd)),
    description: stemsOf(tool.description.slice(summaryEnd, MAX_FIELD_CHARS)),
    parameters: stemsOf(args.texts.top.join(' ')),
    parameterTexts: stemsOf(args.texts.descriptions.join(' ')),
    enums: stemsOf(args.texts.enums.join(' ')),
    nested: stemsOf(args.texts.nested.join(' ')),
    outputs: stemsOf([...result.texts.top, ...result.texts.nested, ...result.texts.descriptions].join(' ')),
  }
}

function stemsOf(text: string): string[] {
  return splitWords(text.slice(0, MAX_FIELD_CHARS)).map(knownStem)
}

// Catalogs say the same few thousand words again and again.
const MAX_KNOWN_STEMS = 20_000
const stemByWord = new Map<string, string>()

function knownStem(word: string): string {
  let stem = stemByWord.get(word)
  if (stem === undefined) {
    stem = stemOf(word)
    if (stemByWord.size >= MAX_KNOWN_STEMS) stemByWord.clear()
    stemByWord.set(word, stem)
  }
  return stem
}

/** `screen_shot` is also found as `screenshot`. */
function joinedPairs(stems: readonly string[]): string[] {
  return stems.slice(1).map((stem, at) => `${stems[at]}${stem}`)
}

/** The first sentence or line says what a tool is for; what follows says how, and names other tools. */
function endOfSummary(description: string): number {
  const ends = ['. ', '.\n', '\n'].map((end) => description.indexOf(end)).filter((at) => at > 0)
  return Math.min(MAX_FIELD_CHARS, ...ends, description.length)
}

interface SchemaTexts {
  readonly top: string[]
  readonly nested: string[]
  readonly descriptions: string[]
  readonly enums: string[]
}

/** Walks what schemas are made of, references left alone, until so many nodes are seen. */
function createSchemaTexts() {
  const texts: SchemaTexts = { top: [], nested: [], descriptions: [], enums: [] }
  let left = MAX_NODES

  function read(schema: unknown, depth: number, level: 'top' | 'nested'): void {
    if (!isRecord(schema) || depth > MAX_DEPTH || left <= 0) return
    left -= 1
    // The root's own description is the tool's, as authors repeat it.
    if (depth > 0 && typeof schema['description'] === 'string') texts.descriptions.push(schema['description'])
    if (Array.isArray(schema['enum'])) {
      texts.enums.push(...schema['enum'].slice(0, MAX_ENUM_VALUES).filter((value) => typeof value === 'string'))
    }
    if (typeof schema['const'] === 'string') texts.enums.push(schema['const'])
    if (isRecord(schema['properties'])) {
      for (const [key, property] of Object.entries(schema['properties'])) {
        if (left <= 0) return
        texts[level].push(key)
        read(property, depth + 1, 'nested')
      }
    }
    for (const keyword of ['items', 'additionalProperties']) read(schema[keyword], depth + 1, 'nested')
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
      const parts = schema[keyword]
      // At the root the parts are the same arguments said in another way.
      if (Array.isArray(parts)) for (const part of parts.slice(0, MAX_NODES)) read(part, depth + 1, level)
    }
  }

  return { texts, read }
}
