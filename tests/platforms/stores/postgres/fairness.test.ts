import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditLine, Store } from '../../../../src/platforms/store.ts'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'

const LINE: AuditLine = {
  userId: 'u',
  keyId: null,
  transport: 'test',
  operation: 'create_a_lead',
  recordType: 'Lead',
  recordId: 'l',
  before: null,
  after: '{}',
  requestId: null,
  outcome: 'ok',
  eventType: 'lead.created',
  idempotencyKey: null,
  owner: 'u',
  moved: false,
}

const eventsOf = async (store: Store, workspace: number) =>
  (await store.journal(workspace).events({ after: 0, limit: 10, eventTypes: ['lead.created'] })).events.map(({ number }) => number)

test('workspaces whose chains are locked hold up neither the numbering nor the event reads of another', async () => {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  const store = await openPostgres(url)
  onTestFinished(() => store.close())
  const slow = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(async (name) => (await store.addWorkspace(name))?.number as number))
  const quick = (await store.addWorkspace('quick'))?.number as number

  const holder = new pg.Client(url)
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('BEGIN')
  await holder.query('SELECT 1 FROM "Chain" WHERE "Workspace" = ANY($1) FOR UPDATE', [slow])

  for (const workspace of slow) await store.write(workspace, (writer) => writer.appendAuditLine(LINE))
  const waiting = slow.map((workspace) => eventsOf(store, workspace))
  let answered = 0
  for (const each of waiting) void each.then(() => answered++)
  for (let round = 1; round <= 5; round++) {
    await store.write(quick, (writer) => writer.appendAuditLine(LINE))
    expect(await eventsOf(store, quick)).toHaveLength(round)
  }
  expect(answered).toBe(0)

  await holder.query('ROLLBACK')
  expect(await Promise.all(waiting)).toEqual(slow.map(() => [1]))
})
