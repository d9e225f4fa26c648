import { describe, expect, test } from 'vitest'
import type { Crm } from '../../src/contract/client/client.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { Lead } from '../../src/contract/records/lead.ts'
import { describedPlatform, operationOn, typeOn } from '../../src/core/call/extension.ts'
import { faultsOf } from '../../src/core/call/schemas.ts'
import type { Value } from '../../src/platforms/platform.ts'
import { COMPANY, extendedService, refusalOf } from '../support/extended-service.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Firm: 'Acme' }

type Row = { readonly LeadID: string; readonly [field: string]: unknown }

/** The fields of an account are not in the types, so that operations are called by a name that says nothing of them. */
const calling =
  (crm: Crm) =>
  async (operation: string, input: object): Promise<Row & { readonly Records: readonly Row[]; readonly Total: number }> =>
    (await crm.call(operation, input)) as never

describe('fields that the configuration adds', () => {
  test('are taken and answered by create, get, update and summaries, each by its kind', async () => {
    const { crm } = await extendedService(COMPANY)
    const call = calling(crm)
    const more = { Headcount: 12, Budget: 0.1 + 0.2, Vip: true, Met: '2026-05-01T09:30:00+02:00', Grade: 'Hot' }
    const kept = { Firm: 'Acme', Headcount: 12, Budget: 0.3, Vip: true, Met: '2026-05-01T07:30:00.000Z', Grade: 'Hot', Score: null }
    const lead = await call('create_a_lead', { ...ADA, ...more })
    expect(lead).toMatchObject(kept)
    const { fields } = typeOn({ name: '', supports: { fields: {}, extras: {}, ...COMPANY } }, Lead)
    expect(Object.keys(lead).sort()).toEqual(Object.keys(fields).sort())
    const { LeadID } = lead
    expect(await call('get_leads', { LeadID })).toMatchObject({ ...kept, Notes: [] })
    const updated = await call('update_lead', { LeadID, FieldsToUpdate: { Firm: 'Initech', Headcount: null } })
    expect(updated).toMatchObject({ Firm: 'Initech', Headcount: null, Vip: true, Revision: 2, UpdatedFields: ['Firm', 'Headcount'] })
    expect(await call('get_summary_of_leads', { Filters: { Firm: 'Initech' } })).toMatchObject({ Total: 1, Recent: [{ Firm: 'Initech' }] })
    expect(await call('get_summary_of_leads', { Filters: { Firm: 'Acme' } })).toMatchObject({ Total: 0 })
  })

  test('are searched, sorted, selected and paged by', async () => {
    const { crm } = await extendedService(COMPANY)
    const call = calling(crm)
    const sizes: Value[] = [30, null, 10, 20, 10]
    for (const [i, Headcount] of sizes.entries()) await call('create_a_lead', { ...ADA, FirstName: String(i), Firm: i % 2 ? 'Acme' : 'Initech', Headcount })
    const names = async (input: object) => (await call('get_many_leads', input)).Records.map(({ FirstName }) => FirstName)
    expect(await names({ Filters: { Firm: { startsWith: 'ini' }, Headcount: { gt: 5, lt: 30 } }, OrderBy: 'FirstName' })).toEqual(['2', '4'])
    expect(await names({ Filters: { Headcount: null } })).toEqual(['1'])
    expect(await names({ OrderBy: 'Headcount' })).toEqual(['1', '2', '4', '3', '0'])
    expect((await call('get_many_leads', { Select: ['Firm'], Limit: 1, OrderBy: 'Headcount desc' })).Records).toEqual([
      { LeadID: expect.any(String), Firm: 'Initech' },
    ])
    const all: unknown[] = []
    for await (const one of crm.leads.all({ OrderBy: 'Headcount desc' as never, Limit: 2 })) all.push(one.FirstName)
    expect(all).toEqual(['0', '3', '4', '2', '1'])
  })

  test('are refused with their names where they make no sense', async () => {
    const { crm } = await extendedService(COMPANY)
    const call = calling(crm)
    expect(await refusalOf(call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }))).toMatchObject({
      errors: [{ field: 'Firm', code: 'missing' }],
    })
    const wrong = { ...ADA, Firm: 'A'.repeat(21), Headcount: 1.5, Vip: 'yes', Grade: 'Hott', Score: 5, Firmm: 'x' }
    const { code, errors = [] } = await refusalOf(call('create_a_lead', wrong))
    expect(code).toBe('invalid_input')
    expect(Object.fromEntries(errors.map((fault) => [fault.field, [fault.code, fault.didYouMean]]))).toEqual({
      Firm: ['length', undefined],
      Headcount: ['type', undefined],
      Vip: ['type', undefined],
      Grade: ['value', 'Hot'],
      Score: ['unknown', undefined],
      Firmm: ['unknown', 'Firm'],
    })
    const { LeadID } = await call('create_a_lead', ADA)
    expect(await refusalOf(call('update_lead', { LeadID, FieldsToUpdate: { Firm: null, Score: 1 } }))).toMatchObject({
      errors: [
        { field: 'FieldsToUpdate.Score', code: 'read_only' },
        { field: 'FieldsToUpdate.Firm', code: 'required' },
      ],
    })
    expect(await refusalOf(call('get_many_leads', { Filters: { Headcount: { contains: '1' } } }))).toMatchObject({ errors: [{ code: 'operator' }] })
    expect(await refusalOf(call('get_many_leads', { OrderBy: 'Headcuont' }))).toMatchObject({ errors: [{ didYouMean: 'Headcount' }] })
  })

  test('are part of batches, dry runs, changes and events, and come back when a change is undone', async () => {
    const { crm } = await extendedService(COMPANY)
    const call = calling(crm)
    const tried = await crm.call('create_a_lead', ADA as never, { dryRun: true })
    expect(tried).toMatchObject({ WouldWrite: { Firm: 'Acme' }, Difference: { Firm: { From: null, To: 'Acme' } } })
    const { Results } = await crm.batch({ Operations: [{ Operation: 'create_a_lead', Input: ADA as never }] })
    const { LeadID } = (Results[0] as { Result: Row }).Result
    expect((Results[0] as { Result: Row }).Result).toMatchObject(ADA)

    await call('update_lead', { LeadID, FieldsToUpdate: { Firm: 'Initech', Vip: true } })
    const { Events } = await crm.events.getMany({})
    expect(Events.at(-1)).toMatchObject({ ChangedFields: ['Firm', 'Vip'], Record: { Firm: 'Initech' } })
    const [update] = (await crm.changes.getMany({ Limit: 1 })).Records
    expect(update).toMatchObject({ Before: { Firm: 'Acme', Vip: null }, After: { Firm: 'Initech', Vip: true } })
    await crm.changes.undo({ ChangeID: update?.ChangeID as string })
    expect(await call('get_leads', { LeadID })).toMatchObject({ Firm: 'Acme', Vip: null, Revision: 3 })

    await crm.leads.delete({ LeadID })
    const [deleted] = (await crm.changes.getMany({ Limit: 1 })).Records
    expect(deleted).toMatchObject({ Before: { Firm: 'Acme' }, After: null })
    await crm.changes.undo({ ChangeID: deleted?.ChangeID as string })
    expect(await call('get_leads', { LeadID })).toMatchObject({ Firm: 'Acme', Vip: null })
  })

  test('are carried out once for a key, and confirmed like others', async () => {
    const { crm } = await extendedService(COMPANY)
    const first = await crm.call('create_a_lead', ADA as never, { idempotencyKey: 'k' })
    expect(await crm.call('create_a_lead', ADA as never, { idempotencyKey: 'k' })).toEqual(first)
    const other = crm.call('create_a_lead', { ...ADA, Firm: 'Initech' } as never, { idempotencyKey: 'k' })
    expect(await refusalOf(other)).toMatchObject({ code: 'conflict' })
    const { plan } = await refusalOf(crm.leads.delete({ LeadID: first.LeadID }, { confirm: true }))
    expect(plan?.Preview).toMatchObject({ Difference: { Firm: { From: 'Acme', To: null } } })
    expect(await crm.plans.allow({ PlanID: plan?.PlanID as string })).toMatchObject({ State: 'done' })
  })

  test('are described, and the description is enough to know them elsewhere', async () => {
    const { crm, service } = await extendedService(COMPANY)
    const described = await crm.describe({})
    const lead = described.RecordTypes.find(({ Name }) => Name === 'Lead')
    expect(lead?.Fields.find(({ Name }) => Name === 'Firm')).toEqual({
      Name: 'Firm',
      Type: 'text',
      Label: 'Firm',
      Description: 'A field of this account.',
      Required: true,
      Writable: true,
      MaxLength: 20,
      AllowedValues: null,
      SuggestedValues: null,
      RefersTo: null,
      Unique: false,
      Own: false,
      Operators: ['eq', 'ne', 'in', 'contains', 'startsWith'],
    })
    expect(lead?.Fields.find(({ Name }) => Name === 'Grade')).toMatchObject({ AllowedValues: ['Hot', 'Cold'], SuggestedValues: null })
    expect(lead?.Fields.find(({ Name }) => Name === 'Score')).toMatchObject({ Writable: false })
    expect(describedPlatform(described).supports.extras).toEqual(service.platform.supports.extras)
  })
})

