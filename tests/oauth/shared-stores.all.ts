import { describe, expect, test, vi } from 'vitest'
import { removeExpiredKeys } from '../../src/core/access/expired-keys.ts'
import { authorizationUrl, consent, grantedCode, grantedTokens, newVerifier, postForm, redemption, register, ticketOf } from '../support/oauth.ts'
import { serverForTest, type TestServer } from '../support/server.ts'
import { SHARED_STORES } from '../support/shared-stores.ts'

const publicUrl = 'https://crm.example.com'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe.each(Object.entries(SHARED_STORES))('two servers over one %s', (_, place) => {
  async function servers(): Promise<{ readonly pair: [TestServer, TestServer]; readonly ask: (sql: string) => Promise<readonly Record<string, unknown>[]> }> {
    const { open, ask } = await place()
    const one = await serverForTest({ publicUrl, open })
    return { pair: [one, await serverForTest({ publicUrl, open, key: one.key })], ask }
  }

  test('serve one flow together: registered here, decided there, redeemed once', async () => {
    const { pair, ask } = await servers()
    const [one, two] = pair
    const { client_id } = await register(one)
    const verifier = newVerifier()
    const Request = await ticketOf(authorizationUrl(two, client_id, verifier))
    const { body } = await consent(one, { Request, Allow: true, Scopes: ['read'] })
    expect((await consent(two, { Request, Allow: true, Scopes: ['read'] })).status).toBe(404)
    const code = new URL(body.Location).searchParams.get('code') ?? ''
    const redeemed = await postForm(two, '/oauth/token', redemption(client_id, { code, verifier }))
    expect(redeemed.status).toBe(200)
    await one.call('get_current_user', {}, bearer(redeemed.body.access_token))
    expect((await postForm(one, '/oauth/token', redemption(client_id, { code, verifier }))).body.error).toBe('invalid_grant')
    await vi.waitFor(async () => expect((await two.post('get_current_user', {}, bearer(redeemed.body.access_token))).status).toBe(401), 60_000)

    const stored = JSON.stringify(await ask('SELECT * FROM "Key"')) + JSON.stringify(await ask('SELECT * FROM "Change"'))
    for (const secret of [code, verifier, redeemed.body.access_token, redeemed.body.refresh_token]) expect(stored).not.toContain(secret)
  })

  test('exchange a refresh token once, whichever is asked', async () => {
    const { pair } = await servers()
    const { client_id } = await register(pair[0])
    const { refresh_token } = await grantedTokens(pair[0], client_id)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => postForm(pair[i % 2] as TestServer, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })),
    )
    const given = answers.filter(({ status }) => status === 200)
    expect(given).toHaveLength(1)
    for (const server of pair)
      await vi.waitFor(async () => expect((await server.post('get_current_user', {}, bearer(given[0]?.body.access_token ?? ''))).status).toBe(401), 60_000)
  })

  test('end the tokens of a key with it, and remove what has ended', async () => {
    const { pair, ask } = await servers()
    const [one, two] = pair
    const { KeyID, Key } = await one.call('create_key', { Scopes: ['read'] })
    const issued = await postForm(two, '/oauth/token', { grant_type: 'client_credentials', client_id: KeyID as string, client_secret: Key as string })
    await one.call('get_current_user', {}, bearer(issued.body.access_token))
    await one.call('revoke_key', { KeyID })
    await vi.waitFor(async () => expect((await two.post('get_current_user', {}, bearer(issued.body.access_token))).status).toBe(401), 60_000)

    const { client_id } = await register(one)
    await grantedCode(one, client_id)
    const count = async () => Number(Object.values((await ask('SELECT COUNT(*) FROM "Key"'))[0] ?? {})[0])
    expect(await count()).toBe(4)
    await removeExpiredKeys({ ...one.service, now: () => new Date(Date.now() + 100 * 86_400_000) })
    expect(await count()).toBe(2)
  })
})
