import { describe, expect, test } from 'vitest'
import { driverError, refusalOf } from '../../../../src/platforms/crms/salesforce/errors.ts'
import { TABLES } from '../../../../src/platforms/crms/salesforce/tables.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { account, create, good, one, refused } from './account.ts'

const { open, simulator, requests } = account()

const ADA: StoredRecord = { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }

describe('what passes', () => {
  test('a session that has ended is renewed once, and the request sent once more', async () => {
    const driver = await open()
    simulator().faults.add('expired-session=1x')
    const id = await create(driver, 'Lead', ADA)
    expect(await one(driver, 'Lead', id)).toMatchObject(ADA)
    expect(requests.filter(({ path }) => path === '/services/oauth2/token')).toHaveLength(2)
  })

  test.each(['rate-limit=2x', 'lock-row=2x'])('%s is tried again, since nothing has happened', async (fault) => {
    const driver = await open()
    simulator().faults.add(`${fault}:POST`)
    await create(driver, 'Lead', ADA)
    simulator().faults.add(`${fault}:POST`)
    const made = await driver.create('Lead', [ADA, ADA, ADA])
    expect(made.map((each) => typeof (good(each) as { id: string }).id)).toEqual(['string', 'string', 'string'])
    expect(await driver.count('Lead', { where: [] })).toBe(4)
  })

  test('a note that is locked is tried again too', async () => {
    const driver = await open({}, { notes: 'ContentNote' })
    const lead = await create(driver, 'Lead', ADA)
    simulator().faults.add('lock-row=2x:POST')
    await create(driver, 'Note', { RecordID: lead, Note: 'Locked at first' }, 'Lead')
    expect(await driver.count('Note', { where: [{ field: 'RecordID', family: 'text', operator: 'eq', value: lead }] })).toBe(1)
  })

  test.each(['error=2x:GET', 'drop-before=2x:GET', 'malformed=2x:GET'])('a read survives %s', async (fault) => {
    const driver = await open()
    const id = await create(driver, 'Lead', ADA)
    simulator().faults.add(fault)
    expect(await one(driver, 'Lead', id)).toMatchObject(ADA)
  })

  test('a refusal that nobody can read is asked for once more', async () => {
    const driver = await open()
    simulator().faults.add('malformed=1x:POST')
    const [error] = await driver.create('Opportunity', [{ OpportunityName: 'Engine' }])
    expect(error).toMatchObject({ code: 'platform_rejected', errors: [{ code: 'missing' }, { code: 'missing' }] })
    expect(simulator().faults.list()).toEqual(['malformed=0x:POST'])
  })
})

