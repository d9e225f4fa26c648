import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDocuments } from '../../src/core/oauth/metadata-documents.ts'
import { selfSigned } from '../core/webhooks/self-signed.ts'
import { authorizationUrl, authorize, CALLBACK, grantedTokens, newVerifier } from '../support/oauth.ts'
import { serverForTest } from '../support/server.ts'

const certificate = selfSigned('localhost')
let site: Server
let origin: string
/** How often each path was asked for. */
const asked: string[] = []

/** A site with documents of clients, good and hostile. */
beforeAll(async () => {
  site = createServer(certificate, (request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const client_id = `${origin}${path}`
    const json = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    const document = { client_id, client_name: 'Documented', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }
    if (path === '/good.json') json(document)
    else if (path === '/other.json') json({ ...document, client_id: `${origin}/good.json` })
    else if (path === '/secret.json') json({ ...document, token_endpoint_auth_method: 'client_secret_post' })
    else if (path === '/huge.json') json({ ...document, filler: 'x'.repeat(100_000) })
    else if (path === '/page.json') response.setHeader('content-type', 'text/html').end(JSON.stringify(document))
    else if (path === '/broken.json') response.setHeader('content-type', 'application/json').end('{')
    else if (path === '/redirect.json') response.writeHead(302, { location: `${origin}/good.json` }).end()
    else if (path === '/slow.json') response.setHeader('content-type', 'application/json').write('{')
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  origin = `https://localhost:${(site.address() as AddressInfo).port}`
})
afterAll(() => {
  site.closeAllConnections()
  site.close()
})

const local = (timeoutMs = 60_000) => createDocuments({ allowPrivate: true, ca: certificate.cert, timeoutMs })

describe('a metadata document', () => {
  test('is fetched once', async () => {
    const fetchDocument = local()
    asked.length = 0
    const [one, other] = await Promise.all([fetchDocument(`${origin}/good.json`, 'a'), fetchDocument(`${origin}/good.json`, 'b')])
    expect(one).toMatchObject({ client_name: 'Documented' })
    expect(other).toBe(one)
    expect(asked).toEqual(['/good.json'])
  })

  test.each([
    ['/other.json', 'does not name this client_id'],
    ['/huge.json', 'is larger than'],
    ['/page.json', 'is not application/json'],
    ['/broken.json', 'is not JSON'],
    ['/redirect.json', 'redirected, which is not followed'],
    ['/slow.json', 'did not arrive'],
    ['/missing.json', 'answered with 404'],
    ['/', 'has a path'],
    ['/a/../good.json', 'as a browser writes it'],
    ['/good.json#x', 'no fragment'],
  ])('at %s is refused', async (path, why) => {
    await expect(local(path === '/slow.json' ? 500 : undefined)(origin + path, 'a')).rejects.toThrow(why)
  })

  test('that is redirected is not asked for elsewhere', async () => {
    asked.length = 0
    await expect(local()(`${origin}/redirect.json`, 'a')).rejects.toThrow()
    expect(asked).toEqual(['/redirect.json'])
  })

  test.each([
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://[::1]/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.1.1/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://2130706433/x',
    'https://0/x',
  ])('at %s is not fetched', async (url) => {
    await expect(createDocuments({ allowPrivate: false })(new URL(url).href, 'a')).rejects.toThrow('private network')
  })

  test('on a host without a certificate that is trusted is refused', async () => {
    await expect(createDocuments({ allowPrivate: true })(`${origin}/good.json`, 'a')).rejects.toThrow('cannot be fetched')
  })

  test('that does not arrive keeps no others waiting for long, and few can be waited for', async () => {
    const fetchDocument = local(2_000)
    const slow = Array.from({ length: 20 }, (_, i) => fetchDocument(`${origin}/slow.json?${i}`, 'attacker').catch((error: Error) => error.message))
    expect(await fetchDocument(`${origin}/good.json`, 'another')).toMatchObject({ client_name: 'Documented' })
    const answers = await Promise.all(slow)
    expect(answers.filter((answer) => String(answer).includes('cannot be fetched now')).length).toBe(12)
  })
})

test('a client with a document is granted tokens without registering, and is named by its address', async () => {
  const server = await serverForTest({ clientDocuments: { allowPrivate: true, ca: certificate.cert } })
  const clientId = `${origin}/good.json`
  const { access_token } = await grantedTokens(server, clientId)
  onTestFinished(() => void asked.splice(0))
  const me = await server.call('get_current_user', {}, { authorization: `Bearer ${access_token}` })
  const { Records } = await server.call('get_many_keys', { Filters: { ClientID: clientId } })
  expect(Records).toMatchObject([{ KeyID: me.KeyID, Label: 'Documented' }])
})

test('a client on a private network is refused on a page, and is not asked for anything', async () => {
  const server = await serverForTest({ clientDocuments: { ca: certificate.cert } })
  asked.length = 0
  const { status, location, page } = await authorize(authorizationUrl(server, `${origin}/good.json`, newVerifier()))
  expect([status, location]).toEqual([400, null])
  expect(page).toContain('private network')
  expect(asked).toEqual([])
})
