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

/** Lets clients write to a service that is killed at a random moment. They first retry what the previous crash left open. */
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
 * Checks a copy of the store after a crash, before recovery: everything acknowledged is there, atomic batches are complete or
 * absent, and of an open call both the change and its idempotency key are there, or neither. Resolves to the number of calls that were
 * committed but not acknowledged.
 */
export async function expectNoTornWrites(cwd: string, clients: readonly Client[]): Promise<number> {
  const copy = join(await temporaryFolder(), 'crm.db')
  for (const side of ['', '-wal']) await copyFile(storeIn(cwd) + side, copy + side)
  const { kept, changed } = await keysIn(copy)
  let unacknowledged = 0
  for (const { done, open } of clients) {
    const lost = done.flatMap(keysOf).filter((key) => kept.get(key) !== 1 || changed.get(key) !== 1)
    expect(lost).toEqual([])
    if (!open) continue
    const keys = keysOf(open)
    expect(keys.map((key) => kept.get(key))).toEqual(keys.map((key) => changed.get(key)))
    const there = keys.filter((key) => kept.has(key)).length
    if (open.kind === 'atomic') expect([0, keys.length]).toContain(there)
    if (there > 0) unacknowledged++
  }
  await expectSound(copy)
  return unacknowledged
}

/** How often each idempotency key is stored, and how many changes have it. */
async function keysIn(path: string): Promise<{ kept: Map<string, number>; changed: Map<string, number> }> {
  const database = await openDatabase(path)
  const counted = (sql: string) => new Map(database.all(sql, []).map(({ key, n }) => [key as string, n as number]))
  const kept = counted(`SELECT "Key" AS key, COUNT(*) AS n FROM (${KEYS_SQL}) GROUP BY 1`)
  const changed = counted(`SELECT "IdempotencyKey" AS key, COUNT(*) AS n FROM "Change" WHERE "Outcome" = 'ok' AND "IdempotencyKey" IS NOT NULL GROUP BY 1`)
  database.close()
  return { kept, changed }
}

/** Completes all open calls, then checks that each call was executed once and that the store matches the answers exactly. */
export async function expectExactly(cwd: string, clients: readonly Client[]): Promise<void> {
  const service = await startService(cwd, QUIET)
  await Promise.all(clients.map((client) => client.resendOpen(service)))
  await Promise.all(clients.map((client) => expectReplays(service, client)))
  await expectOneEventPerChange(service, clients)
  expect(await service.end()).toBe(0)
  expect(service.err()).toBe('')
  await expectOnlyWhatWasAnswered(storeIn(cwd), clients)
}

/** Every acknowledged call is replayed with an identical answer. */
export async function expectReplays(service: RunningService, client: Client): Promise<void> {
  for (const sent of client.done) {
    const { results, changeIds, replayed } = await client.send(service, sent)
    expect({ results, changeIds, replayed }).toEqual({ results: sent.results, changeIds: sent.changeIds, replayed: sent.steps.map(() => true) })
  }
}

/** Every acknowledged change has exactly one event and there are no others; the events of a record are ordered by its revision. */
export async function expectOneEventPerChange(service: RunningService, clients: readonly Client[]): Promise<void> {
  const bearers = [...new Set(clients.map(({ bearer }) => bearer))]
  // Not those of the workspaces that the test itself has made.
  const events = (await Promise.all(bearers.map((bearer) => allEvents(service, bearer)))).flat().filter(({ RecordType }) => RecordType !== 'Workspace')
  const changes = clients.flatMap(({ done }) => done.flatMap(({ changeIds }) => changeIds ?? []))
  expect(events.map(({ ChangeID }) => ChangeID).sort()).toEqual(changes.sort())
  const revisions = new Map<string, number>()
  for (const { RecordID, Type, Record } of events) {
    if (!/\.(created|updated)$/.test(Type)) continue
    expect(Record?.Revision).toBe((revisions.get(RecordID) ?? 0) + 1)
    revisions.set(RecordID, Record?.Revision as number)
  }
}

/** The records, idempotency keys and changes of a store are exactly those acknowledged to the clients. */
export async function expectOnlyWhatWasAnswered(path: string, clients: readonly Client[]): Promise<void> {
  await expectSound(path)
  const database = await openDatabase(path)
  const all = (sql: string) => database.all(sql, [])
  const held = contentsOf({ kept: all(KEYS_SQL), changes: all(CHANGES), records: RECORDS.flatMap(all) })
  database.close()
  expectOnlyAcknowledged(held, clients)
}
