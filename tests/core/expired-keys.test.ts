import { expect, onTestFinished, test } from 'vitest'
import { Key } from '../../src/contract/records/key.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { removeExpiredKeys } from '../../src/core/access/expired-keys.ts'
import { findRecords, newRecord } from '../../src/core/call/records.ts'
import { createService } from '../../src/core/service.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

const LONG_AGO = '2020-01-01T00:00:00.000Z'
const FAR_AHEAD = '2999-01-01T00:00:00.000Z'

test('sessions and tokens that ended long ago are removed; keys, and tokens that can be renewed, stay', async () => {
  const store = await openSqlite(':memory:')
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const [workspace = { number: 0 }] = await store.workspaces()
  const keys = () => findRecords(store.reader(workspace.number), Key, { where: [], order: { field: 'Label', descending: false }, limit: 1000 })
  const [admin] = await keys()
  const kinds = {
    'gone: session': { Kind: 'session', ExpiresDate: LONG_AGO },
    'gone: token': { Kind: 'token', ExpiresDate: LONG_AGO },
    'gone: no longer renewable': { Kind: 'token', ExpiresDate: LONG_AGO, RenewableUntil: LONG_AGO },
    'gone: revoked': { Kind: 'token', ExpiresDate: LONG_AGO, RenewableUntil: FAR_AHEAD, RevokedDate: LONG_AGO },
    'kept: renewable': { Kind: 'token', ExpiresDate: LONG_AGO, RenewableUntil: FAR_AHEAD },
    'kept: valid': { Kind: 'session', ExpiresDate: FAR_AHEAD },
    'kept: expired an hour ago': { Kind: 'token', ExpiresDate: new Date(Date.now() - 3_600_000).toISOString() },
    'kept: a key': { ExpiresDate: LONG_AGO },
  }
  await store.write(workspace.number, async (writer) => {
    for (const [Label, values] of Object.entries(kinds))
      await writer.create(Key.name, newRecord(Key, writer.newId(), { UserID: admin?.UserID, Label, Scopes: ['read'], Digest: Label, ...values }))
    // More than a page of them, and of those that stay.
    for (let i = 0; i < 150; i++)
      for (const RenewableUntil of [null, FAR_AHEAD])
        await writer.create(
          Key.name,
          newRecord(Key, writer.newId(), {
            UserID: admin?.UserID,
            Label: RenewableUntil ? 'kept' : 'gone',
            Scopes: ['read'],
            Digest: `${i}${RenewableUntil}`,
            Kind: 'token',
            ExpiresDate: LONG_AGO,
            RenewableUntil,
          }),
        )
  })

  await removeExpiredKeys(service)
  const left = (await keys()).map(({ Label }) => String(Label))
  expect(left.filter((label) => label.startsWith('gone'))).toEqual([])
  expect([...new Set(left)]).toEqual(['first admin', 'kept', 'kept: a key', 'kept: expired an hour ago', 'kept: renewable', 'kept: valid'])
  expect(left.filter((label) => label === 'kept')).toHaveLength(150)
})
