import { describe, expect, test } from 'vitest'
import { refusalOf } from '../../../../src/platforms/crms/salesforce/errors.ts'
import { salesforce } from '../../../../src/platforms/crms/salesforce/salesforce.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { plainServer } from '../../../support/plain-server.ts'
import { account, CLIENT, create, good, refused, retry } from './account.ts'

const { open, simulator, requests } = account()

const ADA: StoredRecord = { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }
const TOKEN = '/services/oauth2/token'
const IDENTITY = '/id/00D5e000000001AEAQ/0055e000000001AAAQ'

const WRITE = { method: 'POST', path: '/services/data/v62.0/sobjects/Lead' } as const
const READ = { method: 'GET', path: '/services/data/v62.0/query?q=x' } as const
const meaning = (status: number, errorCode: string, request: typeof WRITE | typeof READ) =>
  refusalOf({ status, headers: {}, text: JSON.stringify([{ errorCode, message: 'no' }]) }, request, () => undefined)

describe('the code of an error counts before its status', () => {
  test.each([400, 500])('a lock passes, whatever the status: %i', (status) => {
    expect(meaning(status, 'UNABLE_TO_LOCK_ROW', WRITE)).toMatchObject({ code: 'platform_unavailable', retryable: true, unknown: undefined })
  })

  test('a single record that is locked is written once the lock is gone', async () => {
    const driver = await open()
    const id = await create(driver, 'Lead', ADA)
    simulator().faults.add('lock-row=2x:PATCH')
    expect(await driver.update('Lead', [{ id, changes: { Phone: '1' }, before: {} }])).toEqual([true])
    simulator().faults.add('lock-row=2x:DELETE')
    expect(await driver.delete('Lead', [id])).toEqual([true])
  })

  test.each([400, 500, 503])('what ran for too long is looked for before it is sent again: %i', (status) => {
    expect(meaning(status, 'REQUEST_RUNNING_TOO_LONG', WRITE)).toMatchObject({ code: 'outcome_unknown', unknown: 'ended' })
    expect(meaning(status, 'REQUEST_RUNNING_TOO_LONG', READ)).toMatchObject({ code: 'platform_unavailable', retryable: true })
    expect(meaning(status, 'SERVER_UNAVAILABLE', WRITE)).toMatchObject({ code: 'outcome_unknown', unknown: 'ended' })
  })

  test.each([400, 503])('maintenance passes, and says when to ask again: %i', (status) => {
    const error = meaning(status, 'INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE', WRITE)
    expect(error).toMatchObject({ code: 'platform_unavailable', hint: expect.stringContaining('maintained') })
    expect(error.retryAfterMs).toBeGreaterThan(1000)
  })

  test('an unknown error with a 500 still leaves the outcome open', () => {
    expect(meaning(500, 'UNKNOWN_EXCEPTION', WRITE)).toMatchObject({ code: 'outcome_unknown', unknown: 'ended' })
  })
})

/** An account whose sign-in works and whose API refuses everything. */
async function refusing(status: number, errorCode: string) {
  const server = await plainServer(({ url }, origin) =>
    url.pathname === TOKEN
      ? { status: 200, body: { access_token: 'token', instance_url: origin, token_type: 'Bearer' } }
      : { status, body: [{ errorCode, message: 'no' }] },
  )
  return { ...server, signIns: () => server.requests.filter(({ url }) => url.pathname === TOKEN).length }
}

const opening = (address: string) => ({
  address,
  settings: { quotaFloor: 0, timeoutMs: 5000, options: {} },
  secrets: CLIENT,
  tables: salesforce.tables({}),
  retry,
})

