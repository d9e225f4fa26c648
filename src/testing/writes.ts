import assert from 'node:assert/strict'
import type { CallOptions } from '../contract/client/transport.ts'
import { type Operation, TIERS } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { WaitingPlan } from '../contract/waiting-plan.ts'
import type { Behaviour, Client, Context, Lack } from './behaviour.ts'
import { ADA, BOAT, DEFINED, email, engine, GRACE, hook, JAM, phone, RARE, type Row, SMOKE } from './records.ts'

/** Every operation that writes, but the one that takes a code which only a CRM gives. */
export const WRITING: readonly Operation[] = OPERATIONS.filter(({ effect, verb }) => effect !== 'read' && verb !== 'completeConnection')

/** What an operation can be called with: two inputs that are accepted, one after the other, and mean different things. */
export interface Asked {
  readonly input: Row
  readonly other: Row
}

const lead = async ({ crm }: Context) => (await crm.leads.create(ADA)).LeadID
const deal = async (context: Context) => (await context.crm.opportunities.create(engine(context))).OpportunityID
const complaint = async ({ crm }: Context) => (await crm.cases.create(JAM)).CaseID
const company = async ({ crm, unique }: Context) => (await crm.companies.create({ CompanyName: unique('Engines') })).CompanyID
const contact = async (context: Context) => (await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })).ContactID
const boat = async ({ crm, boats }: Context) => (await crm.customObjects.create({ ObjectName: boats, Fields: BOAT })).ObjectID
const fair = async ({ crm, unique }: Context) => (await crm.campaigns.create({ CampaignName: unique('Fair') })).CampaignID
const someone = async ({ crm, unique }: Context) => (await crm.users.create({ Name: unique('Grace') })).UserID
const idleHook = async ({ crm, unique }: Context) => (await crm.webhooks.create({ URL: hook(unique('hook')), EventTypes: [RARE], Active: false })).WebhookID

/** A connection that waits to be allowed in a browser, so that it reaches no CRM. */
export const pendingConnection = async ({ crm, unique }: Context) => (await crm.connections.create(appOf(unique('app')))).ConnectionID

export const appOf = (Label: string) => ({ Platform: 'hubspot', SignIn: 'browser', Label, Secrets: { clientId: 'app', clientSecret: 'secret-of-it' } }) as const

/** A name that a workspace can have. */
export const workspaceName = ({ unique }: Context) => unique('w').toLowerCase()
const workspace = async (context: Context) => (await context.crm.workspaces.create({ Name: workspaceName(context) })).WorkspaceID
const pausedWorkspace = async (context: Context) => (await context.crm.workspaces.pause({ WorkspaceID: await workspace(context) })).WorkspaceID

/** An object with the fields of BOAT and a record without values. */
export const emptyBoat = async ({ crm, unique }: Context) => (await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: DEFINED })).ObjectName
const key = async (context: Context) => (await context.crm.keys.create({ UserID: await someone(context) })).KeyID

/** The same admin, whose deletes have to be confirmed. */
export async function careful({ crm, signIn }: Context, Confirm: 'deletes' | 'person' = 'deletes') {
  const { Key, KeyID } = await crm.keys.create({ Scopes: [...TIERS], Confirm })
  return { crm: signIn(Key), keyId: KeyID }
}

/** What waits after a call that has to be confirmed with a token. */
export async function planned({ refused }: Context, call: Promise<unknown>): Promise<WaitingPlan & { readonly Token: string }> {
  const { plan } = await refused(call, 'conflict')
  assert.ok(plan?.Token, 'The refusal has a plan with a token.')
  return { ...plan, Token: plan.Token }
}

