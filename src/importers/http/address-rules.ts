import { BlockList, isIP } from 'node:net'

/** IPv4 ranges that are nobody's public server: IANA's special-purpose registry, multicast and what is reserved. */
const CLOSED_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Public by its number, and a platform's own: a cloud's host answers there, to the machines on it alone.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** Within 2000::/3, the only part of IPv6 that is public at all. */
const CLOSED_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
] as const

const { closed, open } = addressLists()

/**
 * Whether an address (as the socket has it, no name) belongs to the public Internet. Anything that is no address is not.
 * An IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4) is what the inner one is.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  const version = isIP(bare)
  if (version === 4) return !closed.check(bare, 'ipv4')
  return version === 6 && open.check(bare, 'ipv6') && !closed.check(bare, 'ipv6')
}

function addressLists(): { readonly closed: BlockList; readonly open: BlockList } {
  const closedList = new BlockList()
  for (const [address, prefix] of CLOSED_IPV4) {
    const [high, low] = halves(address)
    // Node applies IPv4 rules to `::ffff:a.b.c.d`; translators' and tunnels' forms are spelled out.
    closedList.addSubnet(address, prefix, 'ipv4')
    closedList.addSubnet(`64:ff9b::${high}:${low}`, 96 + prefix, 'ipv6')
    closedList.addSubnet(`2002:${high}:${low}::`, 16 + prefix, 'ipv6')
  }
  for (const [address, prefix] of CLOSED_IPV6) closedList.addSubnet(address, prefix, 'ipv6')
  const openList = new BlockList()
  openList.addSubnet('2000::', 3, 'ipv6')
  openList.addSubnet('64:ff9b::', 96, 'ipv6')
  openList.addSubnet('::ffff:0:0', 96, 'ipv6')
  return { closed: closedList, open: openList }
}

function halves(address: string): readonly [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)]
}
