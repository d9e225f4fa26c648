import assert from 'node:assert/strict'
import type { Field, FieldKind } from '../contract/fields.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { RecordType } from '../contract/record.ts'
import type { Context } from './behaviour.ts'
import { ADA, BOAT, email, engine, GRACE, hook, JAM, phone, RARE, type Row, SMOKE } from './records.ts'
import { appOf, callConfirmed, waiting, workspaceName } from './writes.ts'

/** Proves that one input of an operation takes effect: it reaches the store and comes back, or decides what comes back. */
export type Proof = (context: Context, operation: Operation) => Promise<void>
export type Proofs = { readonly [input: string]: Proof }

export const answered = (context: Context, operation: Operation, input: Row) => callConfirmed(context, context.crm, operation, input)
export const idsOf = (page: Row, id: string) => (page.Records as Row[]).map((record) => record[id])

/** A draft with a value for the inputs of a create; none is the default. Inputs that are left out get the sample of their kind. */
const DRAFTS: { readonly [operation: string]: (context: Context) => Promise<Row> } = {
  create_a_lead: async (context) => ({ ...ADA, Email: email(context), Status: context.values.leadStatuses[2] ?? context.values.leadStatuses[0] }),
  create_company: async ({ unique }) => ({ CompanyName: unique('Engines') }),
  create_contact: async (context) => ({ FirstName: 'Charles', LastName: 'Babbage', Email: email(context) }),
  create_opportunity: async (context) => engine(context),
  create_case: async ({ values }) => ({ ...JAM, Status: values.openStatuses[1] }),
  create_campaign: async ({ described, unique, values }) => ({
    CampaignName: unique('Fair'),
    ...(described('Campaign', 'Status').Writable && { Status: values.campaignStatuses[1] }),
  }),
  create_user: async ({ as, unique, platformUser }) => ({
    Name: unique('Grace'),
    Email: 'grace@example.com',
    Role: 'manager',
    ManagerID: (await as()).userId,
    PlatformUserID: await platformUser(),
  }),
  create_webhook: async ({ unique }) => ({ URL: hook(unique('hook')), EventTypes: [RARE], Label: 'nightly', Active: false }),
  create_connection: async ({ unique }) => ({
    ...appOf(unique('app')),
    Address: 'https://api.hubapi.com',
    InUse: false,
    Watch: false,
    Reads: 'crm',
    Options: { dealPipeline: 'default' },
    Tables: { Lead: { defaults: {} } },
  }),
  create_workspace: async (context) => ({ Name: workspaceName(context) }),
}

/** Other values for the fields that an update may set. Fields that are left out get the sample of their kind. */
const CHANGES: { readonly [type: string]: (context: Context) => Promise<Row> } = {
  Lead: async (context) => ({
    FirstName: 'Grace',
    LastName: 'Hopper',
    Email: email(context),
    Phone: phone(1),
    Status: context.values.leadStatuses[1],
    OwnerID: (await context.as()).userId,
  }),
  Opportunity: async ({ as, values }) => ({
    OpportunityName: 'Mill',
    Stage: values.openStages[1],
    CloseDate: '2098-01-01',
    Amount: 3.25,
    OwnerID: (await as()).userId,
  }),
  Case: async ({ as, values }) => ({ Subject: 'Smoke', Description: 'It rises.', Status: values.closedStatuses[0], OwnerID: (await as()).userId }),
  Company: async (context) => ({ CompanyName: context.unique('Mills'), Email: email(context) }),
  Contact: async (context) => ({ FirstName: 'Grace', LastName: 'Hopper', Email: email(context) }),
  CustomObject: async ({ as }) => ({ OwnerID: (await as()).userId, HullLength: 8, Harbour: 'Lübeck' }),
  User: async ({ as, unique, platformUser }) => ({
    Name: unique('Ada'),
    Email: 'a@example.com',
    Role: 'member',
    ManagerID: (await as()).userId,
    PlatformUserID: await platformUser(),
    Active: false,
  }),
  Webhook: async ({ as, unique }) => ({
    URL: hook(unique('moved')),
    Label: 'hourly',
    EventTypes: [RARE, 'campaign.deleted'],
    Active: true,
    OwnerID: (await as()).userId,
  }),
  Connection: async ({ unique }) => ({
    Label: unique('moved'),
    InUse: true,
    Watch: true,
    Reads: 'mirror',
    Options: { ticketPipeline: '0' },
    Tables: { Case: { defaults: {} } },
  }),
}

