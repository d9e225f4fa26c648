import { describe, expect, onTestFinished, test } from 'vitest'
import type { CrmKind } from '../../src/platforms/crms/engine/kind.ts'
import { overridden } from '../../src/platforms/crms/engine/overrides.ts'
import { ESPOCRM } from '../support/crms/espocrm.ts'
import { HUBSPOT } from '../support/crms/hubspot.ts'
import { SALESFORCE } from '../support/crms/salesforce.ts'
import { type Crm, overCrm } from '../support/crms.ts'
import { refusalOf } from '../support/extended-service.ts'

const text = (name: string) => ({ name, kind: 'text', label: 'Company' })

/** Fields of a lead that each of them has and the contract does not, and a value for those that are no text. */
const FURTHER: readonly (readonly [Crm, { readonly [field: string]: object }, object])[] = [
  [ESPOCRM, { Company: text('accountName'), Silent: { name: 'doNotCall', kind: 'boolean' } }, { Silent: true }],
  [SALESFORCE, { Company: text('Company'), Employees: { name: 'NumberOfEmployees', kind: 'integer' } }, { Employees: 12 }],
  [HUBSPOT, { Company: text('company') }, {}],
]

/** A client of a service over a simulated account, whose configuration names these fields of a lead. */
async function withFields(crm: Crm, fields: object) {
  const faults: [] = []
  const tables = overridden(crm.kind.tables(crm.options ?? {}), { Lead: { fields } }, faults, '')
  const kind: CrmKind = { ...crm.kind, open: (opening) => crm.kind.open({ ...opening, tables }) }
  const connection = await overCrm({ ...crm, kind })
  expect(faults).toEqual([])
  onTestFinished(() => connection.close())
  return connection.signIn(connection.adminKey)
}

describe.each(FURTHER.map(([crm, fields, more]) => [crm.kind.name, crm, fields, more] as const))('further fields of a lead in %s', (_, crm, fields, more) => {
  test('are set, found, changed and put back', async () => {
    const client = await withFields(crm, fields)
    const call = async (operation: string, input: object) => (await client.call(operation, input)) as { readonly [member: string]: unknown }
    const hostile = `O'Brien & "Söhne" \\ 100%`
    const lead = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Company: hostile, ...more })
    expect(lead).toMatchObject({ Company: hostile, ...more })
    const { LeadID } = lead
    await call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper', Company: 'Navy' })
    expect(await call('get_leads', { LeadID })).toMatchObject({ Company: hostile, ...more })
    expect(await call('get_many_leads', { Filters: { Company: hostile, ...more } })).toMatchObject({ Records: [{ LeadID }] })
    expect(await call('get_many_leads', { OrderBy: 'Company', Select: ['Company'] })).toMatchObject({ Records: [{ Company: 'Navy' }, { Company: hostile }] })
    expect(await call('get_summary_of_leads', { Filters: { Company: { startsWith: "o'b" } } })).toMatchObject({ Total: 1 })
    expect(await call('update_lead', { LeadID, FieldsToUpdate: { Company: 'Acme' } })).toMatchObject({
      Company: 'Acme',
      ...more,
      Revision: expect.any(Number),
    })

    const [change] = (await client.changes.getMany({ Limit: 1 })).Records
    expect(change).toMatchObject({ Before: { Company: hostile }, After: { Company: 'Acme' } })
    await client.changes.undo({ ChangeID: change?.ChangeID as string })
    expect(await call('get_leads', { LeadID })).toMatchObject({ Company: hostile })
    expect(await refusalOf(call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Compny: 'x' }))).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ field: 'Compny', didYouMean: 'Company' })]),
    })
  })
})

test.each([ESPOCRM, SALESFORCE, HUBSPOT].map((crm) => [crm.kind.name, crm] as const))(
  'a field that %s only lets be read is refused, not left out',
  async (_, crm) => {
    const client = await withFields(crm, { Phone: { readOnly: true } })
    const { LeadID } = await client.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Phone: null })
    const fault = (field: string) => ({ code: 'invalid_input', errors: [expect.objectContaining({ field, code: 'read_only' })] })
    expect(await refusalOf(client.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Phone: '+49 431 123456' }))).toMatchObject(fault('Phone'))
    for (const Phone of ['+49 431 123456', null])
      expect(await refusalOf(client.leads.update({ LeadID, FieldsToUpdate: { Phone } }))).toMatchObject(fault('FieldsToUpdate.Phone'))
  },
)
