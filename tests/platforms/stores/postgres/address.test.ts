import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { examine } from '../../../../src/app/doctor/examine.ts'
import { openService } from '../../../../src/app/open.ts'
import { readConfig } from '../../../../src/config/settings.ts'
import { CrmError } from '../../../../src/contract/errors.ts'
import { readAddress, withoutPassword } from '../../../../src/platforms/stores/postgres/address.ts'
import type { Finding } from '../../../../src/transports/cli/app.ts'

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
    'postgres://crm:a@SECRET?b@host/crm',
    'postgres://crm:a@SECRET/b@host/crm',
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

describe('a password with characters that were not encoded', () => {
  test.each([
    ['a slash', 'crm:12/SECRET'],
    ['a question mark', 'crm:12?SECRET'],
    ['a number sign', 'crm:12#SECRET'],
    ['a percent sign', 'crm:12%SECRET'],
    ['an @ and a slash', 'crm:a@12/SECRET'],
    ['an @ and a question mark', 'crm:a@SECRET?12'],
    ['a parameter', 'crm:12?SECRET=1'],
    ['everything', 'crm:/#?@%SECRET&pool=x'],
  ])('is not shown: %s', async (_, user) => {
    const platform = `postgres://${user}@127.0.0.1:1/crm?connect_timeout=1`
    const refusal = await openService(readConfig({ platform }, {})).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(CrmError)
    expect(inspect(refusal, { depth: 9 })).not.toMatch(/SECRET/i)
    const findings: Finding[] = []
    for await (const finding of examine({ flags: { platform }, environment: {}, version: '0', deep: false })) findings.push(finding)
    expect(findings.filter(({ state }) => state === 'bad')).not.toEqual([])
    expect(JSON.stringify(findings)).not.toMatch(/SECRET/i)
  })

  test('is refused with how to encode it', () => {
    for (const user of ['crm:12/SECRET', 'crm:12?SECRET', 'crm:a/SECRET', 'crm:a@12/SECRET'])
      expect(() => readAddress(`postgres://${user}@host/crm`)).toThrow(/must be encoded/)
  })
})