describe('what does not', () => {
  test('a lock that stays is told as something that may pass', async () => {
    const driver = await open()
    simulator().faults.add('lock-row=1')
    for (const records of [[ADA], [ADA, ADA]]) {
      const [error] = await driver.create('Lead', records)
      expect(error).toMatchObject({ code: 'platform_unavailable' })
    }
  })

  test('the quota of a day is not tried again', async () => {
    const driver = await open()
    simulator().faults.add('daily-quota=0')
    const error = await refused(driver.get('Lead', ['00Q5e0000000001EAA']))
    expect(error).toMatchObject({ code: 'rate_limited', retryable: false })
    expect(error.retryAfterMs).toBeGreaterThan(0)
  })

  test.each([
    ['error-after=1x:POST', 'ended'],
    ['error=1x:POST', 'ended'],
    ['drop-after=1x:POST', 'open'],
    ['malformed=1x:POST', 'done'],
  ])('nobody knows how a write ended after %s', async (fault, unknown) => {
    const driver = await open()
    simulator().faults.add(fault)
    const [error] = await driver.create('Lead', [ADA])
    expect(error).toMatchObject({ code: 'outcome_unknown', unknown, retryable: false })
  })

  test('a field that is hidden is named, with what to do', async () => {
    const driver = await open()
    simulator().faults.add('field-security=Lead.Email')
    const [written] = await driver.create('Lead', [{ ...ADA, Email: 'ada@example.com' }])
    expect(written).toMatchObject({ code: 'forbidden', errors: [{ field: 'Email' }], hint: expect.stringContaining('permission') })
    const read = await refused(driver.get('Lead', ['00Q5e0000000001EAA']))
    expect(read).toMatchObject({ code: 'forbidden', errors: [{ field: 'Email' }] })
  })

  test('everything that is wrong is told, in our names', () => {
    const table = TABLES.Opportunity
    const error = driverError(
      [
        { errorCode: 'REQUIRED_FIELD_MISSING', message: 'Required fields are missing: [Name, StageName]', fields: ['Name', 'StageName'] },
        { errorCode: 'STRING_TOO_LONG', message: 'Secret: data value too large', fields: ['Secret__c'] },
      ],
      400,
      table,
    )
    expect(error.code).toBe('platform_rejected')
    expect(error.errors?.map(({ field, code }) => [field, code])).toEqual([
      ['OpportunityName', 'missing'],
      ['Stage', 'missing'],
      ['Secret__c', 'length'],
    ])
    expect(error.message).toContain('Secret: data value too large')
  })

  test.each([
    ['INVALID_FIELD', "No such column 'StageName' on sobject of type Opportunity", ['Stage']],
    ['REQUIRED_FIELD_MISSING', 'Required fields are missing: [Name, StageName]', ['OpportunityName', 'Stage']],
    ['INVALID_FIELD_FOR_INSERT_UPDATE', 'Unable to create/update fields: Name, Amount. Please check the security settings.', ['OpportunityName', 'Amount']],
    ['DUPLICATE_VALUE', 'duplicate value found: Number__c duplicates value on record with id: 0065e0000000001', ['Number__c']],
    ['NUMBER_OUTSIDE_VALID_RANGE', 'Amount: value outside of valid range: 1e30', ['Amount']],
    ['FIELD_INTEGRITY_EXCEPTION', 'Close Date: invalid date', ['CloseDate']],
    ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'SetOwner: execution of BeforeInsert', undefined],
  ] as const)('%s names its fields in the message only: %s', (errorCode, message, fields) => {
    expect(driverError([{ errorCode, message }], 400, TABLES.Opportunity).errors?.map(({ field }) => field)).toEqual(fields)
  })

  test.each([403, 404, 400, 502])('an answer without a reason is told by its status, %i', (status) => {
    for (const text of ['<html>No</html>', '', '[]']) {
      const error = refusalOf({ status, headers: {}, text }, { method: 'GET', path: '/x' }, () => undefined)
      expect(error.message).toContain(`status ${status}`)
    }
  })

  test('a time to wait may be a moment', () => {
    const headers = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }
    const { retryAfterMs = 0 } = refusalOf({ status: 429, headers, text: '' }, { method: 'GET', path: '/x' }, () => undefined)
    expect(retryAfterMs).toBeGreaterThan(50_000)
  })

  test.each(['1699-12-31', '4001-01-01', '0001-01-01', '9999-12-31'])('a day that Salesforce does not know is not sent: %s', async (CloseDate) => {
    const driver = await open()
    requests.length = 0
    const [refusedOne] = await driver.create('Opportunity', [{ OpportunityName: 'x', Stage: 'Prospecting', CloseDate }])
    expect(refusedOne).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'CloseDate', message: expect.stringContaining('4000-12-31') }] })
    expect(requests).toEqual([])
  })

  test.each([
    [403, [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'ConcurrentRequests Limit exceeded.' }], 'rate_limited', true],
    [403, [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }], 'rate_limited', false],
    [400, [{ errorCode: 'UNABLE_TO_LOCK_ROW', message: 'busy' }], 'platform_unavailable', true],
    [403, [{ errorCode: 'API_DISABLED_FOR_ORG', message: 'no' }], 'forbidden', false],
    [404, [{ errorCode: 'NOT_FOUND', message: 'gone' }], 'forbidden', false],
    [404, [{ errorCode: 'ENTITY_IS_DELETED', message: 'entity is deleted' }], 'not_found', false],
    [400, [{ errorCode: 'DUPLICATES_DETECTED', message: 'Use one of these records?' }], 'platform_rejected', false],
    [400, [{ errorCode: 'SOMETHING_NEW', message: 'new' }], 'platform_rejected', false],
    [429, [], 'rate_limited', true],
    [414, [], 'unsupported', false],
  ] as const)('%i %j is %s', (status, body, code, retryable) => {
    const error = refusalOf(
      { status, headers: { 'retry-after': '7' }, text: JSON.stringify(body) },
      { method: 'POST', path: '/services/data/v62.0/sobjects/Lead' },
      () => undefined,
    )
    expect(error).toMatchObject({ code, retryable })
    if (code === 'rate_limited') expect(error.retryAfterMs).toBe(7000)
  })

  test('a gateway that answers with a page is not mistaken for Salesforce', () => {
    const answer = { status: 503, headers: {}, text: '<html>Down for maintenance</html>' }
    expect(refusalOf(answer, { method: 'GET', path: '/x' }, () => undefined)).toMatchObject({ code: 'platform_unavailable', retryable: true })
    expect(refusalOf(answer, { method: 'POST', path: '/x' }, () => undefined)).toMatchObject({ code: 'outcome_unknown', unknown: 'ended' })
  })

  test('nothing is sent while too little of the quota is left', async () => {
    const driver = await open({ settings: { quotaFloor: 14_999, timeoutMs: 5000, options: {} } })
    await driver.count('Lead', { where: [] })
    requests.length = 0
    const error = await refused(driver.get('Lead', ['00Q5e0000000001EAA']))
    expect(error).toMatchObject({ code: 'rate_limited', retryable: false })
    expect(requests).toEqual([])
  })
})
