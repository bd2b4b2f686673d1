/**
 * The main job, end to end: three public MCP servers over a temporary folder, one program that a model could have
 * written, run by `codeferry run`; then the same program once more through `codeferry mcp`, as an outside MCP client
 * would. `--program <file>` runs another program over the same servers; `--json` prints one JSON document.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createWorkspace, type Workspace } from './demo-workspace.ts'

const { values: options } = parseArgs({
  options: { program: { type: 'string' }, json: { type: 'boolean', default: false } },
})
const programFile = resolve(options.program ?? join(import.meta.dirname, 'programs/shop-report.ts'))
const cli = join(import.meta.dirname, '../src/cli/main.ts')
const say = (text: string) => {
  if (!options.json) console.log(text)
}

const program = await readFile(programFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
  console.error(`demo: cannot read the program ${programFile}: ${error.code}. Give --program the path of a file.`)
  process.exit(2)
})
const workspace = await createWorkspace()
say(`Three MCP servers (filesystem, memory, everything) over ${workspace.folder}`)
say(`Program: ${programFile}\n`)

say('── codeferry run ─────────────────────────────────────────────')
const direct = await runThroughCli(workspace)

say('\n── the same program through codeferry mcp, from the official MCP client ──')
const throughMcp = await runThroughMcp(workspace)
for (const block of throughMcp.content) say(block.type === 'text' ? block.text : `[${block.type} block]`)

say('\nThe session log of the first pass (every nested call, before and after):')
say(`  npm run -s cli -- log ${workspace.databaseFile}`)
if (options.json) console.log(JSON.stringify({ ...workspace, direct: direct.output, throughMcp }))
process.exitCode = direct.exitCode

/** Human output goes straight to the terminal, coloured if it is one; with `--json` the CLI's document is read. */
async function runThroughCli({ configFile, databaseFile, memoryFile }: Workspace) {
  const args = [
    cli,
    'run',
    programFile,
    '--config',
    configFile,
    '--db',
    databaseFile,
    ...(options.json ? ['--json'] : []),
  ]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, DEMO_MEMORY_FILE: memoryFile('direct') },
    stdio: ['ignore', options.json ? 'pipe' : 'inherit', 'inherit'],
  })
  const exited = new Promise<number>((settle) => child.on('close', (code) => settle(code ?? 1)))
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout ?? []) chunks.push(chunk as Buffer)
  const exitCode = await exited
  return { exitCode, output: options.json ? (JSON.parse(Buffer.concat(chunks).toString()) as unknown) : undefined }
}

async function runThroughMcp({ configFile, memoryFile }: Workspace) {
  const client = new Client({ name: 'codeferry-demo', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '--config', configFile],
      env: { ...(process.env as Record<string, string>), DEMO_MEMORY_FILE: memoryFile('mcp') }, // Set variables are strings.
      stderr: 'inherit',
    }),
  )
  try {
    const { tools } = await client.listTools()
    say(`tools/list: ${tools.map((tool) => tool.name).join(', ')}`)
    const result = await client.callTool({ name: 'run_code', arguments: { code: program } })
    return { content: result.content, structuredContent: result.structuredContent, isError: result.isError === true }
  } finally {
    await client.close()
  }
}
