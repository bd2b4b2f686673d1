import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder with files whose contents differ at every run, and the `mcpServers` file of three public servers over it. */
export interface Workspace {
  readonly folder: string
  readonly configFile: string
  readonly databaseFile: string
  /** What the config file's `${DEMO_MEMORY_FILE}` stands for: each pass of the demo remembers for itself. */
  memoryFile(pass: string): string
}

const SHOPS = ['bergen', 'lisbon', 'oslo', 'porto', 'riga']

export async function createWorkspace(): Promise<Workspace> {
  // The real path: servers compare paths after resolving links.
  const base = await realpath(await mkdtemp(join(tmpdir(), 'codeferry-demo-')))
  const folder = join(base, 'sales')
  await mkdir(folder)
  await Promise.all(SHOPS.map((shop) => writeFile(join(folder, `${shop}.csv`), randomSales())))
  const configFile = join(base, 'mcp.json')
  await writeFile(configFile, JSON.stringify(serversOver(folder), null, 2))
  return {
    folder,
    configFile,
    databaseFile: join(base, 'session.sqlite'),
    memoryFile: (pass) => join(base, `memory-${pass}.jsonl`),
  }
}

function randomSales(): string {
  const rows = Array.from(
    { length: randomInt(5, 40) },
    (_, index) => `${index + 1},item-${randomInt(100)},${(randomInt(100, 50_000) / 100).toFixed(2)}`,
  )
  return ['order,item,amount', ...rows, ''].join('\n')
}

/** Public servers from npm, started by the Node that runs this demo. */
function serversOver(folder: string) {
  const server = (name: string, args: readonly string[] = []) => ({
    command: process.execPath,
    args: [
      join(import.meta.dirname, '../node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'),
      ...args,
    ],
  })
  return {
    mcpServers: {
      filesystem: server('filesystem', [folder]),
      memory: { ...server('memory'), env: { MEMORY_FILE_PATH: '${DEMO_MEMORY_FILE}' } },
      everything: server('everything', ['stdio']),
    },
  }
}
