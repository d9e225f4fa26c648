import { describe, expect, test } from 'vitest'
import { CrmError } from '../../../../src/contract/errors.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { withMovedClock } from '../../../support/moved-clock.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const NAMES = ['Anna', 'Bella', 'Clara', 'Dora']

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof CrmError ? error.code : String(error)),
  )

describe.each(ALL_CRMS)('two processes on one account of %s', (_name, kind) => {
  test('of changes by the same revision one is made, whichever process gets them', async () => {
    const { simulator, start, pass } = await withMovedClock(kind)
    const processes = [await start(), await start()]
    const { LeadID, Revision: IfRevision } = await (processes[0] as (typeof processes)[0]).crm.leads.create(ADA)
    await pass(2)
    // Each would have looked before another writes.
    simulator.faults.add('slow=100ms')
    const calls = NAMES.map((FirstName, i) => processes[i % 2]?.crm.leads.update({ LeadID, FieldsToUpdate: { FirstName }, IfRevision }))
    const codes = await Promise.all(calls.map((call) => codeOf(call as Promise<unknown>)))
    expect(codes.sort()).toEqual(['conflict', 'conflict', 'conflict', 'ok'])
  })

  test('a revision that is over is over for both, and for one that is started later, however short a time ago', async () => {
    const { start } = await withMovedClock(kind)
    const [one, other] = [await start(), await start()]
    const { LeadID } = await one.crm.leads.create(ADA)
    const { Revision: IfRevision } = await one.crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Anna' } })
    const { Revision } = await one.crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Bella' } })
    for (const { crm } of [one, other, await start()]) {
      expect(await codeOf(crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Clara' }, IfRevision }))).toBe('conflict')
    }
    expect(await codeOf(other.crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Dora' }, IfRevision: Revision }))).toBe('ok')
  })
})
