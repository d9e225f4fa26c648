import { expect, test } from 'vitest'
import { serverForTest } from '../support/server.ts'

test('the currency is told to the console where one is set', async () => {
  for (const currency of [undefined, 'EUR']) {
    const { url } = await serverForTest({ currency })
    expect(await (await fetch(`${url}/sign-in`)).json()).toEqual({ Oidc: null, SignedIn: false, ...(currency && { Currency: currency }) })
  }
})
