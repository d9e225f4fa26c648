import { type LookupAddress, lookup as lookUp } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** How long creating a webhook waits for the name of its target to be resolved. */
const RESOLVE_MS = 5_000

const PRIVATE_IPV4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's service for the machines it hosts
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with broadcast
]

const PRIVATE_IPV6 = [
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b:1::/48', // local NAT64
  '100::/64', // discard
  '2001::/23', // protocol assignments, with Teredo
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
]

const privateAddresses = new BlockList()
for (const range of PRIVATE_IPV6) block(range, 0, 'ipv6')
for (const range of PRIVATE_IPV4) {
  block(range, 0, 'ipv4')
  // The same range inside IPv6: mapped, NAT64, 6to4.
  block(`::ffff:${range}`, 96, 'ipv6')
  block(`64:ff9b::${range}`, 96, 'ipv6')
  block(sixToFour(range), 16, 'ipv6')
}

/** `before` is the number of address bits in front of the range's own. */
function block(range: string, before: number, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = range.split('/')
  privateAddresses.addSubnet(address, before + Number(bits), family)
}

/** 192.0.2.0/24 as 2002:c000:0200::/24. */
function sixToFour(range: string): string {
  const [address = '', bits] = range.split('/')
  const hex = Buffer.from(address.split('.').map(Number)).toString('hex')
  return `2002:${hex.slice(0, 4)}:${hex.slice(4)}::/${bits}`
}

/** Whether an address is not public. A text that is no IP address counts as private. */
export function isPrivate(address: string): boolean {
  const family = isIP(address)
  return family === 0 || privateAddresses.check(address.replace(/%.*/, ''), family === 4 ? 'ipv4' : 'ipv6')
}

/** What is wrong with the target of a webhook that is created or updated. A name that cannot be resolved now is accepted: each delivery checks again. */
export async function targetFault(url: string, allowPrivate: boolean): Promise<string | undefined> {
  const fault = formFault(url)
  if (fault !== undefined || allowPrivate) return fault
  const none: LookupAddress[] = []
  const addresses = await Promise.race([addressesOf(new URL(url)).catch(() => none), wait(RESOLVE_MS, none, { ref: false })])
  return privateFault(addresses)
}

/** What is wrong with a target whatever its name resolves to. */
export function formFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'The target is not an absolute URL, such as https://example.com/hook.'
  const { protocol, username, password, href } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The target must begin with https:// or http://.'
  if (username !== '' || password !== '') return 'The target must not hold a user name or password.'
  if (href.includes('#')) return 'The target must not have a fragment (#).'
  return undefined
}

/** All addresses of a URL's host, be it a name or an address. */
export function addressesOf({ hostname }: URL): Promise<LookupAddress[]> {
  return lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })
}

/**
 * One private address among several is refused too: a name with both kinds is a typical attack. The fault does not name the address, which
 * would tell the caller how names resolve inside the network.
 */
export function privateFault(addresses: readonly LookupAddress[]): string | undefined {
  return addresses.some(({ address }) => isPrivate(address))
    ? 'The target is on a private network or this machine, which webhooks call only with the setting CRM_WEBHOOK_PRIVATE=true (--webhook-private).'
    : undefined
}

/** Resolves names for connections as Node does, and refuses those that `privateFault` would. What is checked is what is connected to. */
export function publicLookup(refusal: () => Error): LookupFunction {
  return (hostname, options, answered) =>
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      const [first = { address: '', family: 0 }] = addresses ?? []
      if (error) answered(error, '')
      else if (privateFault(addresses) !== undefined) answered(refusal(), '')
      else if (options.all) answered(null, addresses)
      else answered(null, first.address, first.family)
    })
}