/** Calls an operation, with the confirmation that some always need. */
export async function callConfirmed(context: Context, crm: Client, { id, confirmed }: Operation, input: unknown, options: CallOptions = {}): Promise<Row> {
  const call = (more: CallOptions = {}) => crm.call(id, input, { ...options, ...more }) as Promise<Row>
  return confirmed ? call({ confirmation: (await planned(context, call())).Token }) : call()
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

/** One line for each call, the newest first: the last one of a group is that of the record that the call is about. That it was planned is none of them. */
export function mainLines<L extends { readonly GroupID: string | null; readonly EventType: string | null }>(lines: readonly L[]): L[] {
  const groups = new Set<string>()
  const done = lines.filter(({ EventType }) => EventType !== 'plan.planned')
  return done.filter(({ GroupID }) => GroupID === null || (!groups.has(GroupID) && groups.add(GroupID)))
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

/** Two records that are not there yet. */
const upserts =
  (draft: (context: Context) => Row) =>
  async (context: Context): Promise<Asked> => ({ input: draft(context), other: draft(context) })

const updates = (...fields: readonly [Row, Row]) => fields.map((FieldsToUpdate) => ({ FieldsToUpdate })) as unknown as readonly [Row, Row]

const fieldUpdates = (...fields: readonly [Row, Row]) =>
  updates(...fields).map((update) => ({ FieldName: 'HullLength', ...update })) as unknown as readonly [Row, Row]

const ownField = (unique: Context['unique']) => ({ RecordType: 'Campaign', FieldName: unique('Own'), Kind: 'text' as const })

/** Defines a field of campaigns, and answers with what names it. */
export async function definedField({ crm, unique }: Context): Promise<{ readonly RecordType: string; readonly FieldName: string }> {
  const { RecordType, FieldName } = await crm.fields.define(ownField(unique))
  return { RecordType, FieldName }
}

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
  create_company: async ({ unique }) => ({ input: { CompanyName: unique('Engines') }, other: { CompanyName: unique('Mills') } }),
  update_company: twice('CompanyID', company, ...updates({ Phone: phone(1) }, { Phone: phone(2) })),
  delete_company: each('CompanyID', company),
  add_notes_to_company: twice('CompanyID', company, { Note: 'Said.' }, { Note: 'Said more.' }),
  create_contact: async (context) => ({
    input: { LastName: 'Babbage', Email: email(context) },
    other: { LastName: 'Hopper', Email: email(context) },
  }),
  update_contact: twice('ContactID', contact, ...updates({ Phone: phone(1), LastName: 'King' }, { Phone: phone(2) })),
  delete_contact: each('ContactID', contact),
  add_notes_to_contact: twice('ContactID', contact, { Note: 'Said.' }, { Note: 'Said more.' }),
  upsert_lead: upserts((context) => ({ ...ADA, Email: email(context), MatchBy: ['Email'] })),
  upsert_opportunity: upserts((context) => ({ ...engine(context), OpportunityName: context.unique('Engine'), MatchBy: ['OpportunityName'] })),
  upsert_case: upserts((context) => ({ ...JAM, Subject: context.unique('Jam'), MatchBy: ['Subject'] })),
  upsert_company: upserts(({ unique }) => ({ CompanyName: unique('Engines'), MatchBy: ['CompanyName'] })),
  upsert_contact: upserts((context) => ({ LastName: 'Babbage', Email: email(context), MatchBy: ['Email'] })),
  upsert_custom_object: upserts(({ boats, unique }) => ({
    ObjectName: boats,
    Fields: { ...BOAT, Harbour: { ...BOAT.Harbour, Value: unique('Kiel') } },
    MatchBy: ['Harbour'],
  })),
  convert_lead: each('LeadID', async (context) => (await context.crm.leads.create({ ...ADA, Email: email(context) })).LeadID),
  create_custom_object: async ({ unique, boats }) => ({
    input: { ObjectName: unique('Boat'), Fields: BOAT },
    other: { ObjectName: boats, Fields: BOAT },
  }),
  update_custom_object: twice('ObjectID', boat, ...updates({ HullLength: 8 }, { HullLength: null })),
  delete_custom_object: each('ObjectID', boat),
  update_custom_field: twice('ObjectName', emptyBoat, ...fieldUpdates({ Label: 'Length', Retired: true }, { Label: 'Hull' })),
  delete_custom_field: twice('ObjectName', emptyBoat, { FieldName: 'HullLength' }, { FieldName: 'Harbour' }),
  define_field: async ({ unique }) => ({ input: ownField(unique), other: ownField(unique) }),
  update_field: async (context) => {
    const named = await definedField(context)
    return { input: { ...named, FieldsToUpdate: { Label: 'Length' } }, other: { ...named, FieldsToUpdate: { Label: 'Hull' } } }
  },
  retire_field: async (context) => ({ input: await definedField(context), other: await definedField(context) }),
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
  create_connection: async ({ unique }) => ({ input: appOf(unique('app')), other: appOf(unique('app')) }),
  update_connection: twice('ConnectionID', pendingConnection, ...updates({ Label: 'a' }, { Label: 'b' })),
  delete_connection: each('ConnectionID', pendingConnection),
  update_webhook: twice('WebhookID', idleHook, ...updates({ Label: 'a' }, { Label: 'b' })),
  delete_webhook: each('WebhookID', idleHook),
  rotate_webhook_secret: each('WebhookID', idleHook),
  replay_deliveries: each('WebhookID', idleHook, async ({ leaveDeadLetter }, id) => {
    await leaveDeadLetter?.(id)
    return {}
  }),
  create_workspace: async (context) => ({ input: { Name: workspaceName(context) }, other: { Name: workspaceName(context) } }),
  update_workspace: twice('WorkspaceID', workspace, ...updates({ MaxUsers: 3 }, { MaxUsers: 4 })),
  pause_workspace: each('WorkspaceID', workspace),
  resume_workspace: each('WorkspaceID', pausedWorkspace),
  delete_workspace: each('WorkspaceID', workspace, async ({ crm }, WorkspaceID) => ({
    Name: (await crm.workspaces.getMany({ Filters: { WorkspaceID } })).Records[0]?.Name,
  })),
}

/** A change of each type that every platform takes, and that takes nothing away which the next one needs. */
const CHANGE: { readonly [type: string]: (n: number) => Row } = {
  Lead: (n) => ({ Phone: phone(n) }),
  Opportunity: (n) => ({ Amount: n }),
  Case: (n) => ({ Subject: String(n) }),
  Company: (n) => ({ Phone: phone(n) }),
  Contact: (n) => ({ Phone: phone(n) }),
  CustomObject: (n) => ({ HullLength: n }),
  Definition: (n) => ({ Label: String(n) }),
  OwnField: (n) => ({ Label: String(n) }),
  User: (n) => ({ Name: String(n) }),
  Webhook: (n) => ({ Label: String(n) }),
  Connection: (n) => ({ Label: String(n) }),
  Workspace: (n) => ({ MaxUsers: n }),
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
  id === 'erase_record' ? { needs: 'erase' } : NEEDED[record.name] ? { needs: NEEDED[record.name] } : {}

const NEEDED: { readonly [type: string]: Lack } = { Definition: 'definitions', OwnField: 'own fields' }

/** Makes what an operation needs and answers with what to ask of it. An operation that writes and is not listed here fails. */
export async function askedOf(context: Context, { id, name }: Operation): Promise<Asked> {
  const make = ASKED[id]
  assert.ok(make, `Nothing is known to ask of ${name}: add it to writes.ts.`)
  return make(context)
}

/** Whether a call that is accepted changes something: without dead letters there is nothing to replay. */
export const changesSomething = ({ leaveDeadLetter }: Context, { id }: Operation) => id !== 'replay_deliveries' || leaveDeadLetter !== undefined
