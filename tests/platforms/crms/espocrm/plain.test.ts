import { describe, expect, test } from 'vitest'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { lifeOfALead, operationsOver, type PlainAnswer, type PlainRequest, plainServer, sentIn } from '../../../support/plain-server.ts'

const LEAD = '/api/v1/Lead'
const ID = '6af8fcb2bde998c05'
const SECRETS = { apiKey: 'key' }

/** Leads alone. */
function leads() {
  let row: { [attribute: string]: unknown } | undefined
  return ({ method, url, body }: PlainRequest): PlainAnswer => {
    if (url.pathname === LEAD && method === 'GET') return { status: 200, body: { total: row ? 1 : 0, list: row ? [row] : [] } }
    if (url.pathname === LEAD && method === 'POST') {
      row = { id: ID, ...JSON.parse(body), assignedUserId: null, createdAt: '2026-11-15 00:28:34', modifiedAt: '2026-11-15 00:28:34' }
      return { status: 200, body: row }
    }
    if (url.pathname !== `${LEAD}/${ID}` || !row) return { status: 404 }
    if (method === 'DELETE') {
      row = undefined
      return { status: 200, body: true }
    }
    if (method === 'PUT') row = { ...row, ...JSON.parse(body) }
    return { status: 200, body: row }
  }
}

describe('an EspoCRM of which little is to be seen', () => {
  test.each([404, 403, 405])('leads are made, read, changed and deleted where there is nothing but leads, and the rest is answered %s', async (status) => {
    const answer = leads()
    const { origin, requests } = await plainServer((request) => {
      const unknown = /\/(?:App|Metadata|I18n)/.test(request.url.pathname)
      return unknown ? { status } : answer(request)
    })
    const { crm, platform } = await operationsOver(espocrm, origin, SECRETS)
    await lifeOfALead(crm, ID)
    await platform.ping()
    const written = requests.filter(({ method }) => method !== 'GET')
    expect(sentIn(written)).toEqual([
      ['POST', expect.objectContaining({ firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.com', status: 'New' })],
      ['PUT', { firstName: 'Augusta' }],
      ['DELETE', undefined],
    ])
  })

  test('where nothing is there at all, the address is wrong', async () => {
    const { origin } = await plainServer(() => ({ status: 404 }))
    const hint = expect.stringContaining('address')
    await expect(operationsOver(espocrm, origin, SECRETS)).rejects.toMatchObject({ code: 'not_found', message: `There is no EspoCRM at ${origin}.`, hint })
  })

  test('who is not let in is told so', async () => {
    const answer = leads()
    const { origin } = await plainServer((request) => (request.url.pathname === LEAD ? { status: 401 } : answer(request)))
    await expect(operationsOver(espocrm, origin, SECRETS)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
