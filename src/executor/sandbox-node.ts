import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CodedError, thrownMessage } from '../data/failure.ts'

/** isolated-vm 7 needs it; older ones have no fix for what a program can do to V8. */
const OLDEST_MAJOR = 24

export interface SandboxNode {
  readonly path: string
  readonly version: string
  readonly source: 'option' | 'CODEFERRY_NODE' | 'pinned package' | 'running Node'
}

/**
 * The Node that runs children. The one pinned by this package comes before the one that runs the service: the V8 that
 * meets hostile programs gets its patches with the package, whatever the host is on.
 */
export function resolveSandboxNode(choice: {
  readonly explicit?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}): SandboxNode {
  const { explicit, env } = choice
  if (explicit !== undefined && explicit !== '') return checkForeign(explicit, 'option')
  const fromEnv = env['CODEFERRY_NODE']
  if (fromEnv !== undefined && fromEnv !== '') return checkForeign(fromEnv, 'CODEFERRY_NODE')
  const pinned = findPinned()
  if (pinned !== undefined) return checkForeign(pinned, 'pinned package')
  if (majorOf(process.version) >= OLDEST_MAJOR) {
    return { path: process.execPath, version: process.version, source: 'running Node' }
  }
  throw unavailable(
    `programs need Node ${OLDEST_MAJOR} or newer; this is ${process.version} and the pinned Node package is not installed. ` +
      'Install the optional dependencies, or set CODEFERRY_NODE to the path of a newer Node',
  )
}

function findPinned(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const name = `node-linux-${process.arch}`
  try {
    const path = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

function checkForeign(path: string, source: SandboxNode['source']): SandboxNode {
  let version: string
  try {
    version = execFileSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000, env: {} }).trim()
  } catch (thrown) {
    throw unavailable(`the Node for programs (${source}: ${path}) does not start: ${thrownMessage(thrown)}`)
  }
  if (majorOf(version) >= OLDEST_MAJOR) return { path, version, source }
  throw unavailable(
    `the Node for programs (${source}: ${path}) must be version ${OLDEST_MAJOR} or newer; it says ${JSON.stringify(version.slice(0, 40))}`,
  )
}

function majorOf(version: string): number {
  const match = /^v(\d+)\./.exec(version)
  return match?.[1] === undefined ? 0 : Number(match[1])
}

function unavailable(message: string): CodedError {
  return new CodedError('SANDBOX_UNAVAILABLE', message)
}
