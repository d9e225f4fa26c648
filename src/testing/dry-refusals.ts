import type { ErrorCode } from '../contract/errors.ts'
import { type Operation, TIERS } from '../contract/operation.ts'
import type { Context } from './behaviour.ts'
import { ADA, BOAT, GRACE, hook, NO_REVISION, phone, type Row } from './records.ts'
import { propertiesOf } from './walk-samples.ts'
import { askedOf, lastChange } from './writes.ts'

/** A call that is refused, and with what. */
export interface Refusal {
  readonly crm: Context['crm']
  readonly input: Row
  readonly code: ErrorCode
}

/** An id that nothing ever had. */
const NOTHING = 'nothing'

/** What an input may name that does not exist, beside the ids that are inputs themselves. */
const REFERENCES: { readonly [operation: string]: Row } = {
  update_lead: { FieldsToUpdate: { OwnerID: NOTHING } },
  update_opportunity: { FieldsToUpdate: { OwnerID: NOTHING } },
  update_case: { FieldsToUpdate: { OwnerID: NOTHING } },
  update_custom_object: { FieldsToUpdate: { OwnerID: NOTHING } },
  update_user: { FieldsToUpdate: { ManagerID: NOTHING } },
  update_webhook: { FieldsToUpdate: { OwnerID: NOTHING } },
  replay_deliveries: { DeliveryIDs: [NOTHING] },
}

type More = (context: Context, input: Row) => Promise<readonly Partial<Refusal>[]>

/** What only this operation can be refused for. */
const MORE: { readonly [operation: string]: More } = {
  async create_custom_object({ crm, boats: ObjectName }) {
    await crm.customObjects.create({ ObjectName, Fields: BOAT })
    return [
      { input: { ObjectName, Fields: { Harbour: { Type: 'Number', Label: 'Home harbour' } } }, code: 'conflict' },
      { input: { ObjectName, Fields: { Harbour: { Value: 5 } } }, code: 'invalid_input' },
      { input: { ObjectName, Fields: { Masts: { Value: 2 } } }, code: 'invalid_input' },
    ]
  },
  update_custom_object: async (_context, { ObjectID }) => [
    { input: { ObjectID, FieldsToUpdate: { Masts: 2 } }, code: 'invalid_input' },
    { input: { ObjectID, FieldsToUpdate: { HullLength: 'long' } }, code: 'invalid_input' },
  ],
  update_custom_field: async (_context, input) => [...unknownFields(input), { input: { ...input, FieldsToUpdate: {} }, code: 'invalid_input' }],
  async delete_custom_field({ crm, boats: ObjectName }, input) {
    await crm.customObjects.create({ ObjectName, Fields: BOAT })
    return [...unknownFields(input), { input: { ObjectName, FieldName: 'Harbour' }, code: 'conflict' }]
  },
  define_field: async ({ crm }, input) => {
    await crm.call('define_field', { ...input, FieldName: `${input.FieldName}2` })
    return [
      { input: { ...input, FieldName: `${input.FieldName}2` }, code: 'conflict' },
      { input: { ...input, FieldName: 'Status' }, code: 'invalid_input' },
      { input: { ...input, Kind: 'reference' }, code: 'invalid_input' },
    ]
  },
  update_field: async (_context, input) => [
    { input: { ...input, FieldName: NOTHING }, code: 'not_found' },
    { input: { ...input, FieldsToUpdate: { Kind: 'number' } }, code: 'conflict' },
  ],
  retire_field: async (_context, input) => [{ input: { ...input, FieldName: NOTHING }, code: 'not_found' }],
  async remove_leads_from_campaign({ crm }, { CampaignID }) {
    return [{ input: { LeadID: (await crm.leads.create(GRACE)).LeadID, CampaignID }, code: 'not_found' }]
  },
  async update_user({ other }, { UserID }) {
    const { UserID: lastAdmin } = await other.users.getCurrent({})
    return [
      { input: { UserID, FieldsToUpdate: { ManagerID: UserID } }, code: 'conflict' },
      { crm: other, input: { UserID: lastAdmin, FieldsToUpdate: { Role: 'member' } }, code: 'conflict' },
      { crm: other, input: { UserID: lastAdmin, FieldsToUpdate: { Active: false } }, code: 'conflict' },
    ]
  },
  async create_key({ as }, input) {
    return [
      { input: { Scopes: ['nonsense'] }, code: 'invalid_input' },
      { input: { ExpiresDate: '2020-01-01T00:00:00Z' }, code: 'invalid_input' },
      { input: { ...input, Scopes: ['admin'] }, code: 'forbidden' },
      { crm: (await as({ role: 'admin', scopes: ['admin'] })).crm, input: { Scopes: ['delete'] }, code: 'forbidden' },
    ]
  },
  create_webhook: async () => hookFaults.map((input) => ({ input, code: 'invalid_input' })),
  update_webhook: async (_context, { WebhookID }) => hookFaults.map((FieldsToUpdate) => ({ input: { WebhookID, FieldsToUpdate }, code: 'invalid_input' })),
  async undo_change(context) {
    const { crm, as } = context
    const lead = await crm.leads.create(ADA)
    const made = await lastChange(context, lead.LeadID)
    await crm.leads.update({ LeadID: lead.LeadID, FieldsToUpdate: { Phone: phone(1) } })
    const { userId } = await as()
    return [
      { input: { ChangeID: made.ChangeID }, code: 'conflict' },
      { input: { ChangeID: (await lastChange(context, userId)).ChangeID }, code: 'unsupported' },
      { crm: (await as({ role: 'admin', scopes: ['write'] })).crm, input: { ChangeID: made.ChangeID }, code: 'forbidden' },
    ]
  },
  async erase_record({ crm, unique }) {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    return [{ input: { RecordType: 'Lead', RecordID: CampaignID }, code: 'not_found' }]
  },
}