/** Two values of each kind, for a draft and for a change, so that a new field of the contract needs no sample of its own. */
const SAMPLES: { readonly [K in FieldKind]?: readonly [drafted: unknown, changed: unknown] } = {
  text: ['Engine', 'Mill'],
  longText: ['It turns.', 'It grinds.'],
  email: ['draft@example.com', 'change@example.com'],
  phone: [phone(2), phone(3)],
  number: [7.5, 8],
  integer: [7, 8],
  // Whole, since a platform may keep no decimals of some amounts.
  money: [1200, 3],
  date: ['2099-12-31', '2098-01-01'],
  timestamp: ['2099-12-31T09:30:00.000Z', '2098-01-01T09:30:00.000Z'],
  boolean: [true, false],
}

/** Something that a reference can point to. */
const REFERRED: { readonly [type: string]: (context: Context) => Promise<string> } = {
  User: async ({ as }) => (await as()).userId,
  Company: async ({ crm, unique }) => (await crm.companies.create({ CompanyName: unique('Engines') })).CompanyID,
  Contact: async (context) => (await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })).ContactID,
  Campaign: async ({ crm, unique }) => (await crm.campaigns.create({ CampaignName: unique('Fair') })).CampaignID,
  Case: async ({ crm }) => (await crm.cases.create(SMOKE)).CaseID,
}

async function sampleOf(context: Context, type: RecordType, name: string, at: 0 | 1): Promise<unknown> {
  const { kind, suggested, refers, unique } = type.fields[name] as Field
  if (refers !== undefined) return REFERRED[refers]?.(context)
  if (unique) return context.unique('id')
  const { AllowedValues } = context.described(type.name, name)
  const choice = kind === 'choice' ? (AllowedValues?.[at] ?? suggested?.[at] ?? SAMPLES.text?.[at]) : undefined
  return choice ?? SAMPLES[kind]?.[at]
}

/** The given values, and samples for the other fields that the platform can write. */
async function withSamples(context: Context, type: RecordType, names: readonly string[], given: Row, at: 0 | 1): Promise<Row> {
  const missing = names.filter((name) => type.fields[name] && (given[name] ?? null) === null && context.described(type.name, name).Writable)
  const samples: [string, unknown][] = []
  for (const name of missing) samples.push([name, await sampleOf(context, type, name, at)])
  return { ...Object.fromEntries(samples), ...given }
}

/** A draft with a value in every input of a create; undefined for an operation that is no create. */
export async function draftOf(context: Context, { id, record, input }: Operation): Promise<Row | undefined> {
  const draft = await DRAFTS[id]?.(context)
  return draft && writable(context, record, await withSamples(context, record, propertiesOf(input), draft, 0))
}

/** Without what the platform has no place for. */
const writable = (context: Context, { name, fields }: RecordType, draft: Row): Row =>
  Object.fromEntries(Object.entries(draft).filter(([field]) => fields[field]?.access !== 'write' || context.described(name, field).Writable))

/** Another value for every field that an update may set. */
export async function changesOf(context: Context, type: RecordType): Promise<Row> {
  return writable(context, type, await withSamples(context, type, propertiesOf(type.patch), (await CHANGES[type.name]?.(context)) ?? {}, 1))
}

export const isDrafted = ({ id, record }: Operation, input: string): boolean => id in DRAFTS && input in record.fields

/** Fields that only the service itself fills, and that a sample made through the operations may have no value in. */
export const OFTEN_EMPTY: { readonly [type: string]: readonly string[] } = {
  Webhook: ['PausedReason', 'FailingSince'],
  Delivery: ['NextAttempt'],
  // Not every transport numbers its calls, and a line stands for more than one only after many refusals.
  Change: ['RequestID', 'Count', 'GroupID', 'BatchID', 'Undoes'],
  Plan: ['DecidedBy'],
  Connection: ['Account', 'ConnectedDate'],
  // Those of people who sign in elsewhere, and of the tokens of programs; and no call was made with it.
  User: ['Identity'],
  Key: ['Kind', 'ClientID', 'Resource', 'RenewableUntil', 'LastUsedDate'],
}

