import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event } from '../../../../src/contract/records/event.ts'
import { Lead } from '../../../../src/contract/records/lead.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import { changeTo, lineOf } from '../../../../src/core/journal/changes.ts'
import type { StoreWriter } from '../../../../src/platforms/store.ts'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'
import { ask } from '../../../support/postgres-database.ts'
import { answered, atOnce, type Peer, type Peers, peersOnPostgres, refusals } from '../../../support/postgres-peers.ts'
import { expectSoundPostgres } from '../../../support/postgres-sound.ts'
import { startTcpProxy } from '../../../support/tcp-proxy.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const HOUR_MS = 3_600_000

/** Work that stores a lead with its line in the audit, and resolves to its id once the database has them. */
async function creating(writer: StoreWriter, LastName: string): Promise<string> {
  const lead = newRecord(Lead, writer.newId(), { ...ADA, LastName, OwnerID: 'ada' })
  await writer.create(Lead.name, lead)
  const by = { userId: 'ada', keyId: null, transport: 'test', operation: 'create_a_lead', requestId: null, idempotencyKey: null }
  await writer.appendAuditLine(lineOf(changeTo(Lead, 'created', null, lead), by))
  await writer.get(Lead.name, lead.LeadID as string)
  return lead.LeadID as string
}

/** A write that has written and does not commit before it is told to. */
async function held({ store }: Peer, LastName: string) {
  let release = () => {}
  let written = (_id: string) => {}
  const id = new Promise<string>((resolve) => {
    written = resolve
  })
  const done = store.write(1, async (writer) => {
    written(await creating(writer, LastName))
    await new Promise<void>((resolve) => {
      release = resolve
    })
  })
  return {
    id: await id,
    async commit() {
      release()
      await done
    },
  }
}

/** Somebody who reads events page by page, and remembers where they are. */
function reader({ call }: Peer, limit: number) {
  const events: Event[] = []
  let after = '0'
  return {
    events,
    /** Reads what there is. Resolves to how many events that were. */
    async catchUp(): Promise<number> {
      for (let count = 0; ; ) {
        const { result } = await call('get_many_events', { After: after, Limit: limit })
        const page = result as unknown as { Events: Event[]; NextCursor: string }
        events.push(...page.Events)
        count += page.Events.length
        if (page.NextCursor === after) return count
        after = page.NextCursor
      }
    },
  }
}

/** Another peer, whose clock is off. */
async function joinWithClock({ join }: Peers, offMs: number): Promise<Peer> {
  const { now } = Date
  Date.now = () => now() + offMs
  try {
    return await join()
  } finally {
    Date.now = now
  }
}

const ids = (events: readonly Event[]) => events.map(({ EventID }) => EventID)
const numbered = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1).padStart(12, '0'))

describe('a transaction that stays open', () => {
  test('comes after those that were committed meanwhile, and nobody who has read these misses it', async () => {
    const { url, peers } = await peersOnPostgres()
    const readers = peers.map((peer) => reader(peer, 2))
    const slow = await held(peers[0], 'slow')
    const first = (await peers[1].call('create_a_lead', ADA)).result.LeadID
    const slower = await held(peers[1], 'slower')
    const second = (await peers[0].call('create_a_lead', ADA)).result.LeadID
    for (const { catchUp } of readers) expect(await catchUp()).toBe(2)

    await slower.commit()
    for (const { catchUp } of readers) expect(await catchUp()).toBe(1)
    const third = (await peers[2].call('create_a_lead', ADA)).result.LeadID
    await slow.commit()
    for (const { catchUp, events } of readers) {
      expect(await catchUp()).toBe(2)
      expect(events.map(({ RecordID }) => RecordID)).toEqual([first, second, slower.id, ...events.slice(3).map(({ RecordID }) => RecordID)])
      expect(
        events
          .slice(3)
          .map(({ RecordID }) => RecordID)
          .sort(),
      ).toEqual([third, slow.id].sort())
      expect(ids(events)).toEqual(numbered(5))
    }
    await expectSoundPostgres(url)
  })

  test('and comes to nothing leaves no gap', async () => {
    const { url, peers } = await peersOnPostgres()
    const failing = peers[0].store.write(1, async (writer) => {
      await creating(writer, 'nobody')
      await peers[1].call('create_a_lead', ADA)
      throw new Error('It came to nothing.')
    })
    await expect(failing).rejects.toThrow('It came to nothing.')
    await peers[2].call('create_a_lead', ADA)
    const { events, catchUp } = reader(peers[0], 10)
    await catchUp()
    expect(ids(events)).toEqual(numbered(2))
    await expectSoundPostgres(url)
  })
})

test('what was acknowledged before another call was sent has the lower number, whatever the clocks say', async () => {
  const on = await peersOnPostgres()
  const peers = [await joinWithClock(on, -HOUR_MS), on.peers[0], await joinWithClock(on, HOUR_MS)] as const
  const slow = await held(peers[2], 'from tomorrow')
  const acknowledged = await Promise.all(
    Array.from({ length: 5 }, async (_, walker) => {
      const changes: string[] = []
      for (let step = 0; step < 12; step++) changes.push((await (peers[(walker + step * step) % 3] as Peer).call('create_a_lead', ADA)).changeId)
      return changes
    }),
  )
  await slow.commit()
  const { events, catchUp } = reader(peers[1], 7)
  await catchUp()
  const place = new Map(events.map(({ ChangeID }, i) => [ChangeID, i]))
  for (const changes of acknowledged) {
    const places = changes.map((id) => place.get(id) as number)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  }
  expect(ids(events)).toEqual(numbered(61))
  // The clocks really were apart.
  expect(ids(events.toSorted((a, b) => (a.ChangeID < b.ChangeID ? -1 : 1)))).not.toEqual(ids(events))
  await expectSoundPostgres(on.url)
})

