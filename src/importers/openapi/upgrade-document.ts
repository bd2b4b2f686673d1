import { CodedError, thrownMessage } from '../../data/failure.ts'
import { isRecord, type Json, type JsonObject } from '../../data/json.ts'
import { valueAt } from '../../data/pointer.ts'
import { printableLine } from '../printable.ts'
import { METHODS, type ApiDocument, type Operation } from './document.ts'

const MAX_OPERATIONS = 5_000

/** The operations of a document as they were written, of which some may be wanted. */
export type Choose = (listed: readonly Operation[]) => readonly Operation[]

/**
 * Brings a description to OpenAPI 3.1. The library converts whole documents and gives up at the first part it does not
 * understand; here it gets the shared parts once and every wanted operation in a small document of its own, so one bad
 * operation costs itself and a problem. Throws `CONFIG_INVALID` for what is no description at all.
 */
export async function upgradeDocument(document: JsonObject, place: string, choose: Choose): Promise<ApiDocument> {
  const version = versionOf(document, place)
  const refStandsAlone = !/^3\.[1-9]/.test(version)
  const upgrade = refStandsAlone ? await loadConverter() : keep
  const problems: string[] = []
  const shell = upgradeShell(document, version, place, upgrade, problems)
  const listed = listOperations(document, place, problems)
  const wanted = choose(listed)
  if (wanted.length > MAX_OPERATIONS) {
    throw invalid(
      `${place} has ${wanted.length} operations, and at most ${MAX_OPERATIONS} become tools; choose with "include"`,
    )
  }
  const upgradedPaths = new Map<string, Record<string, Json>>()
  const operations = wanted.flatMap((written) => {
    const upgraded = upgradeOperation(document, version, written, upgrade)
    if (typeof upgraded === 'string') {
      problems.push(`${written.method.toUpperCase()} ${shown(written.path)} is left out: ${upgraded}`)
      return []
    }
    const item = upgradedPaths.get(written.path) ?? {}
    upgradedPaths.set(written.path, { ...item, [written.method]: upgraded.operation })
    return [{ ...written, ...upgraded, written }]
  })
  // Where nothing is converted, references may lead to any path as it stands.
  const paths = refStandsAlone ? Object.fromEntries(upgradedPaths) : (document['paths'] ?? {})
  return { root: { ...shell, paths }, version, refStandsAlone, listed, operations, problems }
}

function listOperations(document: JsonObject, place: string, problems: string[]): readonly Operation[] {
  const paths = document['paths']
  if (!isRecord(paths)) {
    if (paths !== undefined) throw invalid(`${place}: "paths" must be an object`)
    problems.push('the description has no "paths", so there is nothing to call')
    return []
  }
  return Object.entries(paths as JsonObject).flatMap(([path, given]) => {
    if (path.startsWith('x-')) return []
    const pathItem = readPathItem(given, document)
    if (pathItem === undefined) {
      problems.push(`the path ${shown(path)} is no object (or refers to one that is not there); it is left out`)
      return []
    }
    for (const method of ['trace', 'query', 'connect']) {
      if (Object.hasOwn(pathItem, method)) {
        problems.push(`${method.toUpperCase()} ${shown(path)} is left out: no such call is made`)
      }
    }
    return METHODS.flatMap((method) => {
      if (!Object.hasOwn(pathItem, method)) return []
      const operation = pathItem[method]
      if (isRecord(operation)) return [{ path, method, operation: operation as JsonObject, pathItem }]
      problems.push(`${method.toUpperCase()} ${shown(path)} is left out: it is no object`)
      return []
    })
  })
}

function versionOf(document: JsonObject, place: string): string {
  const { swagger, openapi } = document
  const version = typeof openapi === 'string' ? openapi : swagger
  if (typeof version === 'string' && (typeof openapi === 'string' ? /^3\.[0-2](?:\.|$)/ : /^2\.0/).test(version))
    return version
  if (swagger === 2) return '2.0' // YAML without quotes.
  if (typeof openapi === 'number' && openapi >= 3 && openapi < 3.3)
    return `${openapi}`.includes('.') ? `${openapi}.0` : `${openapi}.0.0`
  throw invalid(
    `${place} must say "openapi": "3.0.x", "3.1.x" or "3.2.x", or "swagger": "2.0"; found ${printableLine(JSON.stringify(openapi ?? swagger) ?? 'neither', 60)}`,
  )
}