describe('what does not pass by itself', () => {
  test('an expired password is told with what to do, and no other session is asked for', async () => {
    const { origin, signIns } = await refusing(401, 'INVALID_OPERATION_WITH_EXPIRED_PASSWORD')
    const error = await refused(salesforce.open(opening(origin)))
    expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, hint: expect.stringContaining('password') })
    expect(signIns()).toBe(1)
  })

  test('a session that stays invalid is not renewed with every request', async () => {
    let refuses = false
    const server = await plainServer(({ url }, origin) => {
      if (url.pathname === TOKEN) return { status: 200, body: { access_token: 'token', instance_url: origin, token_type: 'Bearer' } }
      if (refuses) return { status: 401, body: [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired or invalid' }] }
      return url.pathname.endsWith('/query') ? { status: 200, body: { totalSize: 0, done: true, records: [] } } : { status: 404, body: [] }
    })
    const signIns = () => server.requests.filter(({ url }) => url.pathname === TOKEN).length
    const driver = await salesforce.open(opening(server.origin))
    refuses = true
    for (let call = 0; call < 6; call++) {
      expect(await refused(driver.get('Lead', ['00Q5e0000000001EAA']))).toMatchObject({ code: 'unauthenticated', hint: expect.stringContaining('API Enabled') })
    }
    // The one that was of use, and three that were not.
    expect(signIns()).toBe(4)
    refuses = false
    expect(await driver.get('Lead', ['00Q5e0000000001EAA'])).toEqual([])
    await driver.close()
  })

  test('a session that ends by chance, and an answer that is cut off, are not taken for lasting', async () => {
    const driver = await open()
    for (let time = 0; time < 5; time++) {
      simulator().faults.add('expired-session=1x')
      simulator().faults.add(`malformed=1x:${TOKEN}`)
      await driver.count('Lead', { where: [] })
      simulator().faults.add('expired-session=2x')
      await driver.count('Lead', { where: [] }).catch(() => {})
    }
    await driver.count('Lead', { where: [] })
  })

  test('a sign-in that is refused for good is not repeated with every request', async () => {
    let blocked = false
    const server = await plainServer(({ url }, origin) => {
      if (url.pathname === TOKEN && blocked) return { status: 400, body: { error: 'OAUTH_APP_BLOCKED', error_description: 'this app is blocked by admin' } }
      if (url.pathname === TOKEN)
        return { status: 200, body: { access_token: 'token', instance_url: origin, token_type: 'Bearer', id: `${origin}${IDENTITY}` } }
      return blocked ? { status: 401, body: [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired or invalid' }] } : { status: 404, body: [] }
    })
    const driver = await salesforce.open(opening(server.origin))
    blocked = true
    for (let call = 0; call < 5; call++) {
      const error = await refused(driver.count('Lead', { where: [] }))
      expect(error).toMatchObject({ code: 'unauthenticated', hint: expect.stringContaining('unblock') })
    }
    expect(server.requests.filter(({ url }) => url.pathname === TOKEN)).toHaveLength(2)
    await driver.close()
  })
})

describe('an object that the user may not see', () => {
  test.each([
    ['Campaign', { CampaignName: 'Fair', Status: 'Active' }, 'Marketing User'],
    ['Case', { Subject: 'Jam', Description: 'Sticks', Status: 'New' }, 'Read and Create of Case'],
  ])('a new %s is forbidden, with the permission that is missing', async (type, record, permission) => {
    const driver = await open()
    simulator().faults.add(`field-security=${type}.Id`)
    const [alone] = await driver.create(type, [record])
    expect(alone).toMatchObject({ code: 'forbidden', message: expect.stringContaining(type), hint: expect.stringContaining(permission) })
    const together = await driver.create(type, [record, record])
    expect(together).toMatchObject([{ code: 'forbidden' }, { code: 'forbidden' }])
  })

  test('a modern note too', async () => {
    const driver = await open({}, { notes: 'ContentNote' })
    const lead = await create(driver, 'Lead', ADA)
    simulator().faults.add('field-security=ContentNote.Id')
    const [note] = await driver.create('Note', [{ RecordID: lead, Note: 'Hello' }], 'Lead')
    expect(note).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('ContentNote') })
  })
})

test('a record that is gone is still not found', async () => {
  const driver = await open()
  const id = await create(driver, 'Lead', ADA)
  await driver.delete('Lead', [id])
  requests.length = 0
  expect(good((await driver.update('Lead', [{ id, changes: { Phone: '1' }, before: {} }]))[0])).toBe(false)
})
