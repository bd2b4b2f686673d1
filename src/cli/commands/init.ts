import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { CodedError, hasCode, thrownMessage } from '../../data/failure.ts'
import { isRecord } from '../../data/json.ts'
import { readConfigFile } from '../../importers/config-file.ts'
import { describedServers, parseConfigText } from '../../importers/mcp-config.ts'
import { printableLine } from '../../importers/printable.ts'
import { parseSettings, readSettings } from '../../settings/read-settings.ts'
import { EXIT } from '../exit-codes.ts'
import { firstSettings } from '../init/first-settings.ts'
import { SecretHider, type Hidden } from '../init/hide-secrets.ts'
import { usualPlaces, type Place } from '../init/usual-places.ts'
import { safe, warn, writeJson, type Io } from '../io.ts'

export interface InitCommandOptions {
  readonly from?: string
  readonly output: string
  readonly force?: boolean
  readonly json?: boolean
}

interface Found {
  readonly from?: string
  readonly servers: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  readonly notes: readonly string[]
}

/** What `readServerEntry` understands. Other clients' further keys would only be carried along, with whatever they hold. */
const SERVER_FIELDS = new Set(
  (
    'command args env cwd envFile url serverUrl headers type transport disabled enabled textResults exclusive ' +
    'connectTimeoutMs requestTimeoutMs disabledTools'
  ).split(' '),
)

/** Writes a first `codeferry.json` from another client's servers. A secret in that file is not copied. */
export async function initCommand(options: InitCommandOptions, io: Io): Promise<number> {
  const output = resolve(io.cwd, options.output)
  if (options.force !== true && existsSync(output)) throw alreadyThere(options.output)
  const found = options.from === undefined ? searchPlaces(io) : readServers(options.from, io)
  const hider = new SecretHider()
  const servers = new Map([...found.servers].map(([name, described]) => [name, hider.hide(name, described)]))
  const variables = [...new Set([...hider.hidden.map(({ variable }) => variable), ...hider.inputs])]
  const schema = schemaBeside(output)
  const text = firstSettings({
    servers,
    variables,
    ...(found.from !== undefined && { from: found.from }),
    ...(schema !== undefined && { schema }),
  })
  // Read before it is written: a file that we cannot read ourselves must not take the place of one that works.
  const readable = {
    env: { ...io.env, ...Object.fromEntries(variables.map((name) => [name, 'set later'])) },
    cwd: io.cwd,
  }
  parseSettings(text, 'codeferry.json', readable)
  write(output, text, options)
  const settings = readSettings(output, readable)

  const notes = [...found.notes, ...hiddenNotes(hider), ...problemNotes(settings.problems)]
  const document = {
    ok: true,
    exitCode: EXIT.ok,
    output,
    from: found.from ?? null,
    servers: [...servers.keys()],
    variables,
    hidden: hider.hidden,
    notes,
  }
  if (options.json === true) writeJson(io, document)
  else {
    for (const note of notes) warn(io, note)
    io.stdout.write(`${safe(summary(options.output, found, servers.size))}\n`)
  }
  return EXIT.ok
}

/** The first of the usual places that describes a server; a file there that cannot be read is told and passed over. */
function searchPlaces(io: Io): Found {
  const env = { ...io.env, HOME: io.env.HOME ?? homedir() }
  const places = usualPlaces({ platform: process.platform, env, cwd: io.cwd })
  const notes: string[] = []
  const others: Place[] = []
  let first: Found | undefined
  for (const place of places.filter(({ path }) => existsSync(path))) {
    if (first !== undefined) {
      others.push(place)
      continue
    }
    try {
      const found = readServers(place.path, io)
      if (found.servers.size > 0) first = found
      notes.push(...found.notes)
    } catch (thrown) {
      if (!hasCode(thrown, 'CONFIG_INVALID')) throw thrown
      notes.push(`${place.client} is passed over: ${printableLine(thrownMessage(thrown))}`)
    }
  }
  if (first === undefined) {
    notes.push(
      `no MCP servers were found; these places were looked at, --from takes any other file:\n${places.map(({ client, path }) => `  ${client}: ${path}`).join('\n')}`,
    )
    return { servers: new Map(), notes }
  }
  for (const { client, path } of others) notes.push(`${client} has a file too, which is not used: --from ${path}`)
  return { ...first, notes }
}

function readServers(path: string, io: Io): Found {
  const file = resolve(io.cwd, path)
  const document = parseConfigText(readConfigFile(file, MAX_CLIENT_BYTES), printableLine(path))
  const notes: string[] = [...document.duplicateKeys]
  const servers = new Map<string, Readonly<Record<string, unknown>>>()
  for (const [name, described] of describedServers(document)) {
    if (!isRecord(described) || name === '__proto__') {
      notes.push(`the server ${JSON.stringify(printableLine(name))} is not described by an object and is left out`)
      continue
    }
    const left = Object.keys(described).filter((field) => !SERVER_FIELDS.has(field))
    if (left.length > 0) notes.push(`${name}: left out, as it is not read here: ${left.join(', ')}`)
    servers.set(name, Object.fromEntries(Object.entries(described).filter(([field]) => SERVER_FIELDS.has(field))))
  }
  return { from: path, servers, notes }
}

/** `~/.claude.json` holds far more than servers. */
const MAX_CLIENT_BYTES = 64 * 1024 * 1024

function write(output: string, text: string, { output: shown, force }: InitCommandOptions): void {
  try {
    mkdirSync(dirname(output), { recursive: true })
  } catch (thrown) {
    throw unwritable(shown, thrown)
  }
  try {
    // `wx`: what somebody else has written meanwhile stays, too.
    writeFileSync(output, text, { flag: force === true ? 'w' : 'wx' })
  } catch (thrown) {
    throw hasCode(thrown, 'EEXIST') ? alreadyThere(shown) : unwritable(shown, thrown)
  }
}

function unwritable(path: string, thrown: unknown): CodedError {
  const why = hasCode(thrown) ? thrown.code : 'unknown error'
  return new CodedError('CONFIG_INVALID', `${printableLine(path)} cannot be written (${why}); choose another --output`)
}

function alreadyThere(path: string): CodedError {
  return new CodedError(
    'CONFIG_INVALID',
    `${printableLine(path)} is there already and is not touched; --force writes over it, --output writes elsewhere`,
  )
}

/** The way from the file to the schema of the installed package, when there is one. */
function schemaBeside(output: string): string | undefined {
  const folder = dirname(output)
  const path = resolve(folder, 'node_modules/codeferry/docs/codeferry.schema.json')
  return existsSync(path) ? `./${relative(folder, path).replaceAll('\\', '/')}` : undefined
}

function hiddenNotes({ hidden, inputs }: SecretHider): readonly string[] {
  return [
    ...hidden.map(noteOf),
    ...[...inputs].map((name) => `another client asks its user for this; here the environment must hold it: ${name}`),
  ]
}

function noteOf({ server, field, variable }: Hidden): string {
  return `${server}: ${field} looks like a secret and is not copied; set ${variable} in the environment`
}

function problemNotes(problems: readonly { readonly server?: string; readonly message: string }[]): readonly string[] {
  return problems.map(({ server, message }) => (server === undefined ? message : `${server}: ${message}`))
}

function summary(output: string, { from }: Found, servers: number): string {
  const config = output === 'codeferry.json' ? '' : ` --config ${isAbsolute(output) ? output : `./${output}`}`
  const origin =
    from === undefined ? 'no servers yet' : `${servers} ${servers === 1 ? 'server' : 'servers'} from ${from}`
  return `wrote ${output} (${origin})\nnext: codeferry doctor${config}`
}
