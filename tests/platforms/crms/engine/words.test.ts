import { startSimulator } from 'crm-simulators'
import { expect, test } from 'vitest'
import { FAMILIES } from '../../../../src/contract/fields.ts'
import { matches } from '../../../../src/platforms/crms/engine/comparison.ts'
import { openCrmPlatform } from '../../../../src/platforms/crms/engine/open.ts'
import { overridden } from '../../../../src/platforms/crms/engine/overrides.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'

/** Words that are shown as others, as a configuration may have them: some of ours are the CRM's for something else. */
const MAPPED: { readonly [crm: string]: { readonly [ours: string]: string } } = {
  salesforce: { Open: 'Working - Contacted', 'Working - Contacted': 'Open - Not Contacted' },
  hubspot: { OPEN: 'NEW', NEW: 'OPEN', Waiting: 'IN_PROGRESS' },
  espocrm: { Assigned: 'New', New: 'Dead', Waiting: 'In Process' },
}

const FURTHER = ['Open - Not Contacted', 'Dead', 'dead', 'In Process', 'IN_PROGRESS', 'open', 'NEW', 'new', 'nothing']

test.each(ALL_CRMS)('on %s, every operator compares the words that are shown', async (name, crm) => {
  const simulator = await startSimulator(crm.simulate)
  const options = crm.options ?? {}
  const platform = await openCrmPlatform(crm.kind, {
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options },
    secrets: Object.fromEntries(crm.secrets.map((secret) => [secret, 'simulator'])),
    tables: overridden(crm.kind.tables(options), { Lead: { fields: { Status: { values: MAPPED[name] } } } }, [], ''),
    retry: (attempt) => attempt(),
    reconcileMs: 500,
  })
  const words = [...new Set([...Object.keys(MAPPED[name] ?? {}), ...(platform.supports.fields.Lead?.Status?.closed ?? [])])]
  const leads = await Promise.all(
    words.map((Status) => platform.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status, OwnerID: 'nobody' }))),
  )
  expect(leads.map(({ Status }) => Status)).toEqual(words)
  const ids = (records: readonly StoredRecord[]) => records.map(({ LeadID }) => LeadID).sort()
  const order = { field: 'CreatedDate', descending: false }
  for (const word of new Set([...words, ...FURTHER])) {
    for (const operator of FAMILIES.text.operators) {
      const condition: Condition = { field: 'Status', family: 'text', operator, value: operator === 'in' ? [word, 'Waiting'] : word }
      const found = await platform.reader(1).find('Lead', { where: [condition], order, limit: 100 })
      expect(ids(found.records), `${operator} ${word}`).toEqual(ids(leads.filter((lead) => matches(lead, condition))))
    }
  }
  await platform.close()
  await simulator.close()
})
