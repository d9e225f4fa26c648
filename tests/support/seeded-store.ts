import { createConnection } from '../../src/contract/records/connection.ts'
import { createCustomObject, getManyCustomObjects } from '../../src/contract/records/custom-object.ts'
import { FIRST_WORKSPACE } from '../../src/contract/records/workspace.ts'
import { createAuthenticator, localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { addWorkspace } from '../../src/core/access/new-workspace.ts'
import { execute } from '../../src/core/call/execute.ts'
import { putTokens } from '../../src/core/connections/tokens.ts'
import type { EventPage } from '../../src/core/journal/events.ts'
import { createService, DEFAULT_WEBHOOK_SETTINGS, type Service } from '../../src/core/service.ts'
import type { AuditReport, Store } from '../../src/platforms/store.ts'
import { accountsOn } from './accounts.ts'
import { deadLetters } from './in-process.ts'

type Answer = Record<string, unknown>

const WORKSPACES = ['default', 'other']

function serviceOf(store: Store): Service {
  return createService({ platform: store, store, accounts: accountsOn(store), webhooks: { ...DEFAULT_WEBHOOK_SETTINGS, allowPrivate: true } })
}

async function callerIn(service: Service, workspace: string) {
  const caller = await localAdmin(service, workspace)
  return async (operation: string, input: object = {}, idempotencyKey?: string): Promise<Answer> =>
    (await execute(service, { operation, input, caller, idempotencyKey })).result as Answer
}

/** What the tests need to know of a store seeded with data of every kind. */
export interface SeededStore {
  readonly keys: readonly string[]
  readonly deletion: { readonly ChangeID: string; readonly LeadID: string }
  readonly once: { readonly key: string; readonly input: object; readonly answer: Answer }
}

/** Seeds a new store with data of every kind, through operations. */
export async function seedEverything(store: Store): Promise<SeededStore> {
  const service = serviceOf(store)
  const { key = '' } = await bootstrap(service)
  const { key: otherKey } = await addWorkspace(service, 'other')
  // As if a third had been erased.
  await store.endErasure(3)
  const [here, there] = [await callerIn(service, 'default'), await callerIn(service, 'other')]

  // Sweeps the first changes of both chains, as retention does.
  await here('create_a_lead', { FirstName: 'Old', LastName: 'Lead' })
  await there('create_a_lead', { FirstName: 'Old', LastName: 'Elsewhere' })
  for (const { number } of await store.workspaces()) await store.journal(number).span()
  await store.sweep({ keys: '', changes: '9999' })

  const boss = await here('create_user', { Name: 'Grace', Role: 'manager', Email: 'grace@example.com' })
  const member = await here('create_user', { Name: 'Jean', Role: 'member', ManagerID: boss.UserID })
  const memberKey = await here('create_key', { UserID: member.UserID, Label: 'nightly', Scopes: ['read', 'write:Lead'] })
  const connection = await here(createConnection.id, createConnection.example)
  const tokens = { accessToken: 'granted', refreshToken: 'to-renew-it' }
  await store.write(FIRST_WORKSPACE, (writer) => putTokens(service, writer, FIRST_WORKSPACE, String(connection.ConnectionID), tokens))
  const campaign = await here('create_campaign', { CampaignName: 'Spring' })

  const ada = await here('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace ☃ 𝄞 "quoted" \\ {x,NULL}\n', Email: 'ada@example.com' })
  await here('add_notes_to_leads', { LeadID: ada.LeadID, Note: 'Asked for a quote.' })
  await here('add_leads_to_campaign', { LeadID: ada.LeadID, CampaignID: campaign.CampaignID })
  await here('update_lead', { LeadID: ada.LeadID, FieldsToUpdate: { Status: null, Phone: '+44 1', OwnerID: member.UserID } })
  const gone = await here('create_a_lead', { FirstName: 'Gone', LastName: 'Soon' })
  await here('add_notes_to_leads', { LeadID: gone.LeadID, Note: 'Hangs on what is deleted.' })
  await here('add_leads_to_campaign', { LeadID: gone.LeadID, CampaignID: campaign.CampaignID })
  await here('delete_lead', { LeadID: gone.LeadID })
  const erased = await here('create_a_lead', { FirstName: 'Erased', LastName: 'Wholly' }, 'erased-key')
  await here('erase_record', { RecordType: 'Lead', RecordID: erased.LeadID })

  for (const [Amount, CloseDate] of [
    [99999999999.9999, '2026-12-31'],
    [-0.0001, '2020-01-01'],
    [null, '2030-06-30'],
    [12.5, new Date().toISOString().slice(0, 10)],
  ] as const)
    await here('create_opportunity', { OpportunityName: 'Engine', Stage: 'Open', CloseDate, ...(Amount !== null && { Amount }) })
  const card = await here('create_case', { Subject: 'Card', Description: 'Jammed. '.repeat(500) })
  await here('add_comment', { CaseID: card.CaseID, Comment: 'Looking into it.', Publish: true })
  await here(createCustomObject.id, createCustomObject.example)
  await here('update_custom_field', { ObjectName: 'Boat', FieldName: 'Harbour', FieldsToUpdate: { Retired: true } })
  const company = await here('create_company', { CompanyName: 'Engines', Industry: 'Steel' })
  await here('define_field', { RecordType: 'Contact', FieldName: 'Score', Kind: 'number', Indexed: true })
  await here('create_contact', { LastName: 'Babbage', CompanyID: company.CompanyID, Score: 0.1 })
  const webhook = await here('create_webhook', { URL: 'http://127.0.0.1:9/hook', EventTypes: ['lead.*'] })
  await deadLetters(store)(String(webhook.WebhookID))
  await there('create_a_lead', { FirstName: 'Other', LastName: 'Workspace' })
  // A delete that waits for confirmation.
  const caller = await localAdmin(service)
  await execute(service, { operation: 'case_delete', input: { CaseID: card.CaseID }, caller, confirm: true }).catch(() => {})
  // Refusals are audited, too.
  await here('update_lead', { LeadID: 'nobody', FieldsToUpdate: { Phone: '1' } }).catch(() => {})

  const input = { FirstName: 'Once', LastName: 'Only' }
  const answer = await here('create_a_lead', input, 'used-before')
  const [workspace] = await store.workspaces()
  await store.write(workspace?.number ?? 0, async (writer) => {
    const kept = { fingerprint: 'f', at: writer.now(), state: 'open', answer: null, changeId: null } as const
    await writer.putIdempotencyKey('somebody', 'still-open', kept)
    await writer.putIdempotencyKey('somebody', 'let-go', kept)
    await writer.setPosition('watch', '{"at":1}')
    await writer.setPosition('mirror Lead', '{"at":1}')
    const mirrored = await writer.get('Lead', String(ada.LeadID))
    if (mirrored) await writer.inMirror().create('Lead', mirrored)
  })
  await store.write(workspace?.number ?? 0, (writer) => writer.releaseIdempotencyKey('somebody', 'let-go'))

  const { Records } = (await here('get_many_changes', { Filters: { RecordID: gone.LeadID } })) as { Records: readonly { ChangeID: string }[] }
  return {
    keys: [key, otherKey, String(memberKey.Key)],
    deletion: { ChangeID: String(Records[0]?.ChangeID), LeadID: String(gone.LeadID) },
    once: { key: 'used-before', input, answer },
  }
}

