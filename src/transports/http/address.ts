import { isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The address failed sign-ins are counted by. One IPv6 caller has a whole /64 to choose from, so it counts as one. */
export function addressGroup(address: string): string {
  const mapped = MAPPED.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const plain = address.split('%', 1)[0] ?? address
  return isIPv6(plain) ? `${groups(plain).slice(0, 4).join(':')}::/64` : address
}

export function isLoopback(address: string): boolean {
  const plain = MAPPED.exec(address)?.[1] ?? address
  return plain === '::1' || plain.startsWith('127.')
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const split = (part: string) => (part === '' ? [] : part.split(':'))
  const left = split(head)
  const right = split(tail ?? '')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}
