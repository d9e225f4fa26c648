import { expect, onTestFinished, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { argumentNames } from '../../src/transports/mcp/option-arguments.ts'
import { talkTo } from '../support/mcp.ts'
import { startServer } from '../support/server.ts'

test('a field that is called as an option of tools is written, and is not taken for the option', async () => {
  const server = await startServer()
  onTestFinished(() => server.close())
  await server.call('define_field', { RecordType: 'Opportunity', FieldName: 'Budget', Kind: 'money', Label: 'Budget' })
  const talk = await talkTo(server.url, server.key)
  for (const Budget of [150, 50_000]) {
    const { says } = await talk.call('create_opportunity', { OpportunityName: 'Engine', Stage: 'Proposal', CloseDate: '2026-12-01', Budget })
    expect(await server.call('get_opportunity', { OpportunityID: says.OpportunityID })).toMatchObject({ Budget })
  }
})

test('no other name that tools use for themselves can be that of a field', async () => {
  const server = await startServer()
  onTestFinished(() => server.close())
  const talk = await talkTo(server.url, server.key)
  const created = await talk.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Opne' })
  const { LeadID } = created.says
  await server.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper' })
  const said = [
    created,
    await talk.call('create_a_lead', { FirstName: 'Ada', LastName: 'Byron', DryRun: true }),
    await talk.call('update_lead', { LeadID, FieldsToUpdate: { Title: 'Countess' }, IdempotencyKey: 'once' }),
    await talk.call('update_lead', { LeadID, FieldsToUpdate: { Title: 'Countess' }, IdempotencyKey: 'once' }),
    await talk.call('get_leads', { LeadID }),
    await talk.call('get_many_leads', { Limit: 1 }),
  ].flatMap(({ says }) => Object.keys(says))
  expect(said).toEqual(
    expect.arrayContaining(['Remarks', 'UserNames', 'LeftOut', 'ChangeID', 'Replayed', 'DryRun', 'WouldWrite', 'Difference', 'Records', 'NextCursor']),
  )
  const write = OPERATIONS.find(({ id }) => id === 'delete_lead') as (typeof OPERATIONS)[number]
  for (const FieldName of new Set([...said, ...argumentNames(write)].filter((name) => name !== 'Budget')))
    await expect(server.call('define_field', { RecordType: 'Lead', FieldName, Kind: 'text' }), FieldName).rejects.toThrow()
})
