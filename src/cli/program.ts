import { Command, InvalidArgumentError, Option } from 'commander'
import { EXIT_HELP } from './exit-codes.ts'
import type { Io } from './io.ts'
import { VERSION } from './version.ts'

/** What a command gives back is the exit code. Commands are loaded when they are used: `--help` needs no sandbox. */
export function createProgram(
  io: Io,
  setExitCode: (code: number) => void,
  { isQuiet }: { readonly isQuiet: boolean } = { isQuiet: false },
): Command {
  const program = new Command('codeferry')
    .description(
      'Runs model-written TypeScript programs that call your tools, in a sandbox and through a policy pipeline.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help shows how)')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void (isQuiet || io.stderr.write(text)),
    })
  const act =
    <A extends unknown[]>(command: (...args: A) => Promise<number>) =>
    async (...args: A): Promise<void> =>
      setExitCode(await command(...args))

  withHelp(program.command('run'), [
    'codeferry run program.ts --config .mcp.json',
    "echo 'return 6 * 7' | codeferry run - --json",
    'codeferry run program.ts --mock tools.json --db sessions.sqlite',
  ])
    .description('run one program and show its result, its output and the calls it made')
    .argument('<program>', 'path of a program, or - for stdin')
    .addOption(configOption())
    .addOption(mockOption())
    .option('--db <file>', 'keep the session in this SQLite file')
    .option('--session <id>', 'go on with this session of the file, or begin it under this id')
    .option('--scope <name>', 'scope of codeferry.json to run in, or that the session of --db belongs to', scopeName)
    .option('--timeout <ms>', 'most time the program may take', positiveInteger)
    .addOption(confinementOption())
    .addOption(
      new Option(
        '--typecheck <mode>',
        'what a type error does: refuse the program, be noticed, or not be looked for (default: as configured, else error)',
      ).choices(['error', 'notice', 'off']),
    )
    .option('--cards', 'show each call as a card too')
    .option('--json', 'print one JSON document')
    .action(act(async (path: string, options) => (await import('./commands/run.ts')).runCommand(path, options, io)))

  withHelp(program.command('tools'), ['codeferry tools --config .mcp.json', 'codeferry tools --mock tools.json --json'])
    .description('list the tools a program could call')
    .addOption(configOption())
    .addOption(mockOption())
    .addOption(scopeOption())
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/tools.ts')).toolsCommand(options, io)))

  withHelp(program.command('sdk'), [
    'codeferry sdk --config .mcp.json',
    'codeferry sdk --catalog tools.json --level L4',
    'codeferry sdk --catalog tools.json --style interfaces > tools.d.ts',
    "codeferry sdk --config .mcp.json --search 'open issues'",
    'codeferry sdk --config .mcp.json --stats',
  ])
    .description('print the SDK text that a model is given')
    .addOption(configOption())
    .addOption(scopeOption())
    .addOption(mockOption().conflicts('catalog'))
    .option('--catalog <file>', 'tools as an MCP server lists them: an array, or an object with "tools"')
    .addOption(new Option('--level <level>', 'how much of each tool is shown').choices(['L0', 'L1', 'L2', 'L3', 'L4']))
    .option('--budget <tokens>', 'most tokens (of four characters) of the text', positiveInteger)
    .addOption(
      new Option('--style <style>', 'for a model that writes programs, for people and editors, or tools as plain JSON')
        .choices(['model', 'interfaces', 'json'])
        .default('model'),
    )
    .option('--search <query>', 'only the tools that fit these words, best first')
    .option('--stats', 'print what the text costs in tokens, not the text')
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/sdk.ts')).sdkCommand(options, io)))

  withHelp(program.command('log'), [
    'codeferry log sessions.sqlite',
    'codeferry log sessions.sqlite --session session-1',
    'codeferry log sessions.sqlite --session session-1 --replay',
  ])
    .description('show the sessions of a database, or the events and calls of one')
    .argument('<db>', 'SQLite file that run --db wrote')
    .option('--session <id>', 'the session to show')
    .option('--replay', 'show the calls as cards, from the log alone, as run --cards did')
    .option('--json', 'print one JSON document')
    .action(act(async (path: string, options) => (await import('./commands/log.ts')).logCommand(path, options, io)))

  withHelp(program.command('mcp'), [
    'codeferry mcp --config upstream.json',
    'codeferry mcp --config upstream.json --mode both',
  ])
    .description('serve run_code (and the tools) as an MCP server over stdio')
    .addOption(configOption())
    .addOption(mockOption())
    .addOption(scopeOption())
    .addOption(
      new Option('--mode <mode>', 'what the client is shown (default: as configured, else code)').choices([
        'code',
        'both',
        'native',
      ]),
    )
    .option('--db <file>', 'keep sessions in this SQLite file')
    .addOption(
      new Option(
        '--approve <how>',
        'who is asked when a call needs approval: the user of the client, or nobody (default: elicit)',
      ).choices(['elicit', 'never']),
    )
    .addOption(confinementOption())
    .action(act(async (options) => (await import('./commands/mcp.ts')).mcpCommand(options, io)))

  withHelp(program.command('serve'), [
    'codeferry serve',
    'codeferry serve --config codeferry.json --port 8080',
    'codeferry serve --mock tools.json --db sessions.sqlite',
  ])
    .description('serve the HTTP API until it is told to end (SIGTERM drains, SIGHUP reads the configuration anew)')
    .addOption(configOption())
    .addOption(mockOption())
    .option('--host <address>', 'where to listen (default: as configured, else 127.0.0.1)')
    .option('--port <n>', 'port, 0 for any free one (default: as configured, else 8765)', portNumber)
    .option('--db <file>', 'keep sessions in this SQLite file (default: as configured, else codeferry.sqlite)')
    .addOption(confinementOption())
    .option('--json', 'print one JSON document when it listens')
    .action(act(async (options) => (await import('./commands/serve.ts')).serveCommand(options, io)))

  const token = program.command('token').description('tokens of a service')
  withHelp(token.command('new'), [
    'codeferry token new laptop',
    'codeferry token new boss --may read approve',
    'codeferry token new agent --scope team-a --print',
  ])
    .description('make a token, show it once, and keep its hash beside the sessions of a service')
    .argument('<name>', 'how it is called in logs and approvals', scopeName)
    .option('--db <file>', 'SQLite file of the service', 'codeferry.sqlite')
    .option('--scope <name>', 'what it sees, and where its runs belong', scopeName, 'global')
    .addOption(
      new Option('--may <grant...>', 'what it may do')
        .choices(['run', 'call', 'read', 'approve', 'elicit'])
        .default(['run', 'call', 'read']),
    )
    .option('--print', 'keep nothing: print an entry for the "tokens" of a codeferry.json')
    .option('--json', 'print one JSON document')
    .action(
      act(async (name: string, options) => (await import('./commands/token.ts')).tokenNewCommand(name, options, io)),
    )

  withHelp(program.command('bench'), [
    'codeferry bench --config .mcp.json',
    'codeferry bench --mock tools.json --tool city.weather --args \'{"city":"Oslo"}\' --json',
  ])
    .description('measure calls of your tools from programs, against the same calls made natively')
    .addOption(configOption())
    .addOption(mockOption())
    .addOption(
      new Option(
        '--tool <name>',
        'call this one, whatever it does (may be repeated); default: all that say they are read-only',
      ).argParser((name: string, names: readonly string[] | undefined) => [...(names ?? []), name]),
    )
    .option('--args <json>', 'arguments for the one --tool, as a JSON object')
    .option('--calls <n>', 'calls of each kind and tool', positiveInteger, 200)
    .option('--seconds <n>', 'most time for one tool', positiveInteger, 10)
    .addOption(confinementOption())
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/bench.ts')).benchCommand(options, io)))

  withHelp(program.command('init'), [
    'codeferry init',
    'codeferry init --from ~/.cursor/mcp.json',
    'codeferry init --output ops/codeferry.json --force',
  ])
    .description('write a first codeferry.json from the MCP servers of another client')
    .option('--from <file>', 'that client’s file; default: the first that is found in the usual places')
    .option('--output <file>', 'where to write', 'codeferry.json')
    .option('--force', 'write over a file that is there')
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/init.ts')).initCommand(options, io)))

  withHelp(program.command('doctor'), ['codeferry doctor', 'codeferry doctor --config .mcp.json'])
    .description('check what is needed to run programs, and say what is missing')
    .addOption(configOption())
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/doctor.ts')).doctorCommand(options, io)))

  return program.addHelpText('after', exitHelp())
}

function configOption(): Option {
  return new Option(
    '--config <file>',
    'codeferry.json, or any client’s "mcpServers" or "servers" file (default: ./codeferry.json)',
  )
}
function scopeOption(): Option {
  return new Option('--scope <name>', 'what this scope of codeferry.json sees').argParser(scopeName)
}
function mockOption(): Option {
  return new Option('--mock <file>', 'tools that behave as this JSON file says')
}
function confinementOption(): Option {
  return new Option(
    '--require-confinement <level>',
    'weakest sandbox that is good enough (default: as configured, else basic)',
  ).choices(['none', 'basic', 'strong'])
}

function withHelp(command: Command, examples: readonly string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}\n${exitHelp()}`,
  )
}
function exitHelp(): string {
  return `\nExit codes:\n${EXIT_HELP.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n')}\n`
}

function scopeName(text: string): string {
  if (!/^[\w.-]{1,64}$/.test(text)) throw new InvalidArgumentError('It must be 1–64 letters, digits, "_", "-" or ".".')
  return text
}

function portNumber(text: string): number {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return value
}

function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1)
    throw new InvalidArgumentError('It must be a whole number above 0.')
  return value
}
