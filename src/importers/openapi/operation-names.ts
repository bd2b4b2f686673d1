import { createHash } from 'node:crypto'
import type { Operation } from './document.ts'

const MAX_NAME = 128
const HASH_LENGTH = 6

/**
 * Names of operations, in their order: the `operationId` (characters that a name cannot have become `_`), else method and
 * path in words. Where two meet, all but the first get a suffix made from their own method and path, so that a name does
 * not change when other operations come and go.
 */
export function operationNames(operations: readonly Operation[], namespace: string): readonly string[] {
  const room = MAX_NAME - namespace.length - 1
  const taken = new Set<string>()
  return operations.map((operation) => {
    const hash = createHash('sha256').update(`${operation.method} ${operation.path}`).digest('hex')
    const wanted = baseName(operation)
    let name =
      wanted.length <= room ? wanted : `${wanted.slice(0, room - HASH_LENGTH - 1)}_${hash.slice(0, HASH_LENGTH)}`
    for (let length = HASH_LENGTH; taken.has(name); length++) {
      name = `${wanted.slice(0, room - length - 1)}_${hash.slice(0, length)}`
    }
    taken.add(name)
    return name
  })
}

function baseName({ method, path, operation }: Operation): string {
  const id = operation['operationId']
  const fromId = typeof id === 'string' ? id.trim().replaceAll(/[^A-Za-z0-9_.\-/]+/g, '_') : ''
  if (/[A-Za-z0-9]/.test(fromId)) return fromId
  const words = path
    .replaceAll(/\{([^{}]*)\}/g, 'by_$1')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return words === '' ? `${method}_root` : `${method}_${words}`
}