function upgradeShell(
  document: JsonObject,
  version: string,
  place: string,
  upgrade: Upgrade,
  problems: string[],
): JsonObject {
  const attempt = (given: JsonObject): JsonObject | undefined => {
    try {
      const shell = upgrade({ ...given, ...versionField(version), paths: {} })
      return isRecord(shell) ? (shell as JsonObject) : undefined
    } catch {
      return undefined
    }
  }
  const whole = attempt(document)
  if (whole !== undefined) return whole
  // What is shared breaks the converter somewhere: part by part, what can be kept is kept.
  const kept: Record<string, Json> = {}
  const bare: JsonObject = pick(document, ['host', 'basePath', 'schemes', 'servers', 'consumes', 'produces'])
  for (const name of ['definitions', 'parameters', 'responses', 'components']) {
    if (!Object.hasOwn(document, name)) continue
    const part = attempt({ [name]: document[name] ?? null })
    if (part === undefined)
      problems.push(`"${name}" cannot be understood and is left out; what refers to it accepts anything`)
    else if (isRecord(part['components'])) Object.assign(kept, part['components'])
  }
  const rest = attempt(bare)
  if (rest === undefined) throw invalid(`${place} is no description that can be understood`)
  return { ...rest, components: kept }
}

type Upgraded = Pick<Operation, 'operation' | 'pathItem'>

function upgradeOperation(
  document: JsonObject,
  version: string,
  { path, method, operation, pathItem }: Operation,
  upgrade: Upgrade,
): Upgraded | string {
  try {
    const alone = {
      ...versionField(version),
      ...pick(document, ['consumes', 'produces']),
      // Without these, references into them would not be rewritten.
      ...(version.startsWith('2') && { definitions: {}, responses: {}, parameters: placesOf(document['parameters']) }),
      paths: {
        [path]: { ...pick(pathItem, ['parameters', 'servers', 'summary', 'description']), [method]: operation },
      },
    }
    const upgraded = valueAt(upgrade(alone), pointer(['paths', path]))
    const inner = isRecord(upgraded) ? upgraded[method] : undefined
    if (!isRecord(upgraded) || !isRecord(inner)) return 'it cannot be understood'
    return { operation: inner as JsonObject, pathItem: upgraded as JsonObject }
  } catch (thrown) {
    return printableLine(thrownMessage(thrown), 200)
  }
}

/** Of shared parameters only where each goes: it decides what a reference to it becomes. */
function placesOf(parameters: Json | undefined): JsonObject {
  if (!isRecord(parameters)) return {}
  return Object.fromEntries(
    Object.entries(parameters as JsonObject).map(([name, parameter]) => [
      name,
      isRecord(parameter) ? pick(parameter as JsonObject, ['in']) : {},
    ]),
  )
}

/** A path item, through one reference inside the document. */
function readPathItem(given: Json, document: JsonObject): JsonObject | undefined {
  if (!isRecord(given)) return undefined
  const reference = given['$ref']
  if (reference === undefined) return given as JsonObject
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  const target = valueAt(document, reference.slice(1))
  return isRecord(target) && target['$ref'] === undefined ? (target as JsonObject) : undefined
}

function versionField(version: string): JsonObject {
  return version.startsWith('2') ? { swagger: '2.0' } : { openapi: version }
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name] ?? null] as const] : [])),
  )
}

function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

type Upgrade = (document: JsonObject) => Json

/** Loaded when there is something to convert. It changes what it gets, so it gets a copy. */
async function loadConverter(): Promise<Upgrade> {
  const { upgrade } = await import('@scalar/openapi-parser')
  return (document) => {
    const { specification } = upgrade(structuredClone(document) as Record<string, unknown>)
    return (specification ?? null) as unknown as Json // JSON went in.
  }
}

function keep(document: JsonObject): Json {
  return document
}

function shown(path: string): string {
  return JSON.stringify(printableLine(path, 200))
}

function invalid(message: string): CodedError {
  return new CodedError('CONFIG_INVALID', message)
}
