import { posix, win32 } from 'node:path'

export interface Place {
  /** Whose file it is, as people call the client. */
  readonly client: string
  readonly path: string
}

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** Where clients keep their MCP servers on this platform: the project's own first, then the user's. */
export function usualPlaces({ platform, env, cwd }: Surroundings): readonly Place[] {
  const isWindows = platform === 'win32'
  const { join } = isWindows ? win32 : posix
  const home = isWindows ? (env.USERPROFILE ?? env.HOME) : env.HOME
  const project: Place[] = [
    { client: 'Claude Code (project)', path: join(cwd, '.mcp.json') },
    { client: 'Cursor (project)', path: join(cwd, '.cursor', 'mcp.json') },
    { client: 'VS Code (workspace)', path: join(cwd, '.vscode', 'mcp.json') },
    { client: 'MCP servers', path: join(cwd, 'mcp.json') },
  ]
  if (home === undefined || home === '') return project
  const settings = settingsFolder(platform, env, home)
  return [
    ...project,
    { client: 'Claude Desktop', path: join(settings, 'Claude', 'claude_desktop_config.json') },
    { client: 'Cursor', path: join(home, '.cursor', 'mcp.json') },
    { client: 'VS Code', path: join(settings, 'Code', 'User', 'mcp.json') },
    { client: 'Windsurf', path: join(home, '.codeium', 'windsurf', 'mcp_config.json') },
    { client: 'Claude Code', path: join(home, '.claude.json') },
  ]
}

/** Where applications keep what is theirs and the user's. */
function settingsFolder(platform: NodeJS.Platform, env: Surroundings['env'], home: string): string {
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA ?? win32.join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME ?? posix.join(home, '.config')
}
