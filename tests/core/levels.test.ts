import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../support/cli.ts'
import { talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

interface Fault {
  readonly field: string
  readonly message: string
  readonly expected?: string
  readonly didYouMean?: string
}

async function faultsOf(path: string, body: object): Promise<readonly Fault[]> {
  const response = await fetch(`${server.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await response.json()) as { errors?: Fault[] }).errors ?? []
}

test.each([
  ['DryRun', 'Dry-Run', '--dry-run'],
  ['IdempotencyKey', 'Idempotency-Key', '--idempotency-key'],
  ['ConfirmationToken', 'Confirmation-Token', '--confirmation'],
])('%s among the fields belongs beside them, and among the input is an option', async (name, header, flag) => {
  const place = expect.stringMatching(new RegExp(`${header} over HTTP, ${flag} on the command line`))
  for (const given of [name, name.charAt(0).toLowerCase() + name.slice(1), header]) {
    const message = `${name} belongs beside FieldsToUpdate, not in it: it is an option of the call.`
    const field = `FieldsToUpdate.${given}`
    expect(await faultsOf('operations/update_lead', { LeadID: 'x', FieldsToUpdate: { [given]: true } })).toMatchObject([{ field, message, expected: place }])
  }
  const message = `${name} is an option of the call, and no part of its input.`
  expect(await faultsOf('operations/create_a_lead', { FirstName: 'A', LastName: 'B', [name]: true })).toMatchObject([{ field: name, message, expected: place }])
  const nested = { OpportunityName: 'A', Stage: 'Proposal', CloseDate: '2026-12-01', [name]: true }
  expect(await faultsOf('operations/convert_lead', { LeadID: 'x', Opportunity: nested })).toMatchObject([
    { message: `${name} belongs beside Opportunity, not in it: it is an option of the call.` },
  ])
})

test('inputs among the fields belong beside them, and fields among the inputs in them', async () => {
  expect(await faultsOf('operations/update_lead', { LeadID: 'x', FieldsToUpdate: { IfRevision: 1 }, Status: 'Open' })).toMatchObject([
    { field: 'Status', message: 'Status belongs in FieldsToUpdate.', didYouMean: 'FieldsToUpdate.Status' },
    { field: 'FieldsToUpdate.IfRevision', message: 'IfRevision belongs beside FieldsToUpdate, not in it.', didYouMean: 'IfRevision' },
  ])
})

test('the fields of another operation are told where this one takes them', async () => {
  expect(await faultsOf('operations/update_lead', { LeadID: 'x', Fields: { Status: 'Open' } })).toContainEqual({
    field: 'Fields',
    code: 'unknown',
    message: 'Update Lead takes the fields of the record in FieldsToUpdate.',
    didYouMean: 'FieldsToUpdate',
  })
  expect(await faultsOf('operations/create_a_lead', { FieldsToUpdate: { FirstName: 'Ada' } })).toContainEqual({
    field: 'FieldsToUpdate',
    code: 'unknown',
    message: 'Create A Lead takes the fields of the record themselves, not in FieldsToUpdate.',
    expected: 'the members of it, beside each other',
  })
  expect(await faultsOf('operations/create_custom_object', { ObjectName: 'Boat', FieldsToUpdate: {} })).toContainEqual(
    expect.objectContaining({ field: 'FieldsToUpdate', didYouMean: 'Fields' }),
  )
})

test('a field of a custom object that is given as its value alone is told where that belongs', async () => {
  const Name = 'Sea'
  expect(await faultsOf('operations/create_custom_object', { ObjectName: 'Boat', Fields: { Name, Keel: {} } })).toEqual([
    {
      field: 'Fields.Name',
      code: 'type',
      message: 'Fields.Name must be an object, not a text: its value belongs in Fields.Name.Value.',
      expected: expect.stringMatching(/^an object with Type, Label, .*Value/),
      didYouMean: 'Fields.Name.Value',
    },
    {
      field: 'Fields.Keel',
      code: 'count',
      message: 'Fields.Keel must not be empty.',
      expected: expect.stringMatching(/^at least one of Type, Label, .*Value/),
    },
  ])
})

const CALLS: readonly (readonly [call: object, message: string, didYouMean: string | undefined])[] = [
  [{ Operation: 'update_lead', LeadID: 'x' }, 'LeadID belongs in Input.', 'Operations.0.Input.LeadID'],
  [
    { Operation: 'Update Lead', Input: { LeadID: 'x' }, Title: 'Countess' },
    'Title belongs in Input.FieldsToUpdate.',
    'Operations.0.Input.FieldsToUpdate.Title',
  ],
  [{ Operation: 'delete_lead', Input: { LeadID: 'x' }, IdempotencyKey: 'a' }, 'IdempotencyKey of a call is its Key.', 'Operations.0.Key'],
  [{ Operation: 'delete_lead', Input: {}, DryRun: true }, 'DryRun belongs beside Operations: it is an option of the whole batch.', undefined],
  [{ Operation: 'update_custom_object', input: {} }, 'There is no field called "input".', 'Input'],
]

test.each(CALLS)('a batch with %j is told: %s', async (call, message, didYouMean) => {
  const [fault] = await faultsOf('batch', { Operations: [call] })
  expect(fault).toMatchObject({ message, ...(didYouMean !== undefined && { didYouMean }) })
  const talk = await talkTo(server.url, server.key)
  expect((await talk.call('batch', { Operations: [call] })).text).toContain(JSON.stringify(message))
})

test('a call without a batch around it is told so, also on the command line', async () => {
  expect(await faultsOf('batch', { Operation: 'delete_lead', Input: {} })).toContainEqual(
    expect.objectContaining({ field: 'Input', message: 'Input belongs in a member of Operations.', didYouMean: 'Operations.0.Input' }),
  )
  const env = { CRM_URL: server.url, CRM_KEY: server.key }
  const { err } = await runHere(['update_lead', '--json', '{"LeadID":"x","FieldsToUpdate":{"DryRun":true}}'], { env })
  expect(err).toContain('DryRun belongs beside FieldsToUpdate, not in it')
})

test('a mistyped field beside FieldsToUpdate is pointed to its place in it', async () => {
  expect(await faultsOf('operations/update_lead', { LeadID: 'x', Stauts: 'Open', FieldsToUpdate: { Rating: 'Hot' } })).toMatchObject([
    { field: 'Stauts', didYouMean: 'FieldsToUpdate.Status', message: expect.stringContaining('Status belongs in FieldsToUpdate.') },
  ])
})