const LISTS = ['leads', 'opportunities', 'cases', 'custom_objects', 'campaigns', 'users', 'keys', 'changes', 'webhooks', 'deliveries', 'plans', 'events'].map(
  (name) => `get_many_${name}`,
)
const SUMMARIES = ['get_summary_of_leads', 'get_summary_opportunity', 'case_get_summary']

/** Everything that operations return of a store, and its audit reports. */
export async function snapshotOf(store: Store, keys: readonly string[]): Promise<unknown> {
  const service = serviceOf(store)
  const authenticate = createAuthenticator(service)
  const seen: Record<string, unknown> = {}
  for (const name of WORKSPACES) {
    const call = await callerIn(service, name)
    for (const operation of [...LISTS, ...SUMMARIES, 'describe']) seen[`${name} ${operation}`] = { ...(await call(operation, {})), Platform: undefined }
    const { Records: leads } = seen[`${name} get_many_leads`] as { Records: readonly Answer[] }
    for (const { LeadID } of leads) seen[`${name} ${LeadID}`] = await call('get_leads', { LeadID })
    const { Records: cases } = seen[`${name} get_many_cases`] as { Records: readonly Answer[] }
    for (const { CaseID } of cases) seen[`${name} ${CaseID}`] = await call('get_case', { CaseID })
  }
  for (const [i, key] of keys.entries()) {
    const caller = await authenticate(key)
    seen[`key ${i}`] = caller
    seen[`events of key ${i}`] = ((await execute(service, { operation: 'get_many_events', input: {}, caller })).result as EventPage).Events
  }
  seen.audit = await auditOf(store)
  const [workspace] = await store.workspaces()
  for (const key of ['still-open', 'let-go']) seen[key] = await keptIn(store, workspace?.number ?? 0, key)
  return seen
}

async function keptIn(store: Store, workspace: number, key: string) {
  const { fingerprint, at, state, answer, changeId } = (await store.journal(workspace).findIdempotencyKey('somebody', key)) ?? {}
  return { fingerprint, at, state, answer, changeId }
}

async function auditOf(store: Store): Promise<AuditReport[]> {
  const reports: AuditReport[] = []
  for (const { number } of await store.workspaces()) reports.push(await store.journal(number).verify())
  return reports
}

/** Uses a copied store: replays an idempotency key, undoes a delete, filters custom objects. */
export async function continueOn(store: Store, { deletion, once }: SeededStore): Promise<unknown> {
  const call = await callerIn(serviceOf(store), 'default')
  const replayed = await call('create_a_lead', once.input, once.key)
  await call('undo_change', { ChangeID: deletion.ChangeID })
  const { Notes, NotesTotal, CampaignsTotal } = await call('get_leads', { LeadID: deletion.LeadID })
  const [note] = Notes as readonly Answer[]
  const found = (await call(getManyCustomObjects.id, getManyCustomObjects.example)) as { Records: readonly Answer[] }
  const reports = await auditOf(store)
  return {
    replayed,
    hanging: [note?.Note, NotesTotal, CampaignsTotal],
    objects: found.Records.length,
    faults: reports.flatMap(({ faults }) => faults),
    unsealed: reports.map(({ unsealed }) => unsealed),
  }
}