test('readers at several processes see the same events with the same numbers while many write, each once and a record’s in order of its Revision', async () => {
  const { url, peers } = await peersOnPostgres()
  const leads = await Promise.all(peers.map(async (peer) => String((await peer.call('create_a_lead', ADA)).result.LeadID)))
  const readers = [1, 3, 100].map((limit, i) => reader(peers[i % 3] as Peer, limit))
  let writing = true
  const reading = readers.map(async ({ catchUp }) => {
    while (writing) await catchUp()
    await catchUp()
  })
  const ends = await atOnce(peers, 150, async (peer, i) => {
    const LeadID = leads[(i * 7) % 3]
    if (i % 5 === 0) return peer.call('create_a_lead', ADA)
    if (i % 5 === 1) {
      const batch = await peer.atomic([
        { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: `${i}` } } },
        { Operation: 'add_notes_to_leads', Input: { LeadID, Note: 'x' } },
        { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: `${i} again` } } },
      ])
      expect(batch.map(({ Status }) => Status)).toEqual([200, 200, 200])
      return undefined
    }
    return peer.call('update_lead', { LeadID, FieldsToUpdate: { Phone: `${i}` } })
  })
  writing = false
  await Promise.all(reading)
  expect(refusals(ends)).toEqual([])
  const [one, ...others] = readers.map(({ events }) => events)
  const count = 3 + answered(ends).length + 2 * 30
  expect(ids(one ?? [])).toEqual(numbered(count))
  for (const other of others) expect(other).toEqual(one)
  for (const LeadID of leads) {
    const revisions = (one ?? []).flatMap(({ RecordID, Type, Record }) => (RecordID === LeadID && Type !== 'lead.note_added' ? [Record?.Revision] : []))
    expect(revisions).toEqual(revisions.map((_, i) => i + 1))
  }
  await expectSoundPostgres(url)
})

test('more changes than are numbered at once get their numbers in one go for whoever asks', async () => {
  const { url, peers, ask } = await peersOnPostgres()
  await peers[0].store.write(1, async (writer) => {
    for (let i = 0; i < 2_300; i++) {
      const lead = newRecord(Lead, writer.newId(), { ...ADA, OwnerID: 'ada' })
      const by = { userId: 'ada', keyId: null, transport: 'test', operation: 'create_a_lead', requestId: null, idempotencyKey: null }
      await writer.appendAuditLine(lineOf(changeTo(Lead, 'created', null, lead), by))
    }
  })
  await Promise.all(peers.map(async ({ store }) => expect(await store.journal(1).span()).toEqual({ released: 0, newest: 2_300 })))
  expect(await ask('SELECT COUNT(DISTINCT "Number") AS n, MAX("Number") AS last FROM "Change"')).toEqual([{ n: '2300', last: 2_300 }])
  await expectSoundPostgres(url)
})

test('while somebody holds the end of the chain, writes and reads go on; what they did is numbered afterwards', async () => {
  const { url, peers } = await peersOnPostgres()
  const stuck = new pg.Client(url)
  await stuck.connect()
  onTestFinished(() => stuck.end())
  await stuck.query('BEGIN; SELECT * FROM "Chain" FOR UPDATE')
  const events = reader(peers[1], 100)
  const waiting = events.catchUp()
  for (const peer of [...peers, ...peers]) {
    const { LeadID } = (await peer.call('create_a_lead', ADA)).result
    expect((await peer.call('update_lead', { LeadID, FieldsToUpdate: { Phone: '1' } })).result.Revision).toBe(2)
    expect((await peer.call('get_summary_of_leads')).result.Total).toBeGreaterThan(0)
  }
  await stuck.query('COMMIT')
  await waiting
  await events.catchUp()
  expect(ids(events.events)).toEqual(numbered(12))
  await expectSoundPostgres(url)
})

test.each(['lost', 'made'] as const)('a reader does not notice that the commit of the numbers was %s', async (when) => {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  const wire = await startTcpProxy(url)
  const store = await openPostgres(wire.url)
  onTestFinished(() => store.close())
  const workspace = await store.addWorkspace('default')
  const number = workspace?.number ?? 0
  // The line is there, and nobody can give it its number yet.
  const blocker = new pg.Client(url)
  await blocker.connect()
  await blocker.query('BEGIN')
  await blocker.query('SELECT 1 FROM "Chain" FOR UPDATE')
  await store.write(number, (writer) => creating(writer, 'Lovelace'))
  const [line] = await ask(url, 'SELECT "ChangeID" FROM "Change"')
  const changeId = String(line?.ChangeID)
  const cut = wire.cutAtCommit(changeId, when)
  const reading = store.journal(number).events({ after: 0, limit: 10, eventTypes: ['lead.created'] })
  await blocker.query('COMMIT')
  await blocker.end()
  await cut
  expect((await reading).events.map((event) => [event.number, event.changeId])).toEqual([[1, changeId]])
  expect(await store.journal(number).verify()).toMatchObject({ lines: 1, faults: [], unsealed: 0 })
})