/** Makes a record with a value in every field. */
export async function sample(context: Context, type: RecordType): Promise<Row> {
  const { crm } = context
  if (type.name === 'CustomObject') return crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
  if (type.name === 'Key') {
    const { UserID } = (await sample(context, operation('create_user').record)) as { UserID: string }
    const { KeyID } = await crm.keys.create({ UserID, Label: 'sample', ExpiresDate: '2099-01-01T00:00:00Z', Confirm: 'deletes' })
    return crm.keys.revoke({ KeyID })
  }
  if (type.name === 'Change') {
    const { LeadID } = await crm.leads.create(GRACE, { idempotencyKey: context.unique('key') })
    return onlyOne(await crm.changes.getMany({ Filters: { RecordID: LeadID } }))
  }
  if (type.name === 'Plan') return onlyOne(await crm.plans.getMany({ Filters: { PlanID: (await waiting(context)).PlanID } }))
  if (type.name === 'Delivery' || type.name === 'Attempt') {
    assert.ok(context.leaveDeadLetter, `There is no sample of ${type.name} without a dead letter`)
    const { WebhookID } = (await sample(context, operation('create_webhook').record)) as { WebhookID: string }
    const DeliveryID = await context.leaveDeadLetter(WebhookID)
    return onlyOne(
      type.name === 'Delivery'
        ? await crm.webhooks.getManyDeliveries({ Filters: { DeliveryID } })
        : await crm.webhooks.getManyAttempts({ Filters: { WebhookID } }),
    )
  }
  const create = OPERATIONS.find(({ record, effect, verb }) => record.name === type.name && effect === 'create' && verb.startsWith('create'))
  // With the owner that a record has by default, so that the caller's own summaries show it.
  const { OwnerID: _owner, ...draft } = (create && (await draftOf(context, create))) ?? {}
  assert.ok(create && Object.keys(draft).length > 0, `There is no sample of ${type.name}`)
  const { [create.shownOnce ?? '']: _secret, ...made } = (await crm.call(create.id, draft)) as Row
  // The answer has its first admin too.
  return type.name === 'Workspace' ? ((await readBack(context, type, made[type.id])) as Row) : made
}

function onlyOne({ Records }: { readonly Records: readonly Row[] }): Row {
  assert.equal(Records.length, 1)
  return Records[0] as Row
}

/** The record as it is stored now. */
export async function readBack(context: Context, type: RecordType, id: unknown): Promise<Row | undefined> {
  const { crm } = context
  if (type.name === 'Definition') return definitionOf(context, ...(String(id).split('.') as [string, string]))
  if (type.name === 'OwnField') return ownFieldOf(context, ...(String(id).split('.') as [string, string]))
  const list = OPERATIONS.find(({ record, verb }) => record.name === type.name && verb === 'getMany')
  assert.ok(list, `Nothing lists ${type.name}`)
  const { Records } = (await crm.call(list.id, { Filters: { [type.id]: id } })) as { Records: Row[] }
  return Records[0]
}

/** A definition as it is stored now. No operation lists them, so a dry run tells that changes nothing. */
async function definitionOf({ crm }: Context, ObjectName: string, FieldName: string): Promise<Row | undefined> {
  const { CustomObjects } = await crm.describe({ RecordType: 'CustomObject' })
  const field = CustomObjects.find((one) => one.ObjectName === ObjectName)?.Fields.find(({ Name }) => Name === FieldName)
  if (!field) return undefined
  const input = { ObjectName, FieldName, FieldsToUpdate: { Label: field.Label } }
  const { UpdatedFields: _, ...definition } = ((await crm.call('update_custom_field', input, { dryRun: true })) as { WouldWrite: Row }).WouldWrite
  return definition
}

/** A field of the workspace as it is stored now, retired or not; told by dry runs that change nothing. */
async function ownFieldOf({ crm }: Context, RecordType: string, FieldName: string): Promise<Row | undefined> {
  const field = (await crm.describe({ RecordType })).RecordTypes[0]?.Fields.find(({ Name, Own }) => Own && Name === FieldName)
  const would = async (id: string, input: Row) =>
    ((await crm.call(id, { RecordType, FieldName, ...input }, { dryRun: true })) as { WouldWrite: Row }).WouldWrite
  if (!field) return would('retire_field', {}).catch(() => undefined)
  const { UpdatedFields: _, ...definition } = await would('update_field', { FieldsToUpdate: { Label: field.Label } })
  return definition
}

export function operation(id: string): Operation {
  const found = OPERATIONS.find((one) => one.id === id)
  assert.ok(found, `There is no operation ${id}`)
  return found
}

export function propertiesOf(schema: unknown): readonly string[] {
  return Object.keys((schema as { properties?: object }).properties ?? {})
}

/** A value of the right form for a field. */
export function valueFor({ record }: Operation, input: string): unknown {
  const { type, format } = Object(record.fields[input]?.schema) as { type?: string; format?: string }
  return type === 'boolean' ? true : type === 'integer' || type === 'number' ? 7 : format === 'email' ? 'x@example.com' : 'x'
}
