import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CallOptions } from '../src/contract/client/transport.ts'
import { CrmError, type Problem } from '../src/contract/errors.ts'
import { BUDGET } from '../src/transports/mcp/option-arguments.ts'
import { connect } from '../src/transports/sdk/connect.ts'
import { runHere } from './support/cli.ts'
import { temporaryFolder } from './support/folder.ts'
import { startServer, type TestServer } from './support/server.ts'

type Answer = { readonly [member: string]: unknown }
type Options = Pick<CallOptions, 'idempotencyKey' | 'dryRun'>

/** Resolves to the answer, or to the problem. */
type Transport = (operation: string, input: Answer, options: Options) => Promise<Answer>

/** A call as it is written down here: `$lead` stands for the id that the call with this name has answered with. */
interface Asked {
  readonly as?: string
  readonly operation: string
  readonly input: Answer
  readonly options?: Options
}

const ask = (operation: string, input: Answer = {}, options: Options = {}): Asked => ({ operation, input, options })
const named = (as: string, asked: Asked): Asked => ({ as, ...asked })

const CALLS: readonly Asked[] = [
  named('$lead', ask('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' })),
  named('$other', ask('create_a_lead', { FirstName: 'Jean', LastName: `O'Brien "—" \\ \n 𝄞`, Phone: null })),
  ask('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }, { idempotencyKey: 'signup-1' }),
  ask('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }, { idempotencyKey: 'signup-1' }),
  ask('create_a_lead', { FirstName: 'Ada', LastName: 'Byron' }, { idempotencyKey: 'signup-1' }),
  ask('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }, { dryRun: true }),
  ask('create_a_lead', { FirstNme: 'Ada', LastName: 'Lovelace' }),
  ask('create_a_lead', { FirstName: 'Ada' }),
  ask('create_a_lead', { FirstName: 7, LastName: '', Email: 'nobody', Phone: 'x'.repeat(300) }),
  ask('get_leads', { LeadID: '$lead' }),
  ask('get_leads', { LeadID: 'nothing' }),
  ask('get_many_leads', { Filters: { LastName: { startsWith: 'love' }, Status: 'Open' }, OrderBy: 'FirstName asc', Limit: 2 }),
  ask('get_many_leads', { Filters: { Email: null }, Select: ['LastName'], Limit: 1000 }),
  ask('get_many_leads', { Filters: { LastNme: 'x', Email: { gte: 'a' } } }),
  ask('get_many_leads', { Limit: 0, OrderBy: 'Nonsense', Cursor: 'nonsense' }),
  ask('get_summary_of_leads', { Filters: { Status: 'Open' } }),
  ask('get_summary_of_leads', { UserID: 'nobody' }),
  ask('update_lead', { LeadID: '$lead', FieldsToUpdate: { Status: 'Contacted', Phone: null } }),
  ask('update_lead', { LeadID: '$lead', FieldsToUpdate: { Status: 'Won' }, IfRevision: 1 }),
  ask('update_lead', { LeadID: '$lead', FieldsToUpdate: {} }),
  ask('update_lead', { LeadID: '$lead', FieldsToUpdate: { LastName: null, CreatedDate: '2026-01-01T00:00:00Z' } }),
  ask('update_lead', { LeadID: '$lead', FieldsToUpdate: { Email: 'a@b' } }, { dryRun: true }),
  ask('add_notes_to_leads', { LeadID: '$lead', Note: 'Asked for a quote by Friday.' }),
  named('$campaign', ask('create_campaign', { CampaignName: 'Spring' })),
  ask('add_leads_to_campaign', { LeadID: '$lead', CampaignID: '$campaign' }),
  ask('add_leads_to_campaign', { LeadID: '$lead', CampaignID: 'nothing' }),
  ask('remove_leads_from_campaign', { LeadID: '$lead', CampaignID: '$campaign' }),
  ask('get_many_campaigns', {}),
  ask('get_many_notes', { RecordID: '$lead' }),
  named('$deal', ask('create_opportunity', { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 1200.5 })),
  ask('create_opportunity', { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-02-30', Amount: 0.12345 }),
  ask('get_opportunity', { OpportunityID: '$deal' }),
  ask('get_many_opportunities', { Filters: { Amount: { gte: 1000, lt: 2000 } } }),
  ask('get_summary_opportunity', {}),
  ask('update_opportunity', { OpportunityID: '$deal', FieldsToUpdate: { Stage: 'Closed Won', Amount: null } }),
  ask('add_notes_to_opportunity', { OpportunityID: '$deal', Note: 'Signed.' }),
  named('$case', ask('create_case', { Subject: 'Engine jams', Description: 'The third column sticks.' })),
  ask('add_comment', { CaseID: '$case', Comment: 'Looking into it.', Publish: true }),
  ask('get_case', { CaseID: '$case' }),
  ask('get_many_comments', { CaseID: '$case' }),
  ask('get_many_cases', { Filters: { Status: { in: ['New', null] } } }),
  ask('case_get_summary', {}),
  ask('update_case', { CaseID: '$case', FieldsToUpdate: { Status: 'Closed' } }),
  named('$boat', ask('create_custom_object', { ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 12 } } })),
  ask('create_custom_object', { ObjectName: 'Boat', Fields: { Hull: { Type: 'String', Label: 'Hull' } } }),
  ask('get_many_custom_objects', { Filters: { ObjectName: 'Boat', Hull: { gt: 10 } } }),
  ask('update_custom_object', { ObjectID: '$boat', FieldsToUpdate: { Hull: 'long', Masts: 2 } }),
  ask('delete_custom_object', { ObjectID: '$boat' }),
  ask('case_delete', { CaseID: '$case' }),
  ask('opportunity_delete', { OpportunityID: '$deal', IfRevision: 99 }),
  ask('delete_lead', { LeadID: '$other' }),
  ask('delete_lead', { LeadID: '$other' }),
  ask('describe', { RecordType: 'Lead' }),
  ask('get_many_changes', { Filters: { RecordID: '$lead' } }),
  ask('get_many_events', { Limit: 3 }),
]

/** What is told of a refusal, whichever way it came. */
const problemOf = ({ code, detail, errors, retryable }: Problem): Answer => ({ code, detail, errors, retryable })

const TRANSPORTS: { readonly [name: string]: (server: TestServer) => Promise<Transport> } = {
  async HTTP(server) {
    return async (operation, input, { idempotencyKey, dryRun }) => {
      const headers = { ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }), ...(dryRun && { 'dry-run': 'true' }) }
      const response = await server.post(operation, input, headers)
      const answer = (await response.json()) as Answer
      return response.ok ? answer : problemOf(answer as unknown as Problem)
    }
  },
  async MCP(server) {
    const client = new Client({ name: 'parity', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${server.key}` } } }),
    )
    onTestFinished(() => client.close())
    return async (name, input, { idempotencyKey, dryRun }) => {
      const more = {
        Detail: 'full',
        Budget: BUDGET.max,
        ...(idempotencyKey !== undefined && { IdempotencyKey: idempotencyKey }),
        ...(dryRun && { DryRun: true }),
      }
      const { structuredContent, isError } = await client.callTool({ name, arguments: { ...input, ...more } })
      return isError ? problemOf(structuredContent as unknown as Problem) : (structuredContent as Answer)
    }
  },
  async CLI(server) {
    const HOME = await temporaryFolder()
    return async (operation, input, { idempotencyKey, dryRun }) => {
      const words = [operation, '--json', '-', '--output', 'json', ...(idempotencyKey === undefined ? [] : ['--idempotency-key', idempotencyKey])]
      const { code, out, err } = await runHere([...words, ...(dryRun ? ['--dry-run'] : [])], {
        env: { CRM_URL: server.url, CRM_KEY: server.key, HOME },
        input: JSON.stringify(input),
      })
      return code === 0 ? (JSON.parse(out) as Answer) : problemOf(JSON.parse(err) as Problem)
    }
  },
  async SDK(server) {
    const client = connect({ baseUrl: server.url, key: server.key })
    return (operation, input, options) =>
      client.call(operation, input, options).catch((error: unknown) => {
        if (!(error instanceof CrmError)) throw error
        return problemOf({ ...error, detail: error.message, retryable: error.retryable } as unknown as Problem)
      }) as Promise<Answer>
  },
}

/** The same calls through a transport, and what each was answered with. */
async function through(open: (server: TestServer) => Promise<Transport>): Promise<unknown[]> {
  const server = await startServer()
  onTestFinished(server.close)
  const transport = await open(server)
  const ids = new Map<string, unknown>()
  const told = []
  for (const { as, operation, input, options = {} } of CALLS) {
    const meant = JSON.parse(JSON.stringify(input), (_, value: unknown) =>
      typeof value === 'string' && value.startsWith('$') ? ids.get(value) : value,
    ) as Answer
    const answer = await transport(operation, meant, options)
    if (as !== undefined) ids.set(as, answer[Object.keys(answer).find((member) => member.endsWith('ID')) ?? ''])
    told.push({ operation, input, answer })
  }
  return alike(told)
}

/** Ids in the order of their appearance, and no moment or cursor: what may differ from one run to the next. */
function alike(told: unknown[]): unknown[] {
  const seen = new Map<string, string>()
  const text = JSON.stringify(told)
    .replace(/\b1[0-9a-z]{19}\b/g, (id) => {
      seen.set(id, seen.get(id) ?? `(${seen.size})`)
      return seen.get(id) as string
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(then)')
    .replace(/"NextCursor":"[^"]*"/g, '"NextCursor":"(next)"')
    .replace(/"(RequestID|Transport)":("[^"]*"|null)/g, '"$1":"(its own)"')
    // Each transport calls the key what its callers call it.
    .replaceAll('Idempotency-Key', 'IdempotencyKey')
    // The SDK makes keys where none is given.
    .replace(/"IdempotencyKey":("[0-9a-f]{32}"|null)/g, '"IdempotencyKey":"(its own)"')
  return JSON.parse(text) as unknown[]
}

describe('the same calls', () => {
  let expected: readonly unknown[]

  test('are answered over HTTP, with successes and refusals', async () => {
    expected = await through(TRANSPORTS.HTTP as never)
    expect(expected.length).toBeGreaterThanOrEqual(50)
    const codes = expected.map((one) => (one as { answer: { code?: string } }).answer.code ?? 'ok')
    expect(new Set(codes)).toEqual(new Set(['ok', 'invalid_input', 'not_found', 'conflict']))
    expect(codes.filter((code) => code === 'ok').length).toBeGreaterThan(30)
  })

  test.each(['MCP', 'CLI', 'SDK'])('are answered and refused in the same way through %s', async (name) => {
    const told = await through(TRANSPORTS[name] as never)
    for (const [i, one] of told.entries()) expect(one).toEqual(expected[i])
  })
})
