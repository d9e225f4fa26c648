import { describe, expect, test } from 'vitest'
import { salesforce } from '../../../../src/platforms/crms/salesforce/salesforce.ts'
import { lifeOfALead, operationsOver, type PlainAnswer, type PlainRequest, plainServer, sentIn } from '../../../support/plain-server.ts'
import { CLIENT } from './account.ts'

const DATA = '/services/data/v62.0'
const ID = '00Q5e0000000001EAA'
const AT = '2026-05-01T07:25:37.000+0000'
const MISSING: PlainAnswer = { status: 404, body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }] }

/** Leads alone: a token, `/sobjects/Lead` and `/query`. */
function leads() {
  let row: { [field: string]: unknown } | undefined
  return ({ method, url, body }: PlainRequest, origin: string): PlainAnswer => {
    if (url.pathname === '/services/oauth2/token') return { status: 200, body: { access_token: 'token', instance_url: origin, token_type: 'Bearer' } }
    if (url.pathname === `${DATA}/query`) {
      const soql = url.searchParams.get('q') ?? ''
      if (!soql.includes('FROM Lead')) return { status: 400, body: [{ errorCode: 'INVALID_TYPE', message: 'sObject type is not supported.' }] }
      const records = row ? [{ attributes: { type: 'Lead' }, ...row }] : []
      return { status: 200, body: { totalSize: records.length, done: true, records } }
    }
    if (method === 'POST' && url.pathname === `${DATA}/sobjects/Lead`) {
      row = { Id: ID, ...JSON.parse(body), OwnerId: '0055e0000000001AAA', CreatedDate: AT, LastModifiedDate: AT }
      return { status: 201, body: { id: ID, success: true, errors: [] } }
    }
    if (url.pathname !== `${DATA}/sobjects/Lead/${ID}` || !row) return MISSING
    row = method === 'DELETE' ? undefined : { ...row, ...JSON.parse(body) }
    return { status: 204 }
  }
}

describe('an account of which little is to be seen', () => {
  test('leads are made, read, changed and deleted where there is nothing but leads', async () => {
    const { origin, requests } = await plainServer(leads())
    const { crm, platform } = await operationsOver(salesforce, origin, CLIENT)
    await lifeOfALead(crm, ID)
    await platform.ping()
    const written = requests.filter(({ url, method }) => url.pathname.includes('/sobjects/Lead') && method !== 'GET')
    expect(sentIn(written)).toEqual([
      ['POST', expect.objectContaining({ FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Status: 'Open - Not Contacted' })],
      ['PATCH', { FirstName: 'Augusta' }],
      ['DELETE', undefined],
    ])
  })

  test('objects are described one by one where there are no batches', async () => {
    const describe = { name: 'Lead', keyPrefix: '00Q', fields: [] }
    const answer = leads()
    const { origin, requests } = await plainServer((request, at) =>
      request.url.pathname === `${DATA}/sobjects/Lead/describe`
        ? { status: 200, body: { ...describe, fields: salesforceFields() } }
        : request.url.pathname.endsWith('/composite')
          ? { status: 403, body: { message: 'not allowed here' } }
          : answer(request, at),
    )
    const { platform } = await operationsOver(salesforce, origin, CLIENT)
    expect(platform.supports.fields.Lead).toMatchObject({ LastName: { max: 80 }, Phone: { max: 40 } })
    expect(requests.map(({ url }) => url.pathname).filter((path) => path.endsWith('/describe'))).toHaveLength(Object.keys(salesforce.tables({})).length)
  })

  test('what hides a field still refuses', async () => {
    const answer = leads()
    const { origin } = await plainServer((request, at) =>
      request.url.pathname === `${DATA}/sobjects/Lead/describe`
        ? { status: 200, body: { name: 'Lead', keyPrefix: '00Q', fields: salesforceFields().filter(({ name }) => name !== 'Phone') } }
        : answer(request, at),
    )
    await expect(operationsOver(salesforce, origin, CLIENT)).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('Phone') })
  })

  test.each([
    [401, [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired or invalid' }], 'unauthenticated'],
    [403, [{ errorCode: 'API_DISABLED_FOR_ORG', message: 'API is not enabled for this Organization or Partner' }], 'forbidden'],
  ])('who is not let in is told so: %s', async (status, body, code) => {
    const answer = leads()
    const { origin } = await plainServer((request, at) => (request.url.pathname.startsWith(DATA) ? { status, body } : answer(request, at)))
    await expect(operationsOver(salesforce, origin, CLIENT)).rejects.toMatchObject({ code })
  })
})

/** The fields of a lead as an account tells them. */
const salesforceFields = () =>
  Object.values(salesforce.tables({}).Lead?.fields ?? {}).flatMap((place) => (place ? [{ name: place.name, label: place.name, type: 'string' }] : []))
