import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)
/** The oldest Node that is supported; the pinned 26 runs the rest of the tests. */
const OLDEST_NODE = '24'

let folder: string
let oldestNode: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codeferry-package-'))
  await exec('npm', ['pack', '--pack-destination', folder], { cwd: root })
  const [archive] = (await exec('ls', [folder])).stdout.trim().split('\n')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'a-project', private: true, type: 'module' }))
  await exec('npm', ['install', '--no-audit', '--no-fund', `./${archive}`], { cwd: folder })
  // The binary lies elsewhere: the project itself must not have one.
  const nodes = await mkdtemp(join(folder, 'node-'))
  await exec(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefix', nodes, `node-linux-${process.arch}@${OLDEST_NODE}`],
    { cwd: nodes },
  )
  oldestNode = join(nodes, 'node_modules', `node-linux-${process.arch}`, 'bin/node')
}, 240_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('packing leaves the manifest of the checkout as it was', async () => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(Object.keys(manifest)).toEqual(expect.arrayContaining(['scripts', 'devDependencies', 'optionalDependencies']))
  expect(existsSync(join(root, 'package.json.kept'))).toBe(false)
})

test('the published package brings no Node binary of its own', () => {
  expect(existsSync(join(folder, 'node_modules/.bin/node'))).toBe(false)
  expect(existsSync(join(folder, 'node_modules/.bin/codeferry'))).toBe(true)
})

describe.each([
  ['26', () => process.execPath],
  [OLDEST_NODE, () => oldestNode],
])('installed into an empty project, on Node %s', (major, nodeOf) => {
  const codeferry = (...args: string[]) =>
    exec(nodeOf(), [join(folder, 'node_modules/codeferry/dist/src/cli/main.js'), ...args], { cwd: folder })

  test('the command runs a program', { timeout: 120_000 }, async () => {
    await writeFile(
      join(folder, 'tools.json'),
      JSON.stringify([{ name: 'add', inputSchema: { type: 'object' }, mock: { returns: 5 } }]),
    )
    await writeFile(join(folder, 'program.ts'), 'const five: number = await tools.add({ a: 2, b: 3 })\nreturn { five }')
    const { stdout } = await codeferry('run', 'program.ts', '--mock', 'tools.json', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ result: { five: 5 } })
  })

  test('the library runs a program', { timeout: 120_000 }, async () => {
    await writeFile(
      join(folder, 'use.mjs'),
      `import { createEngine, defineTool } from 'codeferry'
       const double = defineTool({ name: 'double', description: 'Twice n.', parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, output: {}, execute: ({ n }) => 2 * n })
       const engine = await createEngine({ tools: [double] })
       console.log(JSON.stringify((await engine.run('return await tools.double({ n: 21 })')).value.result))
       await engine[Symbol.asyncDispose]()`,
    )
    expect((await exec(nodeOf(), ['use.mjs'], { cwd: folder })).stdout.trim()).toBe('42')
  })

  test('doctor names the running Node as the one for sandboxes', { timeout: 120_000 }, async () => {
    const { stdout } = await codeferry('doctor', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      sandbox: { node: { version: expect.stringMatching(new RegExp(`^v${major}\\.`)) as string } },
    })
  })
})

test('a Node that is too old is refused in one clear line', { timeout: 60_000 }, async () => {
  const old = { ...process.env, CODEFERRY_NODE: '/bin/false' }
  const failed = await exec(oldestNode, [join(folder, 'node_modules/codeferry/dist/src/cli/main.js'), 'doctor'], {
    cwd: folder,
    env: old,
  }).catch((error: unknown) => error as { stdout: string; stderr: string; code: number })
  expect('code' in failed && failed.code).not.toBe(0)
  expect(failed.stdout + failed.stderr).toMatch(/CODEFERRY_NODE/)
})

test('CODEFERRY_NODE chooses the Node of the sandboxes', { timeout: 120_000 }, async () => {
  const { stdout } = await exec(
    process.execPath,
    [join(folder, 'node_modules/codeferry/dist/src/cli/main.js'), 'doctor', '--json'],
    {
      cwd: folder,
      env: { ...process.env, CODEFERRY_NODE: oldestNode },
    },
  )
  expect(JSON.parse(stdout)).toMatchObject({
    sandbox: { node: { path: oldestNode, version: expect.stringMatching(/^v24\./) as string } },
  })
})
