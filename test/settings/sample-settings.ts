import { expect } from 'vitest'
import { CodedError } from '../../src/data/failure.ts'
import { parseSettings, type ReadSettingsOptions } from '../../src/settings/read-settings.ts'
import type { Settings } from '../../src/settings/settings.ts'

export const SECRET = 'a-secret-of-more-than-sixteen-characters'
const NOWHERE: ReadSettingsOptions = { env: {}, cwd: '/' }

export function settingsOf(content: unknown, options = NOWHERE): Settings {
  return parseSettings(typeof content === 'string' ? content : JSON.stringify(content), 'codeferry.json', options)
}

/** One line a fault. */
export function faultsOf(content: unknown, options = NOWHERE): readonly string[] {
  try {
    settingsOf(content, options)
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(CodedError)
    const { code, message, details } = thrown as CodedError
    expect(code).toBe('CONFIG_INVALID')
    const { problems } = details as { problems: string[] }
    for (const problem of problems) expect(message).toContain(problem)
    return problems
  }
  return []
}
