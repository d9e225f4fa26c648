import { describe, expect, test } from 'vitest'
import { CrmError } from '../../../../src/contract/errors.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { withMovedClock } from '../../../support/moved-clock.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const KEY = { idempotencyKey: 'k' }

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as CrmError,
  )

describe.each(ALL_CRMS)('%s carries out a write long after its connection was lost', (_name, kind) => {
  async function createdLate(seconds: number): Promise<void> {
    const { simulator, start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    simulator.faults.add(`late=${seconds}s`)
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown' })
    simulator.faults.clear()
    await pass(seconds - 1)
    const error = await errorOf(crm.leads.create(ADA, KEY))
    expect(error).toMatchObject({ code: 'outcome_unknown', retryable: true, message: expect.stringContaining('has not answered an earlier call') })
    expect((await crm.leads.getMany({})).Records).toEqual([])
    await pass(1)
    const { LeadID } = await crm.leads.create(ADA, KEY)
    await pass(600)
    expect(await crm.leads.create(ADA, KEY)).toMatchObject({ LeadID })
    expect((await crm.leads.getMany({})).Records).toMatchObject([{ LeadID }])
    expect((await crm.events.getMany({})).Events).toHaveLength(1)
  }

  test('a create with a key leaves one record, 10, 40 and 90 s late, however often it is repeated', async () => {
    await Promise.all([10, 40, 90].map(createdLate))
  })

  test('and a process that was started since knows that it may', async () => {
    const { simulator, start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    simulator.faults.add('late=90s')
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown' })
    simulator.faults.clear()
    await pass(60)
    const again = await start()
    expect(await errorOf(again.crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown', retryable: true })
    await pass(60)
    await again.crm.leads.create(ADA, KEY)
    expect((await again.crm.leads.getMany({})).Records).toHaveLength(1)
  })

  test('and so does one that was started because the other has crashed', async () => {
    const { simulator, store, start, pass } = await withMovedClock(kind)
    let left = Number.POSITIVE_INFINITY
    const write: Store['write'] = (...call) => (left-- > 0 ? store.write(...call) : Promise.reject(new Error('The process has ended.')))
    const crashing = await start({ ...store, write })
    simulator.faults.add('late=90s')
    // It opens the key, and ends before it can store what came of the call.
    left = 1
    await errorOf(crashing.crm.leads.create(ADA, KEY))
    simulator.faults.clear()
    const { crm } = await start()
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'in_progress', retryable: true })
    await pass(60)
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown', retryable: true })
    await pass(30)
    await crm.leads.create(ADA, KEY)
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  })

  test('a record that the store could not note is found again by the same process', async () => {
    const { store, start, pass } = await withMovedClock(kind)
    let left = Number.POSITIVE_INFINITY
    const write: Store['write'] = (...call) => (left-- > 0 ? store.write(...call) : Promise.reject(new Error('The disk is full.')))
    const { crm } = await start({ ...store, write })
    left = 1
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'internal' })
    left = Number.POSITIVE_INFINITY
    await pass(600)
    await crm.leads.create(ADA, KEY)
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  })

  test('a change and a delete are carried out once, too', async () => {
    const { simulator, start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    const { LeadID } = await crm.leads.create(ADA)
    const writes = [
      () => crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Augusta' } }, { idempotencyKey: 'change' }),
      () => crm.leads.delete({ LeadID }, { idempotencyKey: 'delete' }),
    ]
    for (const write of writes) {
      simulator.faults.add('late=40s')
      expect(await errorOf(write())).toMatchObject({ code: 'outcome_unknown' })
      simulator.faults.clear()
      await pass(39)
      expect(await errorOf(write())).toMatchObject({ code: 'outcome_unknown', retryAfter: expect.any(Number) })
      await pass(1)
      await write()
    }
    expect((await crm.events.getMany({})).Events.map(({ Type }) => Type)).toEqual(['lead.created', 'lead.updated', 'lead.deleted'])
  })

  test('one that never arrived is sent again when the error says so, and not before', async () => {
    const { simulator, start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    simulator.faults.add('drop-before=1x:POST')
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown' })
    const error = await errorOf(crm.leads.create(ADA, KEY))
    expect(error).toBeInstanceOf(CrmError)
    const wait = (error as CrmError).retryAfter as number
    expect(wait).toBeGreaterThan(110)
    // Asking meanwhile does not put it off.
    await pass(wait - 5)
    expect((await errorOf(crm.leads.create(ADA, KEY)))?.retryAfter).toBeLessThanOrEqual(5)
    expect((await crm.leads.getMany({})).Records).toEqual([])
    await pass(5)
    await crm.leads.create(ADA, KEY)
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  })
})

describe.each(ALL_CRMS)('what %s has reported of a create survives the process', (_name, kind) => {
  test('a record that could not be read is not created again, although it was renamed meanwhile', async () => {
    const { simulator, start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    // The answer to the create is cut off, so that the id is not known either.
    simulator.faults.add('malformed=1x:POST')
    simulator.faults.add('error=1:GET')
    simulator.faults.add('error=1:/search')
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown' })
    simulator.faults.clear()
    const made = (await crm.leads.getMany({})).Records
    expect(made).toHaveLength(1)
    await crm.leads.update({ LeadID: made[0]?.LeadID as string, FieldsToUpdate: { LastName: 'King' } })
    await pass(600)
    const again = await start()
    const error = await errorOf(again.crm.leads.create(ADA, KEY))
    expect(error).toMatchObject({ code: 'outcome_unknown', message: expect.stringContaining('has executed the call') })
    expect((await again.crm.leads.getMany({})).Records).toHaveLength(1)
  })
})

describe.each(ALL_CRMS)('two calls that create the same on %s', (_name, kind) => {
  test('one that was executed is sent again where the other, which was not, has taken its record', async () => {
    const { simulator, start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    simulator.faults.add('drop-before=1x:POST')
    expect(await errorOf(crm.leads.create(ADA, { idempotencyKey: 'lost' }))).toMatchObject({ code: 'outcome_unknown' })
    simulator.faults.add('malformed=1x:POST')
    simulator.faults.add('error=1:GET')
    simulator.faults.add('error=1:/search')
    expect(await errorOf(crm.leads.create(ADA, { idempotencyKey: 'executed' }))).toMatchObject({ code: 'outcome_unknown' })
    simulator.faults.clear()
    await pass(600)
    const lost = await crm.leads.create(ADA, { idempotencyKey: 'lost' })
    const executed = await crm.leads.create(ADA, { idempotencyKey: 'executed' })
    expect(executed.LeadID).not.toBe(lost.LeadID)
    expect((await crm.leads.getMany({})).Records).toHaveLength(2)
  })
})

describe('a record of which salesforce has told the id alone', () => {
  test('is read by it after a restart, although it was renamed meanwhile', async () => {
    const { simulator, start, pass } = await withMovedClock(SALESFORCE)
    const { crm } = await start()
    simulator.faults.add('error=1:GET')
    simulator.faults.add('error=1:/composite')
    expect(await errorOf(crm.leads.create(ADA, KEY))).toMatchObject({ code: 'outcome_unknown' })
    simulator.faults.clear()
    const [made] = (await crm.leads.getMany({})).Records
    const LeadID = made?.LeadID as string
    await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' } })
    await pass(600)
    const again = await start()
    expect(await again.crm.leads.create(ADA, KEY)).toMatchObject({ LeadID, LastName: 'King' })
  })
})