const unknownFields = (input: Row): Partial<Refusal>[] =>
  ['ObjectName', 'FieldName'].map((name) => ({ input: { ...input, [name]: NOTHING }, code: 'not_found' }))

const hookFaults: readonly Row[] = [{ URL: 'ftp://[3ffe::1]/' }, { URL: 'https://ada:secret@[3ffe::1]/' }, { URL: hook('x'), EventTypes: ['lead.craeted'] }]

/** Calls of an operation that must be refused: for the input, for what it names, for what has changed, for the key. */
export async function refusalsOf(context: Context, operation: Operation): Promise<Refusal[]> {
  const { crm, as } = context
  const { input } = await askedOf(context, operation)
  const inputs = propertiesOf(operation.input)
  const named = inputs.filter((name) => /(?<!PlatformUser|External)ID$/.test(name) && (input[name] !== undefined || operation.effect === 'create'))
  const hasPlace = (name: string) => operation.record.fields[name]?.access !== 'write' || context.described(operation.record.name, name).Writable
  const reference = REFERENCES[operation.id]
  const needed = ['undo_change', 'refuse_plan'].includes(operation.id) ? ['write', 'delete'] : [operation.tier]
  const without = await as({ role: 'admin', scopes: TIERS.filter((tier) => !needed.includes(tier)) })
  const refusals: Partial<Refusal>[] = [
    { input: { ...input, Nonsense: 1 }, code: 'invalid_input' },
    { crm: without.crm, input, code: 'forbidden' },
    ...named.map((name): Partial<Refusal> => ({ input: { ...input, [name]: NOTHING }, code: hasPlace(name) ? 'not_found' : 'unsupported' })),
    ...(reference ? [{ input: { ...input, ...reference }, code: 'not_found' as const }] : []),
    ...(inputs.includes('IfRevision') ? [{ input: { ...input, IfRevision: NO_REVISION }, code: 'conflict' as const }] : []),
    ...((await MORE[operation.id]?.(context, input)) ?? []),
  ]
  return refusals.map((refusal) => ({ crm, ...refusal }) as Refusal)
}
