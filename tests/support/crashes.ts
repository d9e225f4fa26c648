import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { CHANGES, contentsOf, expectOnlyAcknowledged, KEYS_SQL, RECORDS } from './acknowledged.ts'
import { type Client, keysOf } from './clients.ts'
import { openDatabase } from './database.ts'
import { allEvents } from './events.ts'
import { temporaryFolder } from './folder.ts'
import { type RunningService, startService } from './service.ts'
import { expectSound } from './sound.ts'

const QUIET = { env: { CRM_LOG_LEVEL: 'error' } }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const answered = (clients: readonly Client[]) => clients.reduce((sum, { done }) => sum + done.length, 0)

export const storeIn = (cwd: string) => join(cwd, 'data/crm.db')

/** Lets clients write to a service that is killed at a random instant. They begin with what the crash before has left open. */
export async function crash(cwd: string, clients: readonly Client[]): Promise<void> {
  const service = await startService(cwd, QUIET)
  const before = answered(clients)
  const writing = Promise.all(clients.map((client) => client.write(service)))
  await Promise.race([writing, until(() => answered(clients) > before + 2 * clients.length)])
  await Promise.race([writing, pause(Math.random() * 400)])
  expect(await service.end('SIGKILL')).toBe('SIGKILL')
  await writing
  expect(service.err()).toBe('')
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5)
}

/**
 * What a crash has left, before anybody repairs anything: all that was acknowledged, of a batch that is atomic all or
 * nothing, and of every call that is open either the change and its key, or neither. It looks at a copy. Resolves to how many
 * calls had been carried out though nobody has heard of it.
 */
export async function expectNoTornWrites(cwd: string, clients: readonly Client[]): Promise<number> {
  const copy = join(await temporaryFolder(), 'crm.db')
  for (const side of ['', '-wal']) await copyFile(storeIn(cwd) + side, copy + side)
  const { kept, changed } = await keysIn(copy)
  let unheard = 0
  for (const { done, open } of clients) {
    const lost = done.flatMap(keysOf).filter((key) => kept.get(key) !== 1 || changed.get(key) !== 1)
    expect(lost).toEqual([])
    if (!open) continue
    const keys = keysOf(open)
    expect(keys.map((key) => kept.get(key))).toEqual(keys.map((key) => changed.get(key)))
    const there = keys.filter((key) => kept.has(key)).length
    if (open.kind === 'atomic') expect([0, keys.length]).toContain(there)
    if (there > 0) unheard++
  }
  await expectSound(copy)
  return unheard
}

/** How often each idempotency key is kept, and how many changes were made with it. */
async function keysIn(path: string): Promise<{ kept: Map<string, number>; changed: Map<string, number> }> {
  const database = await openDatabase(path)
  const counted = (sql: string) => new Map(database.all(sql, []).map(({ key, n }) => [key as string, n as number]))
  const kept = counted('SELECT "Key" AS key, COUNT(*) AS n FROM "Once" GROUP BY 1')
  const changed = counted(`SELECT "IdempotencyKey" AS key, COUNT(*) AS n FROM "Change" WHERE "Outcome" = 'ok' AND "IdempotencyKey" IS NOT NULL GROUP BY 1`)
  database.close()
  return { kept, changed }
}

/** Once every call has been answered: each was carried out once, and the store is exactly what the answers said. */
export async function expectExactly(cwd: string, clients: readonly Client[]): Promise<void> {
  const service = await startService(cwd, QUIET)
  await Promise.all(clients.map((client) => client.resendOpen(service)))
  await Promise.all(clients.map((client) => expectReplays(service, client)))
  await expectOneEventPerChange(service, clients)
  expect(await service.end()).toBe(0)
  expect(service.err()).toBe('')
  await expectOnlyWhatWasAnswered(storeIn(cwd), clients)
}

/** Every call that was ever answered is answered again with the very same. */
export async function expectReplays(service: RunningService, client: Client): Promise<void> {
  for (const sent of client.done) {
    const { results, changeIds, replayed } = await client.send(service, sent)
    expect({ results, changeIds, replayed }).toEqual({ results: sent.results, changeIds: sent.changeIds, replayed: sent.steps.map(() => true) })
  }
}

/** Every change that was acknowledged has one event, and there is no other; those of a record are in the order of its making. */
export async function expectOneEventPerChange(service: RunningService, clients: readonly Client[]): Promise<void> {
  const bearers = [...new Set(clients.map(({ bearer }) => bearer))]
  const events = (await Promise.all(bearers.map((bearer) => allEvents(service, bearer)))).flat()
  const changes = clients.flatMap(({ done }) => done.flatMap(({ changeIds }) => changeIds ?? []))
  expect(events.map(({ ChangeID }) => ChangeID).sort()).toEqual(changes.sort())
  const revisions = new Map<string, number>()
  for (const { RecordID, Type, Record } of events) {
    if (!/\.(created|updated)$/.test(Type)) continue
    expect(Record?.Revision).toBe((revisions.get(RecordID) ?? 0) + 1)
    revisions.set(RecordID, Record?.Revision as number)
  }
}

/** The records, keys and changes of a store are those that its clients know of, and no others. */
export async function expectOnlyWhatWasAnswered(path: string, clients: readonly Client[]): Promise<void> {
  await expectSound(path)
  const database = await openDatabase(path)
  const all = (sql: string) => database.all(sql, [])
  const held = contentsOf({ kept: all(KEYS_SQL), changes: all(CHANGES), records: RECORDS.flatMap(all) })
  database.close()
  expectOnlyAcknowledged(held, clients)
}
