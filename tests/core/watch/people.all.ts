import { describe, expect, test } from 'vitest'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { type WatchedAccount, watchedAccount } from './account.ts'

const QUARTER_MS = 15 * 60_000

const lead = async ({ other }: WatchedAccount, LastName: string) =>
  (await other.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName, Status: 'Open' }))).LeadID as string

/** The events of a poll. */
async function newsOf(account: WatchedAccount): Promise<string[]> {
  const cursor = await account.cursor()
  await account.simulator.advance(10_000)
  await account.poll()
  return (await account.events(cursor)).map(({ Type, RecordID }) => `${Type} ${RecordID}`).sort()
}

describe.each(ALL_CRMS)('people in %s', (name, crm) => {
  test('restore what was deleted long ago, which is created again', async ({ onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const id = await lead(account, 'Lovelace')
    await account.poll()
    await account.simulator.advance(QUARTER_MS)
    await account.other.write(1, (writer) => writer.delete('Lead', id))
    expect(await newsOf(account)).toEqual([`lead.deleted ${id}`])
    await account.simulator.advance(QUARTER_MS)
    expect(await newsOf(account)).toEqual([])
    expect(await account.people.restore('Lead', id)).toBe(true)
    expect(await newsOf(account)).toEqual([`lead.created ${id}`])
    expect(await newsOf(account)).toEqual([])
  })

  test('merge records, of which one is left', async ({ onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const [kept, lost] = [await lead(account, 'Lovelace'), await lead(account, 'King')]
    await account.poll()
    await account.simulator.advance(QUARTER_MS)
    await account.poll()
    expect(await account.people.merge('Lead', kept, lost)).toBe(true)
    expect(await newsOf(account)).toEqual([`lead.deleted ${lost}`])
    expect(await account.mirror()).toEqual(await account.account())
  })

  test('set the clock back, and what is changed then is announced', async ({ onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const id = await lead(account, 'Lovelace')
    await account.poll()
    account.simulator.faults.add('clock-skew=3600s')
    await account.other.write(1, (writer) => writer.update('Lead', id, { LastName: 'King' }))
    expect(await newsOf(account)).toEqual([`lead.updated ${id}`])
  })
  test.runIf(name === 'salesforce')('merge companies, whose contacts move without a new date', async ({ onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const create = (type: string, record: StoredRecord) => account.other.write(1, (writer) => writer.create(type, record))
    const [kept, lost] = [
      (await create('Company', { CompanyName: 'Navy' })).CompanyID as string,
      (await create('Company', { CompanyName: 'navy' })).CompanyID as string,
    ]
    const { ContactID } = await create('Contact', { LastName: 'Hopper', CompanyID: lost })
    await account.poll()
    await account.simulator.advance(QUARTER_MS)
    await account.poll()
    expect(await account.people.merge('Company', kept, lost)).toBe(true)
    expect(await newsOf(account)).toEqual([`company.deleted ${lost}`, `contact.updated ${ContactID}`])
  })

  test.runIf(name === 'salesforce')('restore a company, and with it what was deleted with it', async ({ onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const create = (type: string, record: StoredRecord) => account.other.write(1, (writer) => writer.create(type, record))
    const { CompanyID } = await create('Company', { CompanyName: 'Navy' })
    const { ContactID } = await create('Contact', { LastName: 'Hopper', CompanyID: CompanyID as string })
    await account.poll()
    await account.simulator.advance(QUARTER_MS)
    await account.other.write(1, (writer) => writer.delete('Company', CompanyID as string))
    expect(await newsOf(account)).toEqual([`company.deleted ${CompanyID}`, `contact.deleted ${ContactID}`])
    await account.simulator.advance(QUARTER_MS)
    await account.poll()
    expect(await account.people.restore('Company', CompanyID as string)).toBe(true)
    expect(await newsOf(account)).toEqual([`company.created ${CompanyID}`, `contact.created ${ContactID}`])
  })
})
