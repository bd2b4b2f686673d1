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
    .option('--scope <name>', 'scope that the session of the file belongs to', scopeName)
    .option('--timeout <ms>', 'most time the program may take', positiveInteger)
    .addOption(confinementOption())
    .addOption(
      new Option('--typecheck <mode>', 'what a type error does: refuse the program, be noticed, or not be looked for')
        .choices(['error', 'notice', 'off'])
        .default('error'),
    )
    .option('--cards', 'show each call as a card too')
    .option('--json', 'print one JSON document')
    .action(act(async (path: string, options) => (await import('./commands/run.ts')).runCommand(path, options, io)))

  withHelp(program.command('tools'), ['codeferry tools --config .mcp.json', 'codeferry tools --mock tools.json --json'])
    .description('list the tools a program could call')
    .addOption(configOption())
    .addOption(mockOption())
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/tools.ts')).toolsCommand(options, io)))

  withHelp(program.command('sdk'), [
    'codeferry sdk --config .mcp.json',
    'codeferry sdk --catalog tools.json --level L4',
  ])
    .description('print the SDK text that a model is given')
    .addOption(configOption())
    .addOption(mockOption().conflicts('catalog'))
    .option('--catalog <file>', 'tools as an MCP server lists them: an array, or an object with "tools"')
    .addOption(new Option('--level <level>', 'how much of each tool is shown').choices(['L0', 'L1', 'L2', 'L3', 'L4']))
    .option('--budget <tokens>', 'most tokens (of four characters) of the text', positiveInteger)
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
    .addOption(
      new Option('--mode <mode>', 'what the client is shown').choices(['code', 'both', 'native']).default('code'),
    )
    .option('--db <file>', 'keep sessions in this SQLite file')
    .addOption(confinementOption())
    .action(act(async (options) => (await import('./commands/mcp.ts')).mcpCommand(options, io)))

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

  withHelp(program.command('doctor'), ['codeferry doctor', 'codeferry doctor --config .mcp.json'])
    .description('check what is needed to run programs, and say what is missing')
    .addOption(configOption())
    .option('--json', 'print one JSON document')
    .action(act(async (options) => (await import('./commands/doctor.ts')).doctorCommand(options, io)))

  return program.addHelpText('after', exitHelp())
}

function configOption(): Option {
  return new Option('--config <file>', 'MCP servers: any client’s "mcpServers" or "servers" file')
}
function mockOption(): Option {
  return new Option('--mock <file>', 'tools that behave as this JSON file says')
}
function confinementOption(): Option {
  return new Option('--require-confinement <level>', 'weakest sandbox that is good enough')
    .choices(['none', 'basic', 'strong'])
    .default('basic')
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

function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1)
    throw new InvalidArgumentError('It must be a whole number above 0.')
  return value
}
