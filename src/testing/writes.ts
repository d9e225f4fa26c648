import assert from 'node:assert/strict'
import { type Operation, TIERS } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { WaitingPlan } from '../contract/waiting-plan.ts'
import type { Behaviour, Context } from './behaviour.ts'
import { ADA, BOAT, DEFINED, engine, GRACE, hook, JAM, phone, RARE, type Row, SMOKE } from './records.ts'

/** Every operation that writes. */
export const WRITING: readonly Operation[] = OPERATIONS.filter(({ effect }) => effect !== 'read')

/** What an operation can be called with: two inputs that are accepted, one after the other, and mean different things. */
export interface Asked {
  readonly input: Row
  readonly other: Row
}

const lead = async ({ crm }: Context) => (await crm.leads.create(ADA)).LeadID
const deal = async (context: Context) => (await context.crm.opportunities.create(engine(context))).OpportunityID
const complaint = async ({ crm }: Context) => (await crm.cases.create(JAM)).CaseID
const boat = async ({ crm, boats }: Context) => (await crm.customObjects.create({ ObjectName: boats, Fields: BOAT })).ObjectID
const fair = async ({ crm, unique }: Context) => (await crm.campaigns.create({ CampaignName: unique('Fair') })).CampaignID
const someone = async ({ crm, unique }: Context) => (await crm.users.create({ Name: unique('Grace') })).UserID
const idleHook = async ({ crm, unique }: Context) => (await crm.webhooks.create({ URL: hook(unique('hook')), EventTypes: [RARE], Active: false })).WebhookID

/** An object with the fields of BOAT and a record without values. */
export const emptyBoat = async ({ crm, unique }: Context) => (await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: DEFINED })).ObjectName
const key = async (context: Context) => (await context.crm.keys.create({ UserID: await someone(context) })).KeyID

/** The same admin, whose deletes have to be confirmed. */
export async function careful({ crm, signIn }: Context) {
  const { Key, KeyID } = await crm.keys.create({ Scopes: [...TIERS], Confirm: 'deletes' })
  return { crm: signIn(Key), keyId: KeyID }
}

/** What waits after a call that has to be confirmed. */
export async function planned({ refused }: Context, call: Promise<unknown>): Promise<WaitingPlan> {
  const { plan } = await refused(call, 'conflict')
  assert.ok(plan, 'The refusal has a plan.')
  return plan
}

/** A lead whose delete waits to be confirmed. */
export async function waiting(context: Context): Promise<WaitingPlan> {
  const [{ crm }, LeadID] = [await careful(context), await lead(context)]
  return planned(context, crm.leads.delete({ LeadID }))
}

/** The line that a record's last change has left. */
export async function lastChange({ crm }: Pick<Context, 'crm'>, RecordID: string) {
  const [line] = (await crm.changes.getMany({ Filters: { RecordID, Outcome: 'ok' }, Limit: 1 })).Records
  assert.ok(line, `There is a change of ${RecordID}`)
  return line
}

/** The id of the change that was just made to a record. */
export const justNow = async (context: Context, id: string) => (await lastChange(context, id)).ChangeID

const twoDrafts =
  (...drafts: readonly [Row, Row]) =>
  async (): Promise<Asked> => ({ input: drafts[0], other: drafts[1] })

/** The same done to one record after the other. */
const each =
  (id: string, make: (context: Context) => Promise<string>, more: (context: Context, id: string) => Row | Promise<Row> = () => ({})) =>
  async (context: Context): Promise<Asked> => {
    const [first, second] = [await make(context), await make(context)]
    return { input: { [id]: first, ...(await more(context, first)) }, other: { [id]: second, ...(await more(context, second)) } }
  }

/** Two different things done to one record. */
const twice =
  (id: string, make: (context: Context) => Promise<string>, ...changes: readonly [Row, Row]) =>
  async (context: Context): Promise<Asked> => {
    const made = await make(context)
    return { input: { [id]: made, ...changes[0] }, other: { [id]: made, ...changes[1] } }
  }

const updates = (...fields: readonly [Row, Row]) => fields.map((FieldsToUpdate) => ({ FieldsToUpdate })) as unknown as readonly [Row, Row]

const fieldUpdates = (...fields: readonly [Row, Row]) =>
  updates(...fields).map((update) => ({ FieldName: 'HullLength', ...update })) as unknown as readonly [Row, Row]

