import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { Agent, buildConnector } from 'undici'
import { isPublicAddress } from './address-rules.ts'
import { canonicalHost } from './host-pattern.ts'

/** Resolves a name to all of its addresses; the system's resolver unless a test has its own. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

export interface GuardOptions {
  /** Private, loopback and link-local addresses may be reached. Default false. */
  readonly allowPrivate?: boolean
  /** Hosts (`name` or `name:port`, no wildcards) that may be at such addresses all the same. */
  readonly allowHosts?: readonly string[]
  readonly resolveHost?: ResolveHost
  readonly connectTimeoutMs?: number
}

/** The connection was not made (or was cut before a byte was sent), as the host is at an address that is not public. */
export class AddressRefused extends Error {
  readonly host: string
  constructor(host: string) {
    super(`${host} is at an address that is not public`)
    this.name = 'AddressRefused'
    this.host = host
  }
}

/**
 * Connections that cannot be led into the inside network. The addresses that are checked are the ones the socket connects
 * to: they are resolved here, once, for this very connection, so a name that answers differently the next time (DNS
 * rebinding) gains nothing. The peer of the finished socket is looked at once more, whatever a platform did in between.
 * Proxies of the environment are not used: behind one, the connected address would be the proxy's.
 */
export function createGuardedAgent(options: GuardOptions = {}): Agent {
  const resolveHost = options.resolveHost ?? resolveWithSystem
  const listed = new Set((options.allowHosts ?? []).map(canonicalHost))
  const isTrusted = (hostname: string, port: string) =>
    options.allowPrivate === true || listed.has(hostname) || listed.has(`${hostname}:${port}`)

  const connectorFor = (isAnyFine: boolean) =>
    buildConnector({
      allowH2: false,
      timeout: options.connectTimeoutMs ?? 10_000,
      lookup: guardedLookup(resolveHost, isAnyFine),
    })
  const toPublic = connectorFor(false)
  const toAny = connectorFor(true)

  return new Agent({
    allowH2: false,
    // The caller has one time limit over everything.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(target, callback) {
      const hostname = target.hostname.replace(/^\[|\]$/g, '').toLowerCase()
      const isAnyFine = isTrusted(hostname, portOf(target.port, target.protocol))
      // No lookup is made for an address, so it is checked here.
      if (!isAnyFine && isIP(hostname) !== 0 && !isPublicAddress(hostname)) {
        callback(new AddressRefused(hostname), null)
        return
      }
      const connect = isAnyFine ? toAny : toPublic
      connect(target, (...outcome) => {
        const [error, socket] = outcome
        if (error !== null || isAnyFine || isPublicAddress(socket.remoteAddress ?? '')) return callback(...outcome)
        socket.destroy()
        callback(new AddressRefused(hostname), null)
      })
    },
  })
}

function portOf(port: string, protocol: string): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80'
}

function guardedLookup(resolveHost: ResolveHost, isAnyFine: boolean): LookupFunction {
  const resolve = callbackify(async (hostname: string) => {
    const addresses = await resolveHost(hostname)
    // One inside address among public ones is how rebinding with several records works: all are refused.
    if (!isAnyFine && addresses.some((address) => !isPublicAddress(address))) throw new AddressRefused(hostname)
    return addresses.map((address) => ({ address, family: isIP(address.replace(/%.*$/, '')) }))
  })
  return (hostname, options, callback) => {
    resolve(hostname, (error: Error | null, addresses) => {
      // `callbackify` gives no value beside an error.
      if (error !== null) return callback(error, '', 0)
      const wanted = options.family === 4 || options.family === 6 ? options.family : undefined
      const found = addresses.filter(({ family }) => family !== 0 && (wanted === undefined || family === wanted))
      const [first] = found
      if (first === undefined) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0)
      else if (options.all === true) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

function resolveWithSystem(hostname: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => {
      if (error === null) resolve(found.map(({ address }) => address))
      else reject(error)
    })
  })
}
