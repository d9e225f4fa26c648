import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../src/platforms/store.ts'
import { openPostgres } from '../../../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { temporaryDatabase } from '../../support/postgres.ts'

const opening: { readonly [name: string]: () => Promise<Store> } = {
  sqlite: async () => openSqlite(join(await temporaryFolder(), 'crm.db')),
  async postgres() {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    return openPostgres(url)
  },
}

describe.each(Object.entries(opening))('%s', (_, open) => {
  test('a sweep that is asked for while one runs is that one', async () => {
    const store = await open()
    onTestFinished(() => store.close())
    const { number } = (await store.addWorkspace('default')) as { number: number }
    const entry = { fingerprint: 'f', at: '2020-01-01T00:00:00.000Z', state: 'done', answer: null, changeId: null } as const
    await store.write(number, async (writer) => {
      for (let i = 0; i < 10; i++) await writer.putIdempotencyKey('u', `key-${i}`, entry)
    })
    const expiry = { keys: '2021-01-01T00:00:00.000Z', changes: undefined }
    const sweeps = Array.from({ length: 20 }, () => store.sweep(expiry))
    expect(new Set(sweeps).size).toBe(1)
    const [gone = 0] = await Promise.all(sweeps)
    expect(gone).toBeGreaterThanOrEqual(9)
    expect(await store.sweep(expiry)).toBe(0)
  })
})
