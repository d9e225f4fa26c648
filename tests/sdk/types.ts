/** What a compiler makes of the client. It is never run: every line either compiles, or must not. */
import { type CallOptions, type Crm, CrmError, connect, type DryRun, type ErrorCode, type Event, type Lead } from 'crm-connector'
import { verifyWebhook } from 'crm-connector/webhooks'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

export async function inputs(crm: Crm): Promise<void> {
  await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Email: null })
  // @ts-expect-error LastName is missing
  await crm.leads.create({ FirstName: 'Ada' })
  // @ts-expect-error there is no such field
  await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Nickname: 'Countess' })
  await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open', OwnerID: 'y', Company: 'Acme', EmailOptOut: true })
  // @ts-expect-error an amount is a number
  await crm.opportunities.create({ OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: '5' })
  await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { Email: null, OwnerID: 'y' }, IfRevision: 3 })
  // @ts-expect-error a required field cannot be cleared
  await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { LastName: null } })
  // @ts-expect-error nobody sets CreatedDate
  await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { CreatedDate: '2026-01-01T00:00:00Z' } })
  // @ts-expect-error there is no such role
  await crm.users.create({ Name: 'Grace', Role: 'boss' })
  await crm.customObjects.create({ ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 7.5 } } })
  // @ts-expect-error there is no such type
  await crm.customObjects.create({ ObjectName: 'Boat', Fields: { Hull: { Type: 'Integer', Label: 'Hull' } } })
  await crm.leads.getMany()
  await crm.users.getCurrent()
  await crm.describe({ RecordType: 'Lead' })
  // @ts-expect-error an id is needed
  await crm.leads.get()
  // @ts-expect-error there is no such operation
  await crm.leads.merge({})
}

/** What Include adds is the record behind the reference, or null; undefined where it was not asked for. */
export async function includedRecords(crm: Crm): Promise<void> {
  const { Records } = await crm.opportunities.getMany({ Include: ['Company', 'Owner'] })
  const [deal] = Records
  const name: string | undefined = deal?.Company?.CompanyName
  const revenue: number | null | undefined = deal?.Company?.AnnualRevenue
  const owner: string | undefined = deal?.Owner?.Name
  // @ts-expect-error it may be null
  deal?.Company.CompanyName
  // @ts-expect-error a company has no last name
  deal?.Company?.LastName
  const { Parent, Contact } = await crm.cases.get({ CaseID: 'x', Include: ['Parent', 'Contact'] })
  const both: [string | undefined, string | undefined] = [Parent?.Subject, Contact?.LastName]
  const lead = await crm.leads.get({ LeadID: 'x', Include: ['Owner'] })
  same<string | null, typeof lead.Company>(true)
  // @ts-expect-error a company refers to no company
  ;(await crm.companies.get({ CompanyID: 'x' })).Company
  void [name, revenue, owner, both]
}

interface ReferringFields {
  Company: { Founded?: string }
  Opportunity: { PartnerID?: string; Reviewer?: string }
  References: { Opportunity: { Partner: 'Company'; ReviewerRecord: 'User' } }
}

/** Behind the references of a workspace are records with the fields that it has added to them. */
export async function ownReferences(): Promise<void> {
  const crm = connect<ReferringFields>({ baseUrl: 'http://127.0.0.1:8484', key: 'k' })
  const { Records } = await crm.opportunities.getMany({ Include: ['Partner', 'Company'], Filters: { PartnerID: 'x' } })
  const [deal] = Records
  const names: (string | null | undefined)[] = [deal?.Partner?.CompanyName, deal?.Partner?.Founded, deal?.Company?.CompanyName, deal?.Company?.Founded]
  const reviewer: string | undefined = deal?.ReviewerRecord?.Name
  // @ts-expect-error it may be null
  deal?.Partner.CompanyName
  // @ts-expect-error a company has no last name
  deal?.Partner?.LastName
  for await (const { Partner } of crm.opportunities.all({ Include: ['Partner'] })) names.push(Partner?.Founded)
  const { Company } = await crm.contacts.get({ ContactID: 'x', Include: ['Company'] })
  names.push(Company?.Founded)
  await crm.contacts.create({ LastName: 'Babbage' })
  // @ts-expect-error a contact has no such field
  await crm.contacts.create({ LastName: 'Babbage', Founded: '2020-01-01' })
  // @ts-expect-error a lead has no partner
  ;(await crm.leads.get({ LeadID: 'x' })).Partner
  void [names, reviewer]
}

interface WorkspaceFields {
  Lead: {
    Score: number
    Tier?: 'Gold' | 'Silver'
    Tags?: string[]
    readonly Rank?: number
  }
}

