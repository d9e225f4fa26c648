import { describe, expect, test } from 'vitest'
import { isPrivate, targetFault } from '../../../src/core/webhooks/targets.ts'

/** The first and last address of every private range. */
const RANGES = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
] as const

const RANGES_IPV6 = [
  ['::', '::ffff:ffff'],
  ['::1', '::1'],
  ['::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const

/** The neighbours of the ranges, and some more. */
const PUBLIC = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '8.8.8.8',
]

const PUBLIC_IPV6 = [
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82a::200e',
  '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '3fff:1000::',
]

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** An IPv4 address in the spellings that IPv6 has for it. */
function insideIpv6(address: string): string[] {
  return [
    `::ffff:${address}`,
    `::FFFF:${hexOf(address)}`,
    `0:0:0:0:0:ffff:${hexOf(address)}`,
    `64:ff9b::${address}`,
    `64:ff9b::${hexOf(address)}`,
    `2002:${hexOf(address)}::`,
    `2002:${hexOf(address)}:ffff::1`,
  ]
}

describe('isPrivate', () => {
  test.each(RANGES)('%s to %s', (first, last) => {
    for (const address of [first, last, ...insideIpv6(first), ...insideIpv6(last)]) expect(isPrivate(address), address).toBe(true)
  })

  test.each(RANGES_IPV6)('%s to %s', (first, last) => {
    for (const address of [first, last, `${first}%eth0`]) expect(isPrivate(address), address).toBe(true)
  })

  test('public addresses are not', () => {
    for (const address of PUBLIC.flatMap((one) => [one, ...insideIpv6(one)])) expect(isPrivate(address), address).toBe(false)
    for (const address of PUBLIC_IPV6.flatMap((one) => [one, `${one}%eth0`])) expect(isPrivate(address), address).toBe(false)
  })

  test.each(['', 'localhost', 'example.com', '8.8.8', '8.8.8.8.8', '08.8.8.8', '0x8080808', '134744072', '8.8.8.8%eth0', ' 8.8.8.8', '[2606:4700::1]', '::g'])(
    'what is no address is private: %j',
    (text) => expect(isPrivate(text)).toBe(true),
  )
})

describe('targetFault', () => {
  test.each([
    ['', 'not an absolute URL'],
    ['example.com/hook', 'not an absolute URL'],
    ['/hook', 'not an absolute URL'],
    ['http://', 'not an absolute URL'],
    ['https://exa mple.com/', 'not an absolute URL'],
    ['http://1.2.3.256/', 'not an absolute URL'],
    ['ftp://example.com/', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['javascript:alert(1)', 'https://'],
    ['localhost:8080', 'https://'],
    ['https://user@8.8.8.8/', 'user name'],
    ['https://user:pass@8.8.8.8/', 'user name'],
    ['https://:pass@8.8.8.8/', 'user name'],
    ['https://8.8.8.8/#part', 'fragment'],
    ['https://8.8.8.8/#', 'fragment'],
  ])('%j is refused, whatever is allowed', async (url, part) => {
    expect(await targetFault(url, false)).toContain(part)
    expect(await targetFault(url, true)).toContain(part)
  })

  test.each([
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://1２7.0.0.1/',
    'http://127%2e0%2e0%2e1/',
    'http://0/',
    'http://169.254.169.254/latest/meta-data/',
    'https://10.0.0.3:8443/hook?a=b',
    'http://[::]/',
    'http://[::1]:8080/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:a00:3]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00:ec2::254]/',
    'http://localhost/',
    'http://LOCALHOST:8080/',
  ])('%s is on a private network', async (url) => {
    expect(await targetFault(url, false)).toBe(
      'The target is on a private network or this machine, which webhooks call only with the setting CRM_WEBHOOK_PRIVATE=true (--webhook-private).',
    )
    expect(await targetFault(url, true)).toBeUndefined()
  })

  test.each(['https://8.8.8.8/hook?a=b', 'http://[2606:4700:4700::1111]:8080/'])('%s is accepted', async (url) => {
    expect(await targetFault(url, false)).toBeUndefined()
  })

  test('so is a name that cannot be resolved', async () => {
    expect(await targetFault(`https://${'a'.repeat(64)}.test/hook`, false)).toBeUndefined()
  })
})
