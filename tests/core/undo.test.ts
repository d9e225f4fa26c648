import { expect, test } from 'vitest'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { execute } from '../../src/core/call/execute.ts'
import { startSqliteService } from '../support/sqlite-service.ts'

test('a record that was given to another user without the journal, as inside a CRM, is not undone nor shown', async () => {
  const { service, store, call } = await startSqliteService()
  const [me, other] = [await call('create_user', { Name: 'Me', Role: 'member' }), await call('create_user', { Name: 'Other', Role: 'member' })]
  const { result } = await call('create_key', { UserID: me.result.UserID, Scopes: ['read', 'write', 'delete'] })
  const caller = await createAuthenticator(service)(result.Key as string)
  const mine = (operation: string, input: object, dryRun = false) => execute(service, { operation, input, caller, dryRun })
  const lead = (await mine('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).result as { LeadID: string }
  const { changeId } = await mine('update_lead', { LeadID: lead.LeadID, FieldsToUpdate: { Phone: '1' } })
  await store.write(1, (writer) => writer.update('Lead', lead.LeadID, { OwnerID: other.result.UserID as string, Phone: 'hidden' }))
  for (const dryRun of [true, false])
    await expect(mine('undo_change', { ChangeID: changeId }, dryRun)).rejects.toMatchObject({ code: 'not_found', errors: [{ field: 'ChangeID' }] })
  expect(await store.reader(1).get('Lead', lead.LeadID)).toMatchObject({ Phone: 'hidden' })
})
