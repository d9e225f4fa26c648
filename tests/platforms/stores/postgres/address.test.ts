import { describe, expect, test } from 'vitest'
import { readAddress, withoutPassword } from '../../../../src/platforms/stores/postgres/address.ts'

describe('an address that is shown', () => {
  test.each([
    'postgres://crm:SECRET@host:5432/crm',
    'postgres://crm:SE:CRET@one:5432,two:5433/crm?pool=3',
    'postgres://crm:SECRET@host',
    'postgres://host/crm?user=crm&password=SECRET',
    'postgres://host/crm?password=SECRET@x',
    'postgres://crm@host/crm?password=SECRET@x:y',
    'postgres://crm:SECRET/with/slashes@host/crm',
    'postgres://crm:SECRET?@host/crm',
    'postgres://crm:SECRET#@host/crm',
    'postgresql://:SECRET@host/crm',
    'postgres:SECRET',
  ])('never shows a secret: %s', (url) => {
    expect(withoutPassword(url)).not.toContain('SECRET')
    expect(withoutPassword(url)).toMatch(/^postgres/)
  })

  test('names user, hosts and database', () => {
    expect(withoutPassword('postgres://crm:x@one:5432,two:5433/crm?pool=3')).toBe('postgres://crm@one:5432,two:5433/crm')
  })
})

describe('an address that is read', () => {
  test('may name several hosts, each with what all of them share', () => {
    expect(readAddress('postgres://crm:p%40ss@one,two:5433/crm?sslmode=disable&pool=3&statement_timeout=500')).toEqual({
      hosts: ['postgres://crm:p%40ss@one/crm?sslmode=disable', 'postgres://crm:p%40ss@two:5433/crm?sslmode=disable'],
      readWrite: true,
      pool: 3,
      numbering: 2,
      statementMs: 500,
      connectMs: 5_000,
    })
  })

  test.each(['pool=0', 'pool=many', 'statement_timeout=5', 'connect_timeout=-1', 'target_session_attrs=read-only', 'poool=3'])('refuses %s', (query) => {
    expect(() => readAddress(`postgres://host/crm?${query}`)).toThrow(/address/)
  })
})
