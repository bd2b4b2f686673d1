import { readFileSync } from 'node:fs'
import { loadTemplates } from '../../src/sdk/templates.ts'
import type { UsageFacts } from '../../src/sdk/usage.ts'

export const TEMPLATES = loadTemplates((file) => readFileSync(file, 'utf8'))

export const FACTS: UsageFacts = {
  cpuMs: 10_000,
  wallMs: 120_000,
  memoryMb: 128,
  maxCalls: 1_000,
  maxConcurrentCalls: 16,
  maxContentBytes: 32 * 1024,
}
