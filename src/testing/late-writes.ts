import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA } from './records.ts'

/** Where a connection cannot make its platform be late, these have nothing to prove. */
export const lateWrites = theme('writes that are carried out late', [
  ...[10, 40, 90].map((seconds) =>
    behaviour(`a create whose answer is lost and that is carried out ${seconds} s later is there once, however often it is repeated`, async (context) => {
      const { as, unique, refused, loseNextWrite } = context
      const { crm } = await as()
      const options = { idempotencyKey: unique('key') }
      const create = () => crm.leads.create(ADA, options)
      const ids = async () => (await crm.leads.getMany({})).Records.map(({ LeadID }) => LeadID)
      await loseNextWrite?.(seconds, async (pass) => {
        await refused(create(), 'outcome_unknown')
        await pass(seconds - 1)
        const { retryAfter } = await refused(create(), 'outcome_unknown')
        assert.ok(retryAfter !== undefined && retryAfter > 0, 'It says when to come back.')
        assert.deepEqual(await ids(), [])
        await pass(1)
        const { LeadID } = await create()
        await pass(600)
        assert.equal((await create()).LeadID, LeadID)
        assert.deepEqual(await ids(), [LeadID])
      })
    }),
  ),
])
