import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLadder, findTool, findTools, type Tools } from '../../src/executor/confinement-ladder.ts'
import { probeRung, type Probe } from '../../src/executor/confinement-probe.ts'
import { probeConfinement } from '../../src/executor/confinement.ts'
import { createPrivateRoot, type PrivateRoot } from '../../src/executor/private-root.ts'

const isRoot = process.getuid?.() === 0
const tools = findTools()
const DATA_BYTES = 80 * 2 ** 30
let root: PrivateRoot
let scratch: string

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'confinement-'))
  const bundle = join(scratch, 'child.cjs')
  writeFileSync(bundle, '')
  root = createPrivateRoot({
    node: process.execPath,
    bundle,
    addon: dirname(createRequire(import.meta.url).resolve('isolated-vm/package.json')),
    programs: ['setpriv', 'prlimit'].flatMap((name) => findTool(name) ?? []),
  })
})
afterAll(() => {
  root.remove()
  rmSync(scratch, { recursive: true })
})

async function probe(name: string, using: Tools = tools): Promise<Probe & { ok: true }> {
  const rung = buildLadder({ tools: using, root, isRoot, dataBytes: DATA_BYTES }).find((each) => each.name === name)
  if (rung === undefined) throw new Error(`no rung ${name}`)
  const result = await probeRung(rung, root)
  if (!result.ok) throw new Error(result.why)
  return result
}

describe('probing', () => {
  test('an unconfined child is found to reach files, network, programs and the host', async () => {
    const { findings } = await probe('none')
    expect(findings).toMatchObject({
      canReadHostFile: true,
      canWriteFile: true,
      canConnect: true,
      canStartPrograms: true,
      canSignalHost: true,
      uid: process.getuid?.(),
      noNewPrivileges: false,
      maxData: 'unlimited',
    })
  }, 20_000)

  test.runIf(isRoot && tools.setpriv !== undefined && tools.prlimit !== undefined)(
    'without namespaces root is dropped, limits stand, and the network is reported as open',
    async () => {
      const { findings } = await probe('no privileges, limits')
      expect(findings).toMatchObject({
        canConnect: true,
        canReadHostFile: true,
        canSignalHost: false,
        noNewPrivileges: true,
        capabilities: '0000000000000000',
        maxData: String(DATA_BYTES),
        environment: [],
      })
      expect(findings.uid).toBeGreaterThan(0)
    },
    20_000,
  )

  test.runIf(isRoot && tools.setpriv !== undefined && tools.unshare !== undefined)(
    'in its own root directory and namespaces a child reaches nothing',
    async () => {
      const { findings, hasSeatBelt } = await probe('namespaces, own root directory')
      expect(findings).toMatchObject({
        canReadHostFile: false,
        canWriteFile: false,
        canConnect: false,
        canStartPrograms: false,
        canSignalHost: false,
        environment: [],
      })
      expect(hasSeatBelt).toBe(true)
    },
    20_000,
  )

  test('a rung whose tool fails is passed over, with the reason kept', async () => {
    const broken = { ...tools, unshare: '/bin/false' }
    const ladder = buildLadder({ tools: broken, root, isRoot, dataBytes: DATA_BYTES })
    const first = ladder.find((rung) => rung.name.includes('namespace'))
    if (first === undefined) throw new Error('no rung with namespaces')
    expect(await probeRung(first, root)).toMatchObject({ ok: false, why: expect.stringMatching(/.+/) })
  }, 20_000)
})

describe('the required confinement', () => {
  const options = { dataBytes: DATA_BYTES, nodeFlags: [] }

  test('the report says of each wall whether it stands, and the level follows from them', async () => {
    const { report } = await probeConfinement({ ...options, root, require: 'none' })
    const stands = new Map(report.walls.map((wall) => [wall.name, wall.stands]))
    const has = (...names: string[]) => names.every((name) => stands.get(name) === true)
    const isBasic = has('no root', 'no new privileges', 'limits')
    const isStrong = isBasic && has('network', 'file reading', 'file writing', 'signals')
    expect(report.level).toBe(isStrong ? 'strong' : isBasic ? 'basic' : 'none')
    expect(report.walls.every((wall) => wall.detail !== '')).toBe(true)
  }, 20_000)

  test('less than is required refuses the start, and names what is missing and what to do', async () => {
    const refused = probeConfinement({ ...options, root, require: 'basic', tools: {} })
    await expect(refused).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(/'basic', but only 'none'.*no new privileges.*requireConfinement to 'none'/s),
    })
  }, 20_000)

  test('none is accepted when nothing is required, and said to be none', async () => {
    const { report } = await probeConfinement({ ...options, root, require: 'none', tools: {} })
    expect(report.level).toBe('none')
    expect(report.walls.find((wall) => wall.name === 'operating system')).toMatchObject({ stands: false })
  }, 20_000)
})
