import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { eventually, temporaryFolder } from '../service/http/rig.ts'

const AGENT = resolve('examples/python-http/agent.py')
const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)(
  `the agent in Python watches a step and prints its result${hasPython ? '' : ' (skipped: there is no python3 here)'}`,
  async () => {
    await using service = await serve()
    const { out, code } = await python(service)
    expect(out).toBe(`events:
  session/opened global
  tool/call run_code
  tool/code-dispatch-start city.weather
  tool/code-dispatch-start city.weather
  tool/code-dispatch city.weather
  tool/code-dispatch city.weather
  tool/result run_code
run_code: ok
[{"degrees":7},{"degrees":7}]
Console:
asked for 2 cities
`)
    expect(code).toBe(0)
  },
)

test.skipIf(!hasPython)('the agent in Python says what failed, and ends with 1', async () => {
  await using service = await serve()
  const failing = await python(service, `throw new Error('no such order')`)
  expect(failing.out).toContain('tool/result run_code PROGRAM_ERROR\nrun_code: failed\nPROGRAM_ERROR: ')
  expect(failing.code).toBe(1)
  const stranger = await python({ ...service, token: 'cft_wrong' })
  expect(stranger.err).toMatch(/^POST \/v1\/sessions: 401 UNAUTHENTICATED: /)
  expect(stranger.code).toBe(1)
})

interface Service extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly folder: string
}

/** A real `codeferry serve`, with one tool that a file plays. */
async function serve(): Promise<Service> {
  const folder = temporaryFolder()
  const weather = {
    name: 'city.weather',
    description: 'Weather.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    outputSchema: { type: 'object', properties: { degrees: { type: 'number' } } },
    mock: { returns: { degrees: 7 } },
    annotations: { readOnlyHint: true },
  }
  writeFileSync(folder.file('tools.json'), JSON.stringify([weather]))
  const args = ['serve', '--json', '--port', '0', '--require-confinement', 'none', '--mock', 'tools.json']
  const child = spawn(process.execPath, [resolve('src/cli/main.ts'), ...args], { cwd: folder.path })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const ended = new Promise((done) => child.on('close', done))
  const { url, token } = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`it ended: ${out}`)
    return JSON.parse(out) as { url: string; token: string }
  })
  return {
    url,
    token,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      folder[Symbol.dispose]()
    },
  }
}

async function python({ url, token, folder }: Pick<Service, 'url' | 'token' | 'folder'>, program?: string) {
  const file = resolve(folder, 'program.ts')
  if (program !== undefined) writeFileSync(file, program)
  const child = spawn('python3', [AGENT, ...(program === undefined ? [] : [file])], {
    env: { ...process.env, CODEFERRY_URL: url, CODEFERRY_TOKEN: token, PYTHONDONTWRITEBYTECODE: '1' },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { out, err, code }
}