describe('operations on a platform', () => {
  const platform = { name: 'elsewhere', supports: { fields: {}, extras: {}, ...COMPANY } }

  test('are the very same where it says nothing of their records', () => {
    const plain = { name: 'plain', supports: { fields: {}, extras: {} } }
    for (const operation of OPERATIONS) expect(operationOn(plain, operation)).toBe(operation)
    for (const operation of OPERATIONS.filter(({ record }) => record.name !== 'Lead')) expect(operationOn(platform, operation)).toBe(operation)
  })

  test('are made once', () => {
    for (const operation of OPERATIONS) expect(operationOn(platform, operation)).toBe(operationOn(platform, operation))
  })

  test('take and answer with all that there is', () => {
    const on = (id: string) => operationOn(platform, OPERATIONS.find((one) => one.id === id) as never)
    expect(faultsOf(on('create_a_lead').input, ADA)).toEqual([])
    expect(faultsOf(on('update_lead').input, { LeadID: 'x', FieldsToUpdate: { Vip: null } })).toEqual([])
    expect(faultsOf(on('get_many_leads').input, { Filters: { Headcount: { gte: 1 } } })).toEqual([])
    const shown = ({ properties }: { properties?: object }) => Object.keys(properties ?? {})
    const { properties: page } = on('get_many_leads').output as unknown as { properties: { Records: { items: object } } }
    const { properties: summary } = on('get_summary_of_leads').output as unknown as { properties: { Recent: { items: object } } }
    for (const schema of [on('create_a_lead').output, on('get_leads').output, on('update_lead').output, page.Records.items, summary.Recent.items])
      expect(shown(schema)).toEqual(expect.arrayContaining(['LeadID', 'Firm', 'Score', 'Revision']))
    expect(shown(on('delete_lead').output)).toEqual(['LeadID', 'Deleted', 'Emptied'])
    expect(shown(on('add_notes_to_leads').output)).not.toContain('Firm')
  })
})
