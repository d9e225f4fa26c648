import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Crm } from '../../src/contract/client/client.ts'
import type { CrmError } from '../../src/contract/errors.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import type { Connection } from '../../src/testing/index.ts'
import { inProcess } from '../support/in-process.ts'
import { prepare, SAMPLED } from '../support/samples.ts'
import { closed, wrongWith } from '../support/schemas.ts'

let connection: Connection
let crm: Crm

beforeAll(async () => {
  connection = await inProcess(await openSqlite(':memory:'))
  crm = connection.signIn(connection.adminKey)
})
afterAll(() => connection.close())

let made = 0

/** Records for the ids that an example names, made of examples too. */
async function idsFor(example: object): Promise<Record<string, string>> {
  const make = async (id: string) => (await crm.call(id, OPERATIONS.find((operation) => operation.id === id)?.example)) as Record<string, string>
  const { LeadID = '' } = await make('create_a_lead')
  const { OpportunityID = '' } = await make('create_opportunity')
  const { CaseID = '' } = await make('create_case')
  const { ObjectID = '' } = await make('create_custom_object')
  const { CampaignID = '' } = await make('create_campaign')
  const { CompanyID = '' } = await make('create_company')
  const { ContactID = '' } = await make('create_contact')
  const { UserID = '' } = await make('create_user')
  const { KeyID = '' } = await make('create_key')
  // Its target's name is looked up, which takes long where nobody answers.
  const { WebhookID = '' } = 'WebhookID' in example ? await make('create_webhook') : {}
  const { WorkspaceID = '' } = 'WorkspaceID' in example ? await crm.workspaces.create({ Name: `w${made++}` }) : {}
  const [change] = (await crm.changes.getMany({ Filters: { RecordID: OpportunityID } })).Records
  const { ConnectionID = '' } = 'ConnectionID' in example ? await make('create_connection') : {}
  const PlanID = 'PlanID' in example ? await planOf(LeadID) : ''
  return {
    LeadID,
    OpportunityID,
    CaseID,
    CompanyID,
    ContactID,
    ObjectID,
    CampaignID,
    UserID,
    KeyID,
    RecordID: LeadID,
    WebhookID,
    ConnectionID,
    WorkspaceID,
    PlanID,
    ChangeID: change?.ChangeID ?? '',
  }
}

/** The token of what always has to be confirmed. */
const tokenOf = (call: Promise<unknown>) => call.then(() => undefined).catch((error: CrmError) => error.plan?.Token)

/** A delete that waits to be confirmed. */
async function planOf(LeadID: string): Promise<string> {
  const refusal = await crm.leads.delete({ LeadID }, { confirm: true }).catch((error: CrmError) => error)
  return (refusal as CrmError).plan?.PlanID ?? ''
}

describe.each(OPERATIONS.map((operation) => [operation.name, operation] as const))('the example of %s', (_name, operation) => {
  test('is valid by the schema of the input', () => {
    expect(wrongWith(operation.input as object, operation.example)).toEqual([])
  })

  test.runIf(SAMPLED.includes(operation))('is carried out, and answered by the schema of the output', async () => {
    const example = operation.example as Record<string, unknown>
    const made = await idsFor(example)
    const matched = operation.verb === 'upsert' && 'MatchBy' in example ? { [String([example.MatchBy].flat()[0])]: `${operation.id}@example.com` } : {}
    const input = { ...Object.fromEntries(Object.entries(example).map(([name, value]) => [name, made[name] ?? value])), ...matched }
    await prepare(operation, input, async (id, given) => (await crm.call(id, given)) as Record<string, unknown>)
    const confirmation = operation.confirmed ? await tokenOf(crm.call(operation.id, input)) : undefined
    const answer = await crm.call(operation.id, input, { ...(confirmation !== undefined && { confirmation }) })
    expect(wrongWith(closed(operation.output as never), answer)).toEqual([])
  })
})

test('every operation says in its summary what it does, in a sentence', () => {
  for (const { summary } of OPERATIONS) expect(summary).toMatch(/^[A-Z].{10,}\.$/)
})
