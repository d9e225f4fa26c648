import { expect, onTestFinished, test, vi } from 'vitest'
import { createAuthenticator } from '../../../../src/core/access/authenticate.ts'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { PGBOUNCER, throughPgbouncer } from '../../../support/pgbouncer.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'
import { peersOnPostgres } from '../../../support/postgres-peers.ts'

const where = PGBOUNCER === undefined ? ' (skipped: there is no pgbouncer on this machine)' : ''

test.skipIf(PGBOUNCER === undefined)(`behind PgBouncer in transaction mode all is as it is without${where}`, async () => {
  // Fewer connections than those who want one, so that each transaction gets another.
  const { peers } = await peersOnPostgres({}, (url) => throughPgbouncer(url, 3))
  const [here, there] = peers
  const { LeadID } = (await here.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).result
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const peer = i % 2 === 0 ? here : there
      await peer.call('create_a_lead', { FirstName: 'Ada', LastName: `${i}` }, `key-${i}`)
      await peer.call('add_notes_to_leads', { LeadID, Note: `${i}` })
      await peer.call('update_lead', { LeadID, FieldsToUpdate: { Phone: `${i}` } })
    }),
  )
  expect((await there.call('get_leads', { LeadID })).result).toMatchObject({ NotesTotal: 60, Revision: 61 })
  const { Events } = (await there.call('get_many_events', { Limit: 1000 })).result as { Events: readonly { EventID: string }[] }
  expect(Events.map(({ EventID }) => Number(EventID))).toEqual(Array.from(Events, (_, i) => i + 1))
  expect(await here.store.journal(1).verify()).toMatchObject({ faults: [], unsealed: 0 })

  const authenticate = createAuthenticator(here.service)
  const { KeyID, Key } = (await there.call('create_key')).result
  await authenticate(String(Key))
  await there.call('revoke_key', { KeyID })
  await vi.waitFor(() => expect(async () => authenticate(String(Key))).rejects.toThrow('revoked'), 60_000)
})

test.skipIf(PGBOUNCER === undefined)(`a store behind a pooler says so${where}`, async () => {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  const [plain, pooled] = [await openPostgres(url), await openPostgres(await throughPgbouncer(url, 3))]
  onTestFinished(async () => void (await Promise.all([plain.close(), pooled.close()])))
  expect(plain.remark).toBeUndefined()
  expect(pooled.remark).toContain('pooler')
})