const ASKED: { readonly [operation: string]: (context: Context) => Promise<Asked> } = {
  create_a_lead: twoDrafts(ADA, GRACE),
  update_lead: twice('LeadID', lead, ...updates({ Phone: phone(1), LastName: 'King' }, { Phone: phone(2) })),
  delete_lead: each('LeadID', lead),
  add_notes_to_leads: twice('LeadID', lead, { Note: 'Said.' }, { Note: 'Said more.' }),
  add_leads_to_campaign: each('LeadID', lead, async (context) => ({ CampaignID: await fair(context) })),
  create_opportunity: async (context) => ({ input: engine(context), other: { ...engine(context), Amount: 2 } }),
  update_opportunity: twice('OpportunityID', deal, ...updates({ Amount: 3.25 }, { Amount: 4 })),
  opportunity_delete: each('OpportunityID', deal),
  add_notes_to_opportunity: twice('OpportunityID', deal, { Note: 'Said.' }, { Note: 'Said more.' }),
  create_case: twoDrafts(JAM, SMOKE),
  update_case: twice('CaseID', complaint, ...updates({ Subject: 'Smoke' }, { Subject: 'Fire' })),
  case_delete: each('CaseID', complaint),
  add_comment: async (context) => {
    const CaseID = await complaint(context)
    const Publish = !context.lacks('published comments')
    return { input: { CaseID, Comment: 'Said.', Publish }, other: { CaseID, Comment: 'Said more.' } }
  },
  create_custom_object: async ({ unique, boats }) => ({
    input: { ObjectName: unique('Boat'), Fields: BOAT },
    other: { ObjectName: boats, Fields: BOAT },
  }),
  update_custom_object: twice('ObjectID', boat, ...updates({ HullLength: 8 }, { HullLength: null })),
  delete_custom_object: each('ObjectID', boat),
  update_custom_field: twice('ObjectName', emptyBoat, ...fieldUpdates({ Label: 'Length', Retired: true }, { Label: 'Hull' })),
  delete_custom_field: twice('ObjectName', emptyBoat, { FieldName: 'HullLength' }, { FieldName: 'Harbour' }),
  create_campaign: async ({ unique }) => ({ input: { CampaignName: unique('Fair') }, other: { CampaignName: unique('Fair') } }),
  remove_leads_from_campaign: each('LeadID', lead, async (context, LeadID) => {
    const CampaignID = await fair(context)
    await context.crm.leads.addToCampaign({ LeadID, CampaignID })
    return { CampaignID }
  }),
  create_user: async ({ unique }) => ({ input: { Name: unique('Grace'), Email: 'grace@example.com' }, other: { Name: unique('Ada') } }),
  update_user: twice('UserID', someone, ...updates({ Email: 'a@example.com' }, { Email: 'b@example.com' })),
  create_key: async (context) => ({ input: { UserID: await someone(context), Label: 'nightly' }, other: { Label: 'hourly' } }),
  revoke_key: each('KeyID', key),
  undo_change: each('ChangeID', async (context) => (await lastChange(context, await lead(context))).ChangeID),
  erase_record: each('RecordID', lead, () => ({ RecordType: 'Lead' })),
  allow_plan: each('PlanID', async (context) => (await waiting(context)).PlanID),
  refuse_plan: each('PlanID', async (context) => (await waiting(context)).PlanID),
  create_webhook: async ({ unique }) => ({
    input: { URL: hook(unique('hook')), EventTypes: [RARE], Active: false },
    other: { URL: hook(unique('hook')), EventTypes: [RARE], Active: false },
  }),
  update_webhook: twice('WebhookID', idleHook, ...updates({ Label: 'a' }, { Label: 'b' })),
  delete_webhook: each('WebhookID', idleHook),
  rotate_webhook_secret: each('WebhookID', idleHook),
  replay_deliveries: each('WebhookID', idleHook, async ({ leaveDeadLetter }, id) => {
    await leaveDeadLetter?.(id)
    return {}
  }),
}

/** A change of each type that every platform takes, and that takes nothing away which the next one needs. */
const CHANGE: { readonly [type: string]: (n: number) => Row } = {
  Lead: (n) => ({ Phone: phone(n) }),
  Opportunity: (n) => ({ Amount: n }),
  Case: (n) => ({ Subject: String(n) }),
  CustomObject: (n) => ({ HullLength: n }),
  Definition: (n) => ({ Label: String(n) }),
  User: (n) => ({ Name: String(n) }),
  Webhook: (n) => ({ Label: String(n) }),
}

/** What an update is to change, the same for the same number; nothing for whatever does not update. */
export function changeOf({ verb, record }: Operation, n = 1): Row {
  if (!verb.startsWith('update')) return {}
  const change = CHANGE[record.name]
  assert.ok(change, `Nothing is known to change about ${record.name}: add it to writes.ts.`)
  return { FieldsToUpdate: change(n) }
}

/** What an operation that writes cannot do without. */
export const needsOf = ({ id, record }: Operation): Pick<Behaviour, 'needs'> =>
  id === 'erase_record' ? { needs: 'erase' } : record.name === 'Definition' ? { needs: 'definitions' } : {}

/** Makes what an operation needs and answers with what to ask of it. An operation that writes and is not listed here fails. */
export async function askedOf(context: Context, { id, name }: Operation): Promise<Asked> {
  const make = ASKED[id]
  assert.ok(make, `Nothing is known to ask of ${name}: add it to writes.ts.`)
  return make(context)
}

/** Whether a call that is accepted changes something: without dead letters there is nothing to replay. */
export const changesSomething = ({ leaveDeadLetter }: Context, { id }: Operation) => id !== 'replay_deliveries' || leaveDeadLetter !== undefined
