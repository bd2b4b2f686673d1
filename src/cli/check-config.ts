import { CodedError } from '../data/failure.ts'
import { connectMcpServers, type McpConnections } from '../importers/mcp.ts'
import { importSources, type ImportedSources } from '../settings/import-sources.ts'
import type { Settings } from '../settings/settings.ts'
import { unmatchedRules } from '../settings/unmatched-rules.ts'
import type { Io } from './io.ts'
import { DEFAULT_CONFIG, findSettings } from './tool-sources.ts'
import { VERSION } from './version.ts'

/** One line of what `doctor` says. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do, when it is not OK. */
  readonly advice?: string
}

/** The configuration that the other commands would use, with its servers started once; nothing when there is none. */
export async function checkConfig(given: string | undefined, io: Io): Promise<readonly Check[]> {
  try {
    const settings = findSettings(given === undefined ? {} : { config: given }, io)
    if (settings === undefined) return []
    const detail = [
      `${settings.path}: ${counted(settings.servers.length, 'server')}`,
      ...(settings.openapi.length > 0 ? [counted(settings.openapi.length, 'API')] : []),
      ...(settings.http.length > 0 ? [counted(settings.http.length, 'HTTP tool')] : []),
      ...(settings.scopes.size > 0 ? [counted(settings.scopes.size, 'scope')] : []),
    ].join(', ')
    await using connections = await connectMcpServers(settings.servers, { clientVersion: VERSION })
    await using imported = await importSources(settings, { env: io.env })
    const tools = [...connections.tools(), ...imported.tools].map(({ name }) => name)
    return [
      { name: 'config', ok: true, detail },
      ...checkServers(settings, connections),
      ...checkApis(settings, imported),
      ...unmatchedRules(settings, tools).map((message) => ({ name: 'config note', ok: true, detail: message })),
    ]
  } catch (thrown) {
    if (!(thrown instanceof CodedError)) throw thrown
    const isNamed = given !== undefined || thrown.message.startsWith(DEFAULT_CONFIG)
    return [{ name: 'config', ok: false, detail: isNamed ? thrown.message : `${DEFAULT_CONFIG}: ${thrown.message}` }]
  }
}

function checkServers(settings: Settings, connections: McpConnections): readonly Check[] {
  const described = settings.problems.map(({ server, message, isLeftOut }) => ({
    name: server === undefined ? 'config note' : `server ${server}`,
    ok: isLeftOut !== true,
    detail: message,
  }))
  const started = connections.servers.map((status) => {
    const told = connections.problems.filter(({ server }) => server === status.name).map(({ message }) => message)
    const tools = `${counted(status.tools, 'tool')}${status.server === undefined ? '' : ` (${status.server.name} ${status.server.version})`}`
    return {
      name: `server ${status.name}`,
      ok: status.started,
      detail: [...(status.started ? [tools] : []), ...told].join('; '),
    }
  })
  return [...described, ...started]
}

function checkApis(settings: Settings, imported: ImportedSources): readonly Check[] {
  const toldOf = (name: string, of: 'openapi' | 'http') =>
    imported.problems.filter(({ server, kind }) => server === name && kind === of)
  const apis = imported.apis.map(({ name, tools }) => {
    const told = toldOf(name, 'openapi')
    const isLeftOut = told.some((problem) => problem.isLeftOut === true)
    const messages = told.map(({ message }) => message)
    return {
      name: `API ${name}`,
      ok: !isLeftOut,
      detail: [...(isLeftOut ? [] : [counted(tools, 'tool')]), ...messages].join('; '),
    }
  })
  const names = [...new Set(settings.http.map(({ name }) => name))]
  const single = names.flatMap((name): readonly Check[] => {
    const told = toldOf(name, 'http')
    if (told.length === 0) return []
    const ok = told.every(({ isLeftOut }) => isLeftOut !== true)
    return [{ name: `HTTP tool ${name}`, ok, detail: told.map(({ message }) => message).join('; ') }]
  })
  return [...apis, ...single]
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
