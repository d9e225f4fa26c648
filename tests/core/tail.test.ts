import { expect, onTestFinished, test } from 'vitest'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { positionsOf } from '../../src/core/journal/positions.ts'
import { followTail, type TailEvent } from '../../src/core/journal/tail.ts'
import { type Caller, createService, type Service } from '../../src/core/service.ts'
import type { AuditLine, EventQuery, Store } from '../../src/platforms/store.ts'
import { AUDIT_LINE } from '../support/audit-line.ts'
import { STORES } from '../support/stores.ts'

interface Setting {
  readonly service: Service
  readonly admin: Caller
  /** The events that the store has been asked for so far, each as often as it was read. */
  readonly read: string[]
  append(...lines: AuditLine[]): Promise<unknown>
  /** Follows as a caller from the present on. */
  follow(caller: Caller): { readonly events: TailEvent[]; readonly turns: () => number }
}

async function setting(store: Store): Promise<Setting> {
  onTestFinished(() => store.close())
  const read: string[] = []
  const journal = (workspace: number) => {
    const reader = store.journal(workspace)
    const events = async (query: EventQuery) => {
      const page = await reader.events(query)
      read.push(...page.events.map(({ changeId }) => changeId))
      return page
    }
    return { ...reader, events }
  }
  const service = createService({ platform: store, store: { ...store, journal } })
  await bootstrap(service)
  const admin = await localAdmin(service)
  const { newest } = await store.journal(admin.workspace.number).span()
  return {
    service,
    admin,
    read,
    append: (...lines) =>
      store.write(admin.workspace.number, async (writer) => {
        for (const line of lines) await writer.appendAuditLine(line)
      }),
    follow(caller) {
      const events: TailEvent[] = []
      let [position, turns, reading] = [newest, 0, Promise.resolve()]
      const follower = followTail(service, caller.workspace, () => {
        turns++
        reading = reading.then(async () => {
          const page = await follower.read(caller, position, 100)
          events.push(...page.events)
          position = page.upTo
        })
      })
      onTestFinished(() => follower.end())
      return { events, turns: () => turns }
    },
  }
}

const member = (admin: Caller, userId: string): Caller => ({ ...admin, userId, role: 'member', sees: new Set([userId]) })
const numbers = (events: readonly TailEvent[]) => events.map(({ number }) => number)

test.each(STORES)('on $platform, an event is read and serialised once, however many follow', async ({ open }) => {
  const { admin, append, follow, read } = await setting(await open())
  const [one, ...others] = Array.from({ length: 50 }, () => follow({ ...admin }))
  const unseen = follow(member(admin, 'second'))
  // Before its first turn a tail holds nothing, and those who follow it read the store themselves.
  await expect.poll(() => [one, ...others, unseen].every((each) => (each?.turns() ?? 0) > 0)).toBe(true)
  for (let i = 0; i < 5; i++) {
    await append(AUDIT_LINE)
    await expect.poll(() => [one, ...others].every((each) => each?.events.length === i + 1)).toBe(true)
  }
  expect([read.length, new Set(read).size]).toEqual([5, 5])
  for (const other of others) for (const [i, event] of other.events.entries()) expect(event).toBe(one?.events[i])
  expect(unseen.events).toEqual([])
})

test.each(STORES)('on $platform, a follower that is behind what is held reads the store, and misses nothing', async ({ open }) => {
  const { service, admin, append, follow } = await setting(await open())
  const { newest } = await service.store.journal(admin.workspace.number).span()
  const keeps = follow(admin)
  for (let i = 0; i < 6; i++) await append(...Array.from({ length: 1000 }, () => AUDIT_LINE))
  await expect.poll(() => keeps.events.length).toBe(6000)
  expect(numbers(keeps.events)).toEqual(Array.from({ length: 6000 }, (_, i) => newest + 1 + i))
  const late = followTail(service, admin.workspace, () => {})
  onTestFinished(() => late.end())
  const first = await late.read(admin, newest, 100)
  expect(first.events.length).toBeGreaterThan(0)
  expect(numbers(first.events)).toEqual(numbers(keeps.events.slice(0, first.events.length)))
})

test('an event is seen by the present owner of its record, and without its images once that is erased', async () => {
  const { service, admin, append, follow } = await setting(await (STORES[0] as (typeof STORES)[number]).open())
  const { newest } = await service.store.journal(admin.workspace.number).span()
  const all = follow(admin)
  await append(AUDIT_LINE)
  await expect.poll(() => all.events.length).toBe(1)
  const follower = followTail(service, admin.workspace, () => {})
  onTestFinished(() => follower.end())
  const seen = async (userId: string) =>
    (await follower.read(member(admin, userId), newest, 100)).events.map((event) => event.shownAt(positionsOf(service, admin)).Record)
  expect([await seen('first'), await seen('second')]).toEqual([[{ FirstName: 'Ada' }], []])
  await append({ ...AUDIT_LINE, owner: 'second', moved: true })
  await expect.poll(() => all.events.length).toBe(2)
  expect([await seen('first'), await seen('second')]).toEqual([[], [{ FirstName: 'Ada' }, { FirstName: 'Ada' }]])
  await append({ ...AUDIT_LINE, owner: 'second', operation: 'erase_record', eventType: 'lead.erased', after: null })
  await expect.poll(() => all.events.length).toBe(3)
  expect(await seen('second')).toEqual([null, null, null])
})

test('a page is bounded by its size too, so that little is buffered for one that does not read', async () => {
  const { service, admin, append, follow } = await setting(await (STORES[0] as (typeof STORES)[number]).open())
  const { newest } = await service.store.journal(admin.workspace.number).span()
  const all = follow(admin)
  await append(...Array.from({ length: 20 }, () => ({ ...AUDIT_LINE, after: JSON.stringify({ FirstName: 'x'.repeat(60_000) }) })))
  await expect.poll(() => all.events.length).toBe(20)
  const follower = followTail(service, admin.workspace, () => {})
  onTestFinished(() => follower.end())
  const { events, upTo } = await follower.read(admin, newest, 1000)
  expect(events.length).toBeLessThan(6)
  expect(upTo).toBe(events.at(-1)?.number)
})

test.each(STORES)('on $platform, a change wakes those who follow its workspace, and no others', async ({ open }) => {
  const { service, admin, append, follow } = await setting(await open())
  const workspace = (await service.store.addWorkspace('other')) as Caller['workspace']
  // PostgreSQL may notify of the new workspace itself only now, which is a turn for those who follow it.
  let notified = 0
  const unwatch = service.store.watch((changed) => {
    if (changed !== admin.workspace.number) notified++
  })
  onTestFinished(unwatch)
  const [here, elsewhere] = [follow(admin), follow({ ...admin, workspace })]
  await expect.poll(() => Math.min(here.turns(), elsewhere.turns())).toBeGreaterThan(0)
  await append(AUDIT_LINE)
  await expect.poll(() => here.events.length).toBe(1)
  expect(elsewhere.turns()).toBeGreaterThan(0)
  expect(elsewhere.turns()).toBeLessThanOrEqual(1 + notified)
})
