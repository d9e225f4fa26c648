import assert from 'node:assert/strict'
import { FAMILIES, FIELD_KINDS } from '../contract/fields.ts'
import { LIMITS } from '../contract/limits.ts'
import { recordType } from '../contract/operations.ts'
import { undoneWhole } from './batch-undo.ts'
import type { Context } from './behaviour.ts'
import { beginning } from './everything.ts'
import { ADA, GRACE, RARE, type Row } from './records.ts'
import { answered, idsOf, type Proof, type Proofs, propertiesOf, readBack, sample } from './walk-samples.ts'

const createdChange = async ({ crm }: Context, RecordID: string) => (await crm.changes.getMany({ Filters: { RecordID } })).Records[0]?.ChangeID ?? ''

/** Of two changes, the one that is named is taken back. */
const undone: Proof = async (context, operation) => {
  const { crm, refused } = context
  const [first, second] = [await crm.leads.create(ADA), await crm.leads.create(GRACE)]
  const { RecordID } = await answered(context, operation, { ChangeID: await createdChange(context, first.LeadID) })
  assert.equal(RecordID, first.LeadID)
  await refused(crm.leads.get({ LeadID: first.LeadID }), 'not_found')
  assert.equal((await crm.leads.get({ LeadID: second.LeadID })).Revision, second.Revision)
}

/** Of two batches, the one that is named. */
const undoneBatch: Proof = async (context, operation) => {
  const { crm } = context
  const [first, second] = [await crm.batch({ Operations: [leadOf(ADA)] }), await crm.batch({ Operations: [leadOf(GRACE)] })]
  const { Undone, Left } = await answered(context, operation, { BatchID: first.BatchID })
  assert.deepEqual([Undone, Left], [1, 0])
  const found = async ({ Results }: typeof first) => {
    const [LeadID = ''] = Results.map(({ Result }) => (Result as { LeadID: string }).LeadID)
    return (await crm.leads.getMany({ Filters: { LeadID } })).Records.length
  }
  assert.deepEqual([await found(first), await found(second)], [0, 1])
}

/** Of a batch one of whose records has changed since, the rest is undone. */
const undoneApart: Proof = async (context, operation) => {
  const { crm } = context
  const { BatchID, Results } = await crm.batch({ Operations: [leadOf(ADA), leadOf(GRACE)] })
  const [, LeadID = ''] = Results.map(({ Result }) => (Result as { LeadID: string }).LeadID)
  await crm.leads.update({ LeadID, FieldsToUpdate: { Title: 'Countess' } })
  const { Undone, Left } = await undoneWhole(() => answered(context, operation, { BatchID, Atomic: false }))
  assert.deepEqual([Undone, Left], [1, 1])
}

const leadOf = (Input: Row) => ({ Operation: 'create_a_lead' as const, Input })

/** A record of every type that can be erased goes by its type and id, and by no other. */
const erased: Proof = async (context, operation) => {
  const { RecordType } = (operation.input as unknown as { properties: { RecordType: { enum: string[] } } }).properties
  for (const name of RecordType.enum) {
    const type = recordType(name)
    const [gone, stays] = [await sample(context, type), await sample(context, type)]
    const RecordID = gone[type.id] as string
    for (const other of RecordType.enum.filter((one) => one !== name))
      await context.refused(context.crm.call(operation.id, { RecordType: other, RecordID }), 'not_found', { field: 'RecordID' })
    assert.ok(await readBack(context, type, RecordID))
    await answered(context, operation, { RecordType: name, RecordID })
    assert.deepEqual([await readBack(context, type, RecordID), (await readBack(context, type, stays[type.id]))?.[type.id]], [undefined, stays[type.id]])
  }
}

