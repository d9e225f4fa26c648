import { expect, onTestFinished, test } from 'vitest'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { execute } from '../../src/core/call/execute.ts'
import type { EventPage } from '../../src/core/journal/events.ts'
import { type Caller, createService } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/store.ts'
import { AUDIT_LINE } from '../support/audit-line.ts'
import { newStoreUrl, withStore } from '../support/store-urls.ts'
import { STORES } from '../support/stores.ts'

const ME = 'first'

/** A workspace as a member sees it, in which they and others write. */
async function setting(store: Store, now?: () => Date) {
  const service = createService({ platform: store, store, ...(now && { now }) })
  await bootstrap(service)
  const admin = await localAdmin(service)
  const member: Caller = { ...admin, userId: ME, role: 'member', sees: new Set([ME]) }
  return {
    read: async (After?: string, Limit = 10) =>
      (await execute(service, { operation: 'get_many_events', input: { Limit, ...(After !== undefined && { After }) }, caller: member })).result as EventPage,
    write: (owner: string, count = 1) =>
      store.write(admin.workspace.number, async (writer) => {
        for (let i = 0; i < count; i++) await writer.appendAuditLine({ ...AUDIT_LINE, recordId: owner, owner })
      }),
  }
}

test.each(STORES)('on $platform, a page of events is as long however many changes of others are between them', async ({ open }) => {
  const store = await open()
  onTestFinished(() => store.close())
  const { read, write } = await setting(store)
  await write(ME, 2)
  await write('second', 11_000)
  await write(ME, 2)
  const whole = await read()
  expect(whole.Events).toHaveLength(4)
  expect((await read(undefined, 3)).Events).toEqual(whole.Events.slice(0, 3))
  expect((await read((await read(undefined, 2)).NextCursor)).Events).toEqual(whole.Events.slice(2))
})

test.each(STORES)('on $platform, a cursor without new events stays the same for a minute, whatever others write', async ({ open }) => {
  const store = await open()
  onTestFinished(() => store.close())
  let time = Date.parse('2026-11-16T12:00:00Z')
  const { read, write } = await setting(store, () => new Date(time))
  await write(ME)
  const { NextCursor: cursor } = await read()
  const quiet = await read(cursor)
  await write('second', 3)
  expect([quiet, await read(cursor)]).toEqual(Array(2).fill({ Events: [], NextCursor: cursor }))
  time += 61_000
  const { NextCursor: later } = await read(cursor)
  expect(later).not.toBe(cursor)
  expect((await read(later)).NextCursor).toBe(later)
  await write(ME)
  for (const After of [cursor, later]) expect((await read(After)).Events).toHaveLength(1)
})

test.each(['sqlite', 'postgres'] as const)('on %s, ids and cursors are the same to every process, and after a restart', async (kind) => {
  const url = await newStoreUrl(kind)
  const before = await withStore(url, async (store) => {
    const { read, write } = await setting(store)
    await write(ME, 3)
    return read(undefined, 2)
  })
  await withStore(url, async (one) => {
    const { read } = await setting(one)
    const again = await read(undefined, 3)
    expect(again.Events.slice(0, 2)).toEqual(before.Events)
    expect((await read(before.NextCursor)).Events).toEqual(again.Events.slice(2))
    await withStore(url, async (other) => expect((await (await setting(other)).read(undefined, 3)).Events).toEqual(again.Events))
  })
})
