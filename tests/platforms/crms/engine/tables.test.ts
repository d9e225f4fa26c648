import { expect, test } from 'vitest'
import { recordType } from '../../../../src/contract/operations.ts'
import type { RecordType } from '../../../../src/contract/record.ts'
import { Lead } from '../../../../src/contract/records/lead.ts'
import type { ContractTables, Place, Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { limitsOf } from '../../../../src/platforms/crms/engine/translation.ts'
import { CRM_NAMES, type CrmName } from '../../../../src/platforms/crms/names.ts'
import { CRMS } from '../../../../src/platforms/crms/registry.ts'

const place: Place = { name: 'x', kind: 'text' }
const LEAD = Object.fromEntries(Object.keys(Lead.fields).map((name) => [name, place])) as ContractTables['Lead']['fields']

/** Each of these is refused by the compiler, which fails at an unused `@ts-expect-error`. */
export const REFUSED: readonly ContractTables['Lead']['fields'][] = [
  // @ts-expect-error: a field of the contract without a place
  (({ Phone: _, ...rest }) => rest)(LEAD),
  // @ts-expect-error: a field that the contract does not have
  { ...LEAD, Fax: place },
]

const OPTIONS: { readonly [name in CrmName]: readonly { readonly [option: string]: string }[] } = {
  salesforce: [{}, { notes: 'ContentNote' }],
  hubspot: [{}, { leads: 'lead' }],
  espocrm: [{}],
}

const writable = (type: RecordType) => Object.entries(type.fields).filter(([, { access }]) => access === 'write' || access === 'create')

test.each(CRM_NAMES)('every field that a caller may write has a place in %s, or is marked for the core to refuse', async (name) => {
  const kind = await CRMS[name].kind()
  for (const options of OPTIONS[name]) {
    const tables: Tables = kind.tables(options)
    const limits = limitsOf(tables)
    for (const [type, { fields }] of Object.entries(tables)) {
      for (const [field] of writable(recordType(type))) {
        const isWritten = fields[field] && !fields[field].readOnly
        const { absent, readOnly } = limits[type]?.[field] ?? {}
        expect([type, field, isWritten || absent || readOnly]).toEqual([type, field, true])
      }
    }
  }
})

test('a field that the account only lets be read is marked as read-only, and one that is the connector’s own is not', () => {
  const readOnly = { ...place, readOnly: true }
  expect(limitsOf({ Lead: { object: 'Lead', fields: { Phone: readOnly, CreatedDate: readOnly } } })).toEqual({ Lead: { Phone: { readOnly: true } } })
})