const eventsAfter: Proof = async (context, operation) => {
  const { crm } = context
  const { cursor: before } = await beginning(context)
  const ids = [(await crm.leads.create(ADA)).LeadID, (await crm.leads.create(GRACE)).LeadID]
  const read = async (input: Row) => (await answered(context, operation, input)) as { Events: Row[]; NextCursor: string }
  const all = await read({ After: before })
  assert.deepEqual(
    all.Events.map(({ RecordID }) => RecordID),
    ids,
  )
  const first = await read({ After: before, Limit: 1 })
  assert.deepEqual(first.Events, all.Events.slice(0, 1))
  assert.deepEqual((await read({ After: first.NextCursor })).Events, all.Events.slice(1))
}

/** Two webhooks, the first with two dead letters and the second with one; undefined where none can be left. */
async function deadLetters(context: Context) {
  const { leaveDeadLetter } = context
  const hooks = [await sample(context, recordType('Webhook')), await sample(context, recordType('Webhook'))].map(({ WebhookID }) => WebhookID as string)
  const [here = '', there = ''] = hooks
  const letters = leaveDeadLetter && [await leaveDeadLetter(here), await leaveDeadLetter(here), await leaveDeadLetter(there)]
  const dead = async () => idsOf(await context.crm.webhooks.getManyDeliveries({ Filters: { WebhookID: { in: hooks }, State: 'dead' } }), 'DeliveryID')
  return { here, letters, dead }
}

const replayed: Proofs = {
  async WebhookID(context, operation) {
    const { here, letters, dead } = await deadLetters(context)
    assert.deepEqual(await answered(context, operation, { WebhookID: here }), { WebhookID: here, Replayed: letters ? 2 : 0 })
    if (letters) assert.deepEqual(await dead(), [letters[2]])
    await context.refused(context.crm.call(operation.id, { WebhookID: 'nothing' }), 'not_found', { field: 'WebhookID' })
  },
  async DeliveryIDs(context, operation) {
    const { here, letters, dead } = await deadLetters(context)
    // Without a dead letter this much is left: what is named is looked for.
    await context.refused(context.crm.call(operation.id, { WebhookID: here, DeliveryIDs: ['nothing'] }), 'not_found', { field: 'DeliveryIDs' })
    if (!letters) return
    const [first, second, foreign] = letters
    await context.refused(context.crm.call(operation.id, { WebhookID: here, DeliveryIDs: [first, foreign] }), 'not_found', { field: 'DeliveryIDs' })
    assert.deepEqual(await answered(context, operation, { WebhookID: here, DeliveryIDs: [first] }), { WebhookID: here, Replayed: 1 })
    assert.deepEqual(await dead(), [foreign, second])
  },
  async AttemptIDs(context, operation) {
    const { here, letters, dead } = await deadLetters(context)
    await context.refused(context.crm.call(operation.id, { WebhookID: here, AttemptIDs: ['nothing'] }), 'not_found', { field: 'AttemptIDs' })
    if (!letters) return
    const attempts = await context.crm.webhooks.getManyAttempts({ Filters: { WebhookID: here } })
    assert.equal(attempts.Records.length, 2)
    const [AttemptID] = idsOf(attempts, 'AttemptID')
    assert.deepEqual(await answered(context, operation, { WebhookID: here, AttemptIDs: [AttemptID] }), { WebhookID: here, Replayed: 1 })
    assert.equal((await dead()).length, 2)
  },
}