/** The fields that only this workspace has are those of the type parameter. */
export async function workspaceFields(): Promise<void> {
  const crm = connect<WorkspaceFields>({ baseUrl: 'http://127.0.0.1:8484', key: 'k' })
  const ada = { FirstName: 'Ada', LastName: 'Lovelace' }
  const made = await crm.leads.create({ ...ADA, Score: 3, Tier: 'Gold', Tags: ['a'], Email: null })
  same<number | null, typeof made.Score>(true)
  same<'Gold' | 'Silver' | null, typeof made.Tier>(true)
  same<number | null, typeof made.Rank>(true)
  same<string, typeof made.LastName>(true)
  // @ts-expect-error Score is required
  await crm.leads.create(ada)
  // @ts-expect-error Score is a number
  await crm.leads.create({ ...ada, Score: '3' })
  // @ts-expect-error only the CRM sets Rank
  await crm.leads.create({ ...ADA, Score: 3, Rank: 1 })
  // @ts-expect-error there is no such tier
  await crm.leads.create({ ...ADA, Score: 3, Tier: 'Bronze' })
  await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { Tier: null, Score: 4, Email: null } })
  // @ts-expect-error a required field cannot be cleared
  await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { Score: null } })
  // @ts-expect-error there is no such field
  await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { Nickname: 'Countess' } })
  await crm.leads.upsert({ Score: 4, Email: 'ada@example.com', MatchBy: ['Email'] })
  const page = await crm.leads.getMany({
    Filters: { Score: { gte: 3 }, Tier: 'Gold', any: [{ Score: 5 }, { Status: 'Open' }] },
    OrderBy: 'Score desc',
    Select: ['Score', 'Email'],
  })
  same<number | null | undefined, (typeof page.Records)[0]['Score'] | undefined>(true)
  // @ts-expect-error a number contains nothing
  await crm.leads.getMany({ Filters: { Score: { contains: '3' } } })
  // @ts-expect-error there is no such field
  await crm.leads.getMany({ OrderBy: 'Scoer desc' })
  for await (const { Tier } of crm.leads.all({ Filters: { Tier: { in: ['Gold'] } } })) same<'Gold' | 'Silver' | null, typeof Tier>(true)
  const tried = await crm.leads.update({ LeadID: 'x', FieldsToUpdate: { Score: 4 } }, { dryRun: true })
  same<number | null, typeof tried.WouldWrite.Score>(true)
  // Other record types are as ever.
  same<Crm['cases'], typeof crm.cases>(true)
  const plain = connect({ baseUrl: 'http://127.0.0.1:8484', key: 'k' })
  same<Crm, typeof plain>(true)
}

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' } as const

/** Fields that a configuration adds are in no type. */
export async function furtherFields(crm: Crm): Promise<void> {
  const lead = { FirstName: 'Ada', LastName: 'Lovelace', Nickname: 'Countess' }
  const made = (await crm.leads.create(lead)) as Lead & { readonly Nickname: string | null }
  // @ts-expect-error there is no such field
  await crm.call('update_lead', { LeadID: made.LeadID, FieldsToUpdate: { Nickname: null } })
  const changed = await crm.call('update_lead' as string, { LeadID: made.LeadID, FieldsToUpdate: { Nickname: null } })
  same<unknown, typeof changed>(true)
}

export async function filters(crm: Crm): Promise<void> {
  await crm.opportunities.getMany({
    Filters: {
      Amount: { gte: 5, lt: 10 },
      CloseDate: { gt: '2026-01-01' },
      OpportunityName: { contains: 'engine' },
      Stage: { in: ['Won', null] },
      OwnerID: 'x',
    },
    OrderBy: 'Amount desc',
    Limit: 50,
  })
  // @ts-expect-error a number contains nothing
  await crm.opportunities.getMany({ Filters: { Amount: { contains: '5' } } })
  // @ts-expect-error a number is compared with a number
  await crm.opportunities.getMany({ Filters: { Amount: { gte: '5' } } })
  // @ts-expect-error texts are not compared by size
  await crm.opportunities.getMany({ Filters: { OpportunityName: { gte: 'a' } } })
  // @ts-expect-error there is no such operator
  await crm.opportunities.getMany({ Filters: { Amount: { between: 5 } } })
  // @ts-expect-error there is no such field
  await crm.leads.getMany({ Filters: { Amount: 5 } })
  // @ts-expect-error a truth value is only equal or not
  await crm.users.getMany({ Filters: { Active: { gt: true } } })
  // @ts-expect-error nobody filters by what nobody sees
  await crm.keys.getMany({ Filters: { Digest: 'x' } })
  // @ts-expect-error lists are not filtered by
  await crm.webhooks.getMany({ Filters: { EventTypes: ['*'] } })
  await crm.customObjects.getMany({ Filters: { ObjectName: { startsWith: 'B' }, HullLength: { gte: 5 }, Afloat: true } })
  // @ts-expect-error a name is a text
  await crm.customObjects.getMany({ Filters: { ObjectName: 5 } })
  await crm.leads.getSummary({ UserID: 'x', Filters: { Status: 'Open' } })
}

