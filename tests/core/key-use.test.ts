import { describe, expect, test } from 'vitest'
import { Key } from '../../src/contract/records/key.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { startKeyUse } from '../../src/core/access/key-use.ts'
import { findRecords } from '../../src/core/call/records.ts'
import { createService } from '../../src/core/service.ts'
import { SHARED_STORES } from '../support/shared-stores.ts'

const NEVER = 1_000_000

describe.each(Object.entries(SHARED_STORES))('the use of keys on %s', (_name, make) => {
  test('is stored with one write for many calls, and invalidates no cached sign-in', async () => {
    const shared = await make()
    const store = await shared.open()
    let now = '2026-03-01T10:00:00.000Z'
    const service = { ...createService({ platform: store, store }), now: () => new Date(now) }
    const { key = '' } = await bootstrap(service)
    let writes = 0
    const counted = {
      ...service,
      store: {
        ...store,
        write: ((...given) => {
          writes++
          return store.write(...given)
        }) as typeof store.write,
      },
    }
    const use = startKeyUse(counted, NEVER)
    const authenticate = createAuthenticator(service, use.note)
    const caller = await authenticate(key)
    // Below zero while it is not known.
    let version = -1
    await expect.poll(() => (version = store.accessVersion())).toBeGreaterThanOrEqual(0)
    const stored = async () => {
      const keys = await findRecords(store.reader(caller.workspace.number), Key, { where: [], order: { field: 'Label', descending: false }, limit: 10 })
      return keys.map(({ LastUsedDate }) => LastUsedDate)
    }
    expect(await stored()).toEqual([null])
    now = '2026-03-01T10:00:30.000Z'
    for (let calls = 0; calls < 100; calls++) await authenticate(key)
    await use.stop()
    expect(await stored()).toEqual(['2026-03-01T10:00:00.000Z'])
    expect(writes).toBe(1)
    await expect.poll(() => store.accessVersion()).toBe(version)

    // Another process that was told of an earlier use does not turn it back.
    now = '2026-03-01T09:00:00.000Z'
    const late = startKeyUse(service, NEVER)
    late.note(caller)
    await late.stop()
    expect(await stored()).toEqual(['2026-03-01T10:00:00.000Z'])
    await expect(async () => createAuthenticator(service, use.note)('crm_wrong')).rejects.toMatchObject({ code: 'unauthenticated' })
    await store.close()
  })
})
