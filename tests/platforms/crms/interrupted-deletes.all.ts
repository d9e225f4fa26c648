import { expect, onTestFinished, test } from 'vitest'
import type { CrmError } from '../../../src/contract/errors.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { overCrm } from '../../support/crms.ts'

const CASES = ALL_CRMS.flatMap(([name, crm]) => (['a delete', 'a confirmed delete'] as const).map((kind) => [name, kind, crm] as const))

test.each(CASES)('%s: %s that was interrupted counts and records what it had emptied before', async (_, kind, crm) => {
  const { close, adminKey, signIn, simulator } = await overCrm(crm, { settleMs: 100 })
  onTestFinished(close)
  const client = signIn(adminKey)
  const { CompanyID } = await client.companies.create({ CompanyName: 'Engines' })
  const contacts = [1, 2].map((n) => client.contacts.create({ LastName: `Babbage ${n}`, Email: `b${n}@engines.example`, CompanyID }))
  const ids = (await Promise.all(contacts)).map(({ ContactID }) => ContactID)
  const planned = (error: CrmError) => ({ confirmation: error.plan?.Token as string })
  const options =
    kind === 'a delete' ? {} : await client.companies.delete({ CompanyID }, { confirm: 'deletes' }).then(() => expect.fail('There is no plan.'), planned)
  simulator.faults.add('drop-before=1x:DELETE')
  const remove = () => client.companies.delete({ CompanyID }, { idempotencyKey: 'once', ...options })
  await expect(remove()).rejects.toMatchObject({ code: 'outcome_unknown' })
  await expect.poll(() => remove().catch(() => undefined), { interval: 100 }).toBeDefined()
  expect(await remove()).toEqual({ CompanyID, Deleted: true, Emptied: { Contact: 2 } })
  for (const RecordID of ids) {
    const [change] = (await client.changes.getMany({ Filters: { RecordID } })).Records
    expect(change).toMatchObject({ EventType: 'contact.updated', Before: { CompanyID }, After: { CompanyID: null } })
  }
})