export async function orders(crm: Crm, name: string): Promise<void> {
  await crm.leads.getMany({ OrderBy: 'LastName', Select: ['LastName', 'Email'] })
  await crm.leads.getMany({ OrderBy: 'LastName asc' })
  crm.webhooks.allDeliveries({ OrderBy: 'CreatedDate desc' })
  await crm.call('get_many_leads', { OrderBy: 'CreatedDate desc' })
  // @ts-expect-error there is no such field
  await crm.leads.getMany({ OrderBy: 'Lastname' })
  // @ts-expect-error there is no such direction
  await crm.leads.getMany({ OrderBy: 'LastName down' })
  // @ts-expect-error a lead has no amount
  crm.leads.all({ OrderBy: 'Amount desc' })
  // @ts-expect-error lists have no order
  await crm.webhooks.getMany({ OrderBy: 'EventTypes' })
  await crm.webhooks.getMany({ Select: ['EventTypes'] })
  // @ts-expect-error there is no such field
  await crm.leads.getMany({ Select: ['Emial'] })
  // @ts-expect-error nobody sees the digest of a key
  await crm.keys.getMany({ Select: ['Digest'] })
  await crm.customObjects.getMany({ OrderBy: `${name} desc`, Select: [name] })
}

export async function answers(crm: Crm): Promise<void> {
  const lead = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  same<typeof lead.LastName, string>(true)
  same<typeof lead.Email, string | null>(true)
  same<typeof lead.Revision, number>(true)
  const { Records, NextCursor } = await crm.opportunities.getMany()
  same<typeof NextCursor, string | null>(true)
  same<(typeof Records)[number]['Amount'], number | null>(true)
  const { Notes, NotesTotal } = await crm.leads.get({ LeadID: 'x' })
  same<typeof NotesTotal, number>(true)
  same<(typeof Notes)[number]['Note'], string>(true)
  // @ts-expect-error what a note hangs on is not shown
  Notes[0]?.RecordID
  const { Role } = await crm.users.getCurrent()
  same<typeof Role, 'admin' | 'manager' | 'member'>(true)
  const { Deleted } = await crm.leads.delete({ LeadID: 'x' })
  same<typeof Deleted, true>(true)
  const { WinRate } = await crm.opportunities.getSummary()
  same<typeof WinRate, number | null>(true)
  const key = await crm.keys.create({ Scopes: ['read'] })
  same<typeof key.Key, string>(true)
  // @ts-expect-error the digest of a key is never shown
  key.Digest
}

