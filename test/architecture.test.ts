import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * The layers of the house: a room may import the rooms listed for it, and itself. `type` marks rooms that may be
 * imported for types only. ARCHITECTURE.md draws the same table for people.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'src/data': [],
  'src/schema': ['src/data'],
  'src/registry': ['src/data', 'src/schema'],
  'src/session': ['src/data'],
  'src/artifacts': ['src/data'],
  'src/pipeline': ['src/data', 'src/schema', 'src/registry', 'src/session:type'],
  'src/importers': ['src/data', 'src/schema', 'src/registry'],
  'src/sdk': ['src/data', 'src/schema', 'src/registry'],
  'src/typecheck': ['src/data', 'src/sdk'],
  'src/executor': ['src/data', 'sandbox'],
  'src/policy': ['src/data', 'src/registry:type', 'src/pipeline:type'],
  'src/telemetry': ['src/data', 'src/registry', 'src/pipeline:type'],
  // Of the public names alone, like anybody's adapter.
  'src/adapters': ['src'],
  'src/codemode': [
    'src/data',
    'src/registry',
    'src/pipeline',
    'src/session:type',
    'src/artifacts:type',
    'src/executor:type',
    'src/sdk',
    'src/typecheck:type',
  ],
  'src/settings': [
    'src/data',
    'src/registry',
    'src/pipeline',
    'src/session:type',
    'src/artifacts:type',
    'src/importers',
    'src/policy',
    'src/codemode',
    'src',
  ],
  'src/service': [
    'src/data',
    'src/settings',
    'src/registry',
    'src/pipeline',
    'src/session',
    'src/sdk',
    'src/importers:type',
    'src/telemetry',
    'src',
    'src/codemode:type',
    'src/executor:type',
  ],
  'src/cli': [
    'src/data',
    'src/registry',
    'src/pipeline',
    'src/session',
    'src/sdk',
    'src/importers',
    'src/policy',
    'src',
    'src/settings',
    'src/service',
    'src/telemetry',
    'src/codemode:type',
    'src/executor',
    'src/schema',
  ],
  // The composition root.
  src: [
    'src/data',
    'src/schema',
    'src/registry',
    'src/session',
    'src/artifacts',
    'src/pipeline',
    'src/policy',
    'src/importers',
    'src/sdk',
    'src/typecheck',
    'src/executor',
    'src/codemode',
    'src/telemetry',
  ],
  sandbox: [],
  'sandbox/child': ['sandbox'],
  'sandbox/guest': ['sandbox:type'],
}

/** Rooms whose work is the outside world. Elsewhere clock, ids and I/O are arguments. */
const MAY_DO_IO = [
  'src/executor',
  'src/typecheck',
  'src/importers',
  'src/service',
  'src/cli',
  'src',
  'sandbox/child',
  'sandbox',
]
const MAY_DO_IO_FILES = [
  'src/artifacts/sqlite.ts',
  ...['log', 'file', 'reader'].map((part) => `src/session/sqlite-${part}.ts`),
]
/** Node modules that touch nothing outside the process. */
const PURE_NODE_MODULES = ['node:crypto', 'node:util', 'node:url', 'node:path', 'node:async_hooks', 'node:buffer']

const root = resolve(import.meta.dirname, '..')
const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts'], { cwd: root })
  .filter((file) => !file.startsWith('sandbox/bundle/'))
  .toSorted()

interface Import {
  readonly from: string
  readonly target: string
  readonly isTypeOnly: boolean
}

test('there are files to look at', () => {
  expect(files.length).toBeGreaterThan(60)
})

test('imports go down the layers and nowhere else', () => {
  const breaches = allImports()
    .filter(({ target }) => target.startsWith('.'))
    .flatMap(({ from, target, isTypeOnly }) => {
      const room = roomOf(from)
      const wanted = roomOf(relative(root, resolve(root, dirname(from), target)))
      const allowed = MAY_IMPORT[room] ?? []
      const isFine = wanted === room || allowed.includes(wanted) || (isTypeOnly && allowed.includes(`${wanted}:type`))
      return isFine
        ? []
        : [`${from} imports ${target} (${room} may not ${isTypeOnly ? '' : 'use the values of '}${wanted})`]
    })
  expect(breaches).toEqual([])
})

test('every room is in the table, and every room of the table exists', () => {
  expect([...new Set(files.map(roomOf))].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted())
})

test('only the rooms that face the outside import modules that do I/O', () => {
  const breaches = allImports()
    .filter(({ from, target, isTypeOnly }) => {
      if (isTypeOnly || !target.startsWith('node:') || PURE_NODE_MODULES.includes(target)) return false
      return !MAY_DO_IO.includes(roomOf(from)) && !MAY_DO_IO_FILES.includes(from)
    })
    .map(({ from, target }) => `${from} imports ${target}`)
  expect(breaches).toEqual([])
})

test('isolated-vm is named in one file', () => {
  const naming = files.filter(
    (file) => file.startsWith('sandbox/') && /(import|require)[^\n]*['"]isolated-vm['"]/.test(read(file)),
  )
  expect(naming).toEqual(['sandbox/child/isolate.ts'])
  const importing = allImports().filter(({ target, isTypeOnly }) => target === 'isolated-vm' && !isTypeOnly)
  expect(importing.filter(({ from }) => from !== 'sandbox/child/isolate.ts')).toEqual([])
})

test('the host evaluates no program text: no vm, no eval, no Function constructor', () => {
  const breaches = files
    .filter((file) => file.startsWith('src/'))
    .filter((file) =>
      /from 'node:vm'|import\('node:vm'\)|\beval\(|new Function\(/.test(withoutCommentsAndStrings(read(file))),
    )
  expect(breaches).toEqual([])
})

test('no import goes in a circle', () => {
  const edges = new Map<string, string[]>()
  for (const { from, target, isTypeOnly } of allImports()) {
    if (isTypeOnly || !target.startsWith('.')) continue
    const to = relative(root, resolve(root, dirname(from), target))
    edges.set(from, [...(edges.get(from) ?? []), to])
  }
  expect(findCycle(edges)).toBeUndefined()
})

test('files over 400 lines give their reason in the first lines', () => {
  const unexplained = files.filter((file) => {
    const lines = read(file).split('\n')
    return lines.length > 400 && !lines.slice(0, 12).join(' ').includes('long because')
  })
  expect(unexplained).toEqual([])
})

function roomOf(file: string): string {
  const parts = file.split('/')
  return parts.length === 2 ? (parts[0] ?? '') : parts.slice(0, 2).join('/')
}

function allImports(): Import[] {
  return files.flatMap((from) =>
    [
      ...read(from).matchAll(
        /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm,
      ),
    ].map((match) => ({
      from,
      target: match[2] ?? match[3] ?? '',
      isTypeOnly: match[1] !== undefined,
    })),
  )
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function withoutCommentsAndStrings(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'/g, '')
}

function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of edges.get(file) ?? []) {
      const cycle = visit(next, [...path, file])
      if (cycle !== undefined) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of edges.keys()) {
    const cycle = visit(file, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
