import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { type Behaviour, behaviour, type Context, theme } from './behaviour.ts'
import { ADA, phone, type Row } from './records.ts'
import { operation, propertiesOf, readBack, sample } from './walk-samples.ts'
import { callConfirmed, changeOf, lastChange } from './writes.ts'

const changing: readonly Operation[] = OPERATIONS.filter(({ verb, record }) => record.revised && (verb.startsWith('update') || verb.startsWith('delete')))

const inputFor = (operation: Operation, row: Row, n: number): Row => ({ [operation.record.id]: row[operation.record.id], ...changeOf(operation, n) })

/** A concurrent update between the read and the write of the caller. */
async function meanwhile({ crm }: Context, { record }: Operation, row: Row): Promise<void> {
  const update = changing.find((one) => one.record === record && !one.verb.startsWith('delete')) as Operation
  await crm.call(update.id, inputFor(update, row, 999))
}

const guarded = (operation: Operation): Behaviour =>
  behaviour(`${operation.name} with IfRevision loses no concurrent change`, async (context) => {
    const { crm, refused } = context
    const { record } = operation
    const row = await sample(context, record)
    const input = (n: number, IfRevision: unknown) => ({ ...inputFor(operation, row, n), IfRevision })
    const call = (n: number, IfRevision: unknown) => crm.call(operation.id, input(n, IfRevision))
    await meanwhile(context, operation, row)
    const now = await readBack(context, record, row[record.id])
    const error = await refused(call(1, row.Revision), 'conflict', { field: 'IfRevision', code: 'conflict', expected: String(now?.Revision) })
    assert.match(error.hint ?? '', /\w/)
    await refused(call(1, Number(now?.Revision) + 1), 'conflict')
    for (const wrong of [0, -1, 1.5, '1', true, null]) await refused(call(1, wrong), 'invalid_input', { field: 'IfRevision' })
    await refused(crm.call(operation.id, { ...inputFor(operation, { [record.id]: 'nothing' }, 1), IfRevision: 1 }), 'not_found')
    assert.deepEqual(await readBack(context, record, row[record.id]), now)

    const outcomes = await Promise.allSettled([1, 2, 3].map((n) => callConfirmed(context, crm, operation, input(n, now?.Revision))))
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
    const after = await readBack(context, record, row[record.id])
    // A workspace is there until all of it is erased.
    assert.equal(after === undefined || after.State === 'deleting', operation.verb.startsWith('delete'))
    if (after) assert.ok(Number(after.Revision) > Number(now?.Revision))
  })

export const lostUpdates = theme('lost updates', [
  behaviour('whatever updates or deletes a record with a revision takes IfRevision', async () => {
    for (const { id, input } of changing) assert.ok(propertiesOf(input).includes('IfRevision'), id)
    for (const { id, input } of OPERATIONS) if (propertiesOf(input).includes('IfRevision')) assert.ok(changing.includes(operation(id)), id)
  }),

  ...changing.map(guarded),

  behaviour('an undo is a change like any other', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const { Revision } = await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    await crm.changes.undo({ ChangeID: (await lastChange(context, LeadID)).ChangeID })
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(2) }, IfRevision: Revision }), 'conflict')
    await refused(crm.leads.delete({ LeadID, IfRevision: Revision }), 'conflict')
  }),

  behaviour('adding a child to a record is no change of it', async ({ crm, unique }) => {
    const { LeadID, Revision } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    await crm.leads.addNote({ LeadID, Note: 'x' })
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) }, IfRevision: Revision })
  }),
])