export async function dryRuns(crm: Crm): Promise<void> {
  const tried = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' }, { dryRun: true })
  same<typeof tried.DryRun, true>(true)
  same<typeof tried.WouldWrite.LeadID, string | null>(true)
  tried.Difference.LastName?.To
  // @ts-expect-error what was only tried has no id
  ;(await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' }, { dryRun: true })).LeadID
}

export async function dryRunsByChance(crm: Crm, dryRun: boolean, options: CallOptions): Promise<void> {
  const input = { FirstName: 'Ada', LastName: 'Lovelace' }
  const either = await crm.leads.create(input, { dryRun })
  same<typeof either, Lead | DryRun<Lead>>(true)
  if ('DryRun' in either) either.Difference
  else same<typeof either.LeadID, string>(true)
  const unsaid = await crm.leads.create(input, options)
  same<typeof unsaid, Lead | DryRun<Lead>>(true)
  const done = await crm.leads.create(input, { dryRun: false, retries: 1 })
  same<typeof done.LeadID, string>(true)
  const { WouldWrite } = await crm.call('Create A Lead', input, { dryRun: true })
  same<typeof WouldWrite.LeadID, string | null>(true)
  const read = await crm.call('get_leads', { LeadID: 'x' }, { dryRun: true })
  same<typeof read.LeadID, string>(true)
}

export async function batches(crm: Crm, name: string): Promise<void> {
  const { Results } = await crm.batch({ Operations: [{ Operation: 'create_a_lead', Input: {} }, { Operation: 'Create A Lead' }, { Operation: name }] })
  same<(typeof Results)[number]['Result'], unknown>(true)
  // @ts-expect-error an operation has a name
  await crm.batch({ Operations: [{ Operation: 5 }] })
  // @ts-expect-error it is called Operations
  await crm.batch({ operations: [] })
}

export function handedOn(lead: Lead): Record<string, unknown> {
  return lead
}

export async function byName(crm: Crm, name: string): Promise<void> {
  const byItsName = await crm.call('Create A Lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  same<typeof byItsName.LeadID, string>(true)
  const byItsId = await crm.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  same<typeof byItsId.LeadID, string>(true)
  // @ts-expect-error LastName is missing
  await crm.call('Create A Lead', { FirstName: 'Ada' })
  const page = await crm.call('Get Many Leads')
  same<(typeof page.Records)[number]['LeadID'], string>(true)
  const anything = await crm.call(name, { whatever: true })
  same<typeof anything, unknown>(true)
  const spelled = await crm.call('CREATE-A-LEAD', 5)
  same<typeof spelled, unknown>(true)
}

export async function loops(crm: Crm): Promise<void> {
  for await (const lead of crm.leads.all({ Filters: { Status: 'Open' } })) same<typeof lead.LeadID, string>(true)
  for await (const { Comment } of crm.comments.all({ CaseID: 'x' })) same<typeof Comment, string>(true)
  for await (const { LastError } of crm.webhooks.allDeliveries()) same<typeof LastError, string | null>(true)
  for await (const event of crm.events.all({ After: '0' })) told(event)
  for await (const event of crm.events.follow({ after: '0', signal: AbortSignal.timeout(5) })) told(event)
  // @ts-expect-error the notes of nothing
  crm.notes.all()
  // @ts-expect-error there is no such filter
  crm.leads.all({ Filters: { Nonsense: 1 } })
  // @ts-expect-error a summary has no pages
  crm.leads.allSummaries()
}

function told(event: Event): void {
  if (event.Type === 'lead.created') same<NonNullable<typeof event.Record>['FirstName'], string>(true)
  if (event.Type === 'lead.note_added') same<NonNullable<typeof event.Record>['Note'], string>(true)
  if (event.Type === 'case.erased') same<typeof event.Record, null>(true)
  if (event.RecordType === 'Opportunity' && event.Type === 'opportunity.updated') same<NonNullable<typeof event.Record>['Amount'], number | null>(true)
  // @ts-expect-error there is no such event
  if (event.Type === 'lead.merged') return
}

export async function deliveries(headers: Headers, body: string): Promise<void> {
  const event = await verifyWebhook({ secret: ['a', 'b'], headers, body, tolerance: 60 })
  if (event.Type === 'webhook.test') same<typeof event.ChangeID, null>(true)
  else told(event)
  // @ts-expect-error what was parsed has lost its signature
  await verifyWebhook({ secret: 'a', headers, body: {} })
}

export function errors(error: unknown): void {
  if (!(error instanceof CrmError)) return
  same<typeof error.code, ErrorCode>(true)
  same<typeof error.retryAfter, number | undefined>(true)
  same<typeof error.hint, string | undefined>(true)
  error.errors?.map(({ field, message, didYouMean }) => [field, message, didYouMean])
  error.plan?.Token
  // @ts-expect-error there is no such code
  if (error.code === 'teapot') return
}

export async function connections(): Promise<void> {
  connect({
    baseUrl: 'http://127.0.0.1:8484',
    key: 'x',
    retries: 5,
    timeoutMs: 1000,
    headers: { 'x-team': 'north' },
    fetch,
    onRequest: ({ operation, attempt }) => ({ 'x-trace': `${operation}-${attempt}` }),
    onResponse: ({ status, ms }) => void [status, ms],
  })
  connect({ baseUrl: 'http://127.0.0.1:8484', key: 'x', onRequest: ({ url }) => console.log(url) })
  connect({ baseUrl: 'http://127.0.0.1:8484', key: 'x', onRequest: async () => ({ 'x-trace': '1' }) })
  // @ts-expect-error a service wants a key
  connect({ baseUrl: 'http://127.0.0.1:8484' })
  // @ts-expect-error it is called baseUrl
  connect({ baseURL: 'http://127.0.0.1:8484', key: 'x' })
  // @ts-expect-error only a store has workspaces to choose from
  connect({ baseUrl: 'http://127.0.0.1:8484', key: 'x', workspace: 'sandbox' })
  await using crm = connect({ platform: 'sqlite:crm.db', store: 'sqlite:crm.db', workspace: 'sandbox' })
  await crm.close()
}