/** What is left to prove of a list that nothing can be put into: that each input is read, and that nothing foreign is found. */
const EMPTY_LIST: Proofs = {
  async Filters(context, list) {
    const { WebhookID } = await sample(context, recordType('Webhook'))
    for (const field of propertiesOf(list.record.filters)) {
      const family = FIELD_KINDS[list.record.fields[field]?.kind ?? 'json']
      for (const operator of family ? FAMILIES[family].operators : []) {
        const value = { text: 'x', number: 1, date: '2026-01-01', timestamp: '2026-01-01T00:00:00Z', boolean: true, list: 'x' }[family ?? 'text']
        const Filters = { WebhookID, [field]: { [operator]: operator === 'in' ? [value] : value } }
        // Others may have deliveries, of webhooks that a filter on the webhook itself would find.
        if (field !== 'WebhookID') assert.deepEqual(idsOf(await answered(context, list, { Filters }), list.record.id), [], `${field} ${operator}`)
        await context.refused(context.crm.call(list.id, { Filters: { [field]: { [operator]: {} } } }), 'invalid_input', { field: `Filters.${field}` })
      }
    }
  },
  async Limit(context, list) {
    for (const Limit of [0, LIMITS.page + 1]) await context.refused(context.crm.call(list.id, { Limit }), 'invalid_input', { field: 'Limit' })
  },
  async Cursor(context, list) {
    await context.refused(context.crm.call(list.id, { Cursor: 'nonsense' }), 'invalid_input', { field: 'Cursor' })
  },
  async OrderBy(context, list) {
    for (const field of propertiesOf(list.record.filters).filter((name) => Object.hasOwn(list.record.fields, name)))
      await answered(context, list, { OrderBy: `${field} asc`, Limit: 1 })
    await context.refused(context.crm.call(list.id, { OrderBy: 'Nonsense' }), 'invalid_input', { field: 'OrderBy' })
  },
  async Select(context, list) {
    await context.refused(context.crm.call(list.id, { Select: ['Nonsense'] }), 'invalid_input', { field: 'Select' })
  },
}

/** The proofs of a list, or, where nothing can be put into it, of its being empty. */
export function provenOfDeliveries(many: Proofs): Proofs {
  return Object.fromEntries(
    Object.entries(many).map(([input, proof]): [string, Proof] => [
      input,
      (context, list) => (context.leaveDeadLetter ? proof : (EMPTY_LIST[input] as Proof))(context, list),
    ]),
  )
}

const rotated: Proof = async (context, operation) => {
  const [first, second] = [await sample(context, operation.record), await sample(context, operation.record)]
  assert.equal((await answered(context, operation, { WebhookID: first.WebhookID })).WebhookID, first.WebhookID)
  assert.notDeepEqual(await readBack(context, operation.record, first.WebhookID), first)
  assert.deepEqual(await readBack(context, operation.record, second.WebhookID), second)
}

/** A name that cannot be resolved is accepted, and the test delivery reports that it failed. */
const tested: Proof = async (context, operation) => {
  const { WebhookID } = await context.crm.webhooks.create({ URL: 'https://crm.example.invalid/', EventTypes: [RARE], Active: false })
  const { Delivered, Status, Error: reason, ...rest } = await answered(context, operation, { WebhookID })
  assert.deepEqual([rest.WebhookID, Delivered, Status, typeof reason], [WebhookID, false, null, 'string'])
}

/** Of two plans, the one that is named is decided on. */
const decided: Proof = async (context, operation) => {
  const [first, second] = [await sample(context, operation.record), await sample(context, operation.record)]
  const { PlanID, State } = await answered(context, operation, { PlanID: first.PlanID })
  const { crm, userId } = { crm: context.crm, userId: (await context.crm.users.getCurrent({})).UserID }
  const now = await readBack(context, operation.record, first.PlanID)
  assert.deepEqual([PlanID, now?.State, now?.DecidedBy], [first.PlanID, State, userId])
  assert.deepEqual(await readBack(context, operation.record, second.PlanID), second)
  const found = (await crm.leads.getMany({ Filters: { LeadID: { in: [first.RecordID as string, second.RecordID as string] } } })).Records
  assert.equal(found.length, State === 'done' ? 1 : 2)
}

/** The proofs of operations on the journal. */
export const JOURNAL: { readonly [operation: string]: Proofs } = {
  undo_change: { ChangeID: undone, BatchID: undoneBatch, Atomic: undoneApart },
  erase_record: { RecordType: erased, RecordID: erased },
  allow_plan: { PlanID: decided },
  refuse_plan: { PlanID: decided },
  get_many_events: { After: eventsAfter, Limit: eventsAfter },
  rotate_webhook_secret: { WebhookID: rotated },
  test_webhook: { WebhookID: tested },
  replay_deliveries: replayed,
}
