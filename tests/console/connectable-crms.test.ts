import { describe, expect, test } from 'vitest'
import { CRMS, wayOf } from '../../console/src/connections/crms.ts'
import { partsOf } from '../../src/app/crms.ts'
import { CONNECTABLE } from '../../src/contract/records/connection.ts'

test('the console offers the CRMs that can be connected', () => {
  expect(CRMS.map(({ platform }) => platform)).toEqual(CONNECTABLE)
})

describe.each(CRMS)('$label', ({ platform, browser, ways }) => {
  test('takes the secrets that its ways to sign in ask for, and each secret is asked for by one of them', async () => {
    const { secrets } = await partsOf(platform).kind()
    const asked = new Set(ways.flatMap((way) => way.secrets.map(({ name }) => name)))
    expect([...asked].sort()).toEqual(Object.keys(secrets).sort())
  })

  test('is allowed in a browser with the secrets that its form asks for', async () => {
    const { authorization } = await partsOf(platform).kind()
    const names = (optional: boolean) => browser?.secrets.filter((one) => (one.optional ?? false) === optional).map(({ name }) => name)
    expect({ needed: names(false), optional: names(true) }).toEqual({ needed: authorization?.secrets.needed, optional: authorization?.secrets.optional })
  })

  test('a way to sign in is told by the names of the secrets', () => {
    for (const way of ways) {
      const SecretNames = way.secrets.filter(({ optional }) => !optional).map(({ name }) => name)
      expect(wayOf({ Platform: platform, SignIn: 'secrets', SecretNames })?.id).toBe(way.id)
    }
  })
})
