import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { backupStore, moveStore, restoreStore } from '../../../../src/app/move-store.ts'
import { FIRST_WORKSPACE } from '../../../../src/contract/records/workspace.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { mirrorOf } from '../../../../src/platforms/stores/mirror.ts'
import { FORMER_WORKSPACE } from '../../../../src/platforms/stores/sqlite/migrations/0010-workspaces.ts'
import { crm } from '../../../support/crm.ts'
import { ask } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { PGBOUNCER, throughPgbouncer } from '../../../support/pgbouncer.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'
import { continueOn, seedEverything, snapshotOf } from '../../../support/seeded-store.ts'
import { expectSound } from '../../../support/sound.ts'
import { type Kind, newStoreUrl, withStore } from '../../../support/store-urls.ts'

const DIRECTIONS: readonly (readonly [Kind, Kind])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
]

test('a store whose audit does not verify moves as it is, and that is said', async () => {
  const [from, to] = [await newStoreUrl('sqlite'), await newStoreUrl('postgres')]
  await withStore(from, seedEverything)
  await ask(from.slice('sqlite:'.length), `UPDATE "Change" SET "Outcome" = 'forged' WHERE "Workspace" = 1 AND "Number" = 3`)
  const { code, out, err } = await crm(['migrate-store', from, to], { cwd: await temporaryFolder() })
  expect({ code, err }).toEqual({ code: 5, err: expect.stringMatching(/Everything was copied as it is, but the audit of default does not verify/) })
  const { Audit } = JSON.parse(out) as { Audit: unknown[] }
  expect(Audit).toMatchObject([
    { Workspace: 'default', Verified: false, Faults: [{ Number: 3 }] },
    { Workspace: 'other', Verified: true },
  ])
  expect(await withStore(to, (store) => store.workspaces())).toHaveLength(2)
})

test('a store from before stores had a secret gets one when it moves, and a second move finds it the same', async () => {
  const [from, to] = [await newStoreUrl('sqlite'), await newStoreUrl('postgres')]
  const { keys } = await withStore(from, seedEverything)
  const path = from.slice('sqlite:'.length)
  for (const table of ['Secret', 'SearchQueue', 'SearchFill', 'SearchRow', 'SearchIndex', 'OwnValue', 'Erasure', 'Position'])
    await ask(path, `DROP TABLE "${table}"`)
  await ask(path, FORMER_WORKSPACE.replace('"Workspace"', '"Former"'))
  await ask(path, 'INSERT INTO "Former" SELECT "Number", "Name", "CreatedDate" FROM "Workspace"')
  await ask(path, 'DROP TABLE "Workspace"')
  await ask(path, 'ALTER TABLE "Former" RENAME TO "Workspace"')
  await ask(path, 'PRAGMA user_version = 5')
  await moveStore(from, to, {})
  const [one, two] = [await withStore(to, (store) => snapshotOf(store, keys)), await withStore(to, (store) => snapshotOf(store, keys))]
  expect(two).toEqual(one)
  expect((await moveStore(from, to, {})).copied).toBe(0)
})

test.skipIf(!PGBOUNCER)('a store moves and is restored through PgBouncer', async () => {
  const [direct, other] = [await newStoreUrl('postgres'), await newStoreUrl('postgres')]
  const to = await throughPgbouncer(direct, 10)
  const from = await newStoreUrl('sqlite')
  const whole = await withStore(from, seedEverything)
  const before = await withStore(from, (store) => snapshotOf(store, whole.keys))
  await moveStore(from, to, {})
  expect(await withStore(to, (store) => snapshotOf(store, whole.keys))).toEqual(before)
  await moveStore(to, other, {})
  expect(await withStore(other, (store) => snapshotOf(store, whole.keys))).toEqual(before)
  const file = join(await temporaryFolder(), 'monday.db')
  await backupStore(to, file, {})
  await withStore(to, (store) => continueOn(store, whole))
  expect(await restoreStore(to, file, true, {})).toMatch(/^before_restore_/)
  expect(await withStore(to, (store) => snapshotOf(store, whole.keys))).toEqual(before)
})

describe.each(DIRECTIONS)('a store that moves from %s to %s', (one, other) => {
  test('is the same to everybody who looks at it, a second move copies nothing, and what was begun goes on', async () => {
    const [from, to] = [await newStoreUrl(one), await newStoreUrl(other)]
    const whole = await withStore(from, seedEverything)
    const before = await withStore(from, (store) => snapshotOf(store, whole.keys))

    const moved = await moveStore(from, to, {})
    expect(moved.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)).toEqual([])
    expect(moved.tables.filter((table) => table.other)).toEqual([])
    expect(moved.audit.map(({ workspace, faults }) => [workspace, faults])).toEqual([
      ['default', []],
      ['other', []],
    ])
    const rows = moved.tables.reduce((sum, table) => sum + table.rows, 0)
    expect([moved.copied, moved.skipped]).toEqual([rows, 0])

    const again = await moveStore(from, to, {})
    expect([again.copied, again.skipped, again.tables]).toEqual([0, rows, moved.tables])

    expect(await withStore(to, (store) => snapshotOf(store, whole.keys))).toEqual(before)
    expect(await withStore(to, (store) => continueOn(store, whole))).toEqual({
      replayed: whole.once.answer,
      hanging: ['Hangs on what is deleted.', 1, 1],
      objects: 1,
      faults: [],
      unsealed: [0, 0],
    })
    // The mirror, and how far it has come, stay behind: it is filled again.
    const positions = (store: Store) => Promise.all(['watch', 'mirror Lead'].map((name) => store.journal(FIRST_WORKSPACE).position(name)))
    expect(await withStore(to, async (store) => [await store.contents(mirrorOf(FIRST_WORKSPACE)), ...(await positions(store))])).toEqual([
      {},
      '{"at":1}',
      undefined,
    ])
    if (other === 'sqlite') await expectSound(to.slice('sqlite:'.length))
    else await expectSoundPostgres(to)
    // Nothing of this has happened to the store it came from.
    expect(await withStore(from, (store) => snapshotOf(store, whole.keys))).toEqual(before)
    await expect(moveStore(from, to, {})).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('no copy of') })
  })
})
