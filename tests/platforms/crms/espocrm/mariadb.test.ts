import { startSimulator } from 'crm-simulators'
import { simulateEspoCrmOnMariaDb } from 'crm-simulators/espocrm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FAMILIES } from '../../../../src/contract/fields.ts'
import { compared, matches } from '../../../../src/platforms/crms/engine/comparison.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { Condition } from '../../../../src/platforms/platform.ts'
import { operationsOver } from '../../../support/plain-server.ts'

const NAMES = ['Ada', 'ADA', 'ada', 'Adá', 'ß', 'ss', 'É', 'e']
const STATUSES = ['Open', 'Assigned', 'Dead']
const OTHERS = ['New', 'dead', 'DEAD', 'open', 'Ada ', 'x']

test('a database that takes letters for the same and sorts null first changes no answer', async () => {
  const simulator = await startSimulator(simulateEspoCrmOnMariaDb)
  const { crm, platform } = await operationsOver(espocrm, simulator.url, { apiKey: 'simulator' })
  const drafts = NAMES.flatMap((FirstName, at) => STATUSES.map((Status) => ({ FirstName, LastName: 'x', Status, Phone: at % 2 ? null : '+12025550100' })))
  const leads = await platform.write(1, (writer) => Promise.all(drafts.map((draft) => writer.create('Lead', { ...draft, OwnerID: 'nobody' }))))
  const word = fc.constantFrom(...NAMES, ...STATUSES, ...OTHERS)
  const condition = fc
    .record({ field: fc.constantFrom('FirstName', 'Status'), operator: fc.constantFrom(...FAMILIES.text.operators), word, other: word })
    .map(({ field, operator, word, other }): Condition => ({ field, family: 'text', operator, value: operator === 'in' ? [word, other] : word }))
  await fc.assert(
    fc.asyncProperty(fc.array(condition, { maxLength: 2 }), fc.boolean(), async (where, descending) => {
      const { records } = await platform.reader(1).find('Lead', { where, order: { field: 'Phone', descending }, limit: 100 })
      const wanted = leads.filter((lead) => where.every((one) => matches(lead, one)))
      expect(records.map(({ LeadID }) => LeadID).sort()).toEqual(wanted.map(({ LeadID }) => LeadID).sort())
      const phones = records.map(({ Phone }) => Phone as string | null)
      expect(phones).toEqual(phones.toSorted((a, b) => compared(a, b) * (descending ? -1 : 1)))
    }),
    { numRuns: 120 },
  )
  const { Records } = await crm.leads.getMany({ Filters: { Status: { ne: 'New' } }, Limit: 100 })
  expect(Records).toHaveLength(leads.length)
  await simulator.close()
})
