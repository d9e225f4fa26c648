import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { numberId } from '../../src/core/journal/positions.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { ask, openDatabase } from '../support/database.ts'
import { expectSound } from '../support/sound.ts'
import { type SqliteService, startSqliteService } from '../support/sqlite-service.ts'

const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}T12:00:00.000Z`
const LONG_AGO = '2026-01-01T00:00:00.000Z'
const ada = { FirstName: 'Ada', LastName: 'Lovelace' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(day(1)) }))
afterEach(() => void vi.useRealTimers())

/** Makes leads; with `keys`, each with an idempotency key of its own. */
async function makeLeads({ call }: SqliteService, count: number, keys?: string): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: count }, (_, i) => call('create_a_lead', ada, keys === undefined ? undefined : `${keys}-${i}`)))
  return made.map(({ result }) => String(result.LeadID))
}

const count = async (path: string, what: string) => (await ask(path, `SELECT COUNT(*) AS n FROM ${what}`))[0]?.n

describe('idempotency keys', () => {
  test('that have expired are cleared away while writes go on, and the others stay', async () => {
    const here = await startSqliteService()
    await makeLeads(here, 2000, 'old')
    vi.setSystemTime(day(3))
    const [young] = await makeLeads(here, 1, 'young')

    let swept: number | undefined
    const sweeping = here.store.sweep({ keys: day(2), changes: undefined }).then((gone) => (swept = gone))
    let meanwhile = 0
    for (; swept === undefined; meanwhile++) expect((await here.call('create_a_lead', ada, `meanwhile-${meanwhile}`)).replayed).toBe(false)
    await sweeping
    expect(swept).toBe(2000)
    expect(meanwhile).toBeGreaterThan(2)
    expect(await count(here.path, '"Once"')).toBe(1 + meanwhile)

    expect(await here.call('create_a_lead', ada, 'young-0')).toMatchObject({ result: { LeadID: young }, replayed: true })
    expect((await here.call('create_a_lead', ada, 'meanwhile-0')).replayed).toBe(true)
    // What was forgotten is a new call.
    expect((await here.call('create_a_lead', ada, 'old-0')).replayed).toBe(false)
    await expectSound(here.path)
  })

  test('count as expired even before they are cleared away, and are not taken for old once they are used anew', async () => {
    const here = await startSqliteService()
    const first = await here.call('create_a_lead', ada, 'key')
    vi.setSystemTime(Date.parse(day(2)) - 1)
    expect(await here.call('create_a_lead', ada, 'key')).toEqual({ ...first, replayed: true })
    vi.setSystemTime(Date.parse(day(2)) + 1)
    const second = await here.call('create_a_lead', ada, 'key')
    expect(second.replayed).toBe(false)
    expect(second.result.LeadID).not.toBe(first.result.LeadID)
    // Only what is kept of the first use goes.
    expect(await here.store.sweep({ keys: day(2), changes: undefined })).toBe(1)
    expect(await here.call('create_a_lead', ada, 'key')).toEqual({ ...second, replayed: true })
  })

  test('are cleared away in any number', async () => {
    const here = await startSqliteService()
    await makeLeads(here, 10, 'kept')
    const database = await openDatabase(here.path)
    database.exec('UPDATE "Once" SET "Number" = "Number" + 20480, "Run" = "Run" + 10')
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12345)
      INSERT INTO "Once" ("Number", "Run", "Hash", "Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer") SELECT i, i / 2048, i, 1, 'nobody', 'key ' || i, '', '${LONG_AGO}', 'done', '{}' FROM n`)
    database.close()
    expect(await here.store.sweep({ keys: LONG_AGO, changes: undefined })).toBe(0)
    expect(await here.store.sweep({ keys: day(1), changes: undefined })).toBe(12345)
    expect(await count(here.path, '"Once"')).toBe(10)
  })
})

describe('changes', () => {
  test('that are older than they are kept go, and the chain verifies from where it now begins', async () => {
    const here = await startSqliteService()
    await makeLeads(here, 1200)
    const { head: before } = await here.store.journal(1).verify()
    vi.setSystemTime(day(20))
    await makeLeads(here, 300)

    let swept: number | undefined
    const sweeping = here.store.sweep({ keys: day(10), changes: day(10) }).then((gone) => (swept = gone))
    let meanwhile = 0
    for (; swept === undefined; meanwhile++) await here.call('create_a_lead', ada)
    await sweeping
    expect(swept).toBe(1200)
    expect(meanwhile).toBeGreaterThan(2)
    const reports = await expectSound(here.path)
    expect(reports.get(1)).toMatchObject({ released: 1200, lines: 300 + meanwhile })
    // A head written down earlier is no longer part of the chain, which is not a fault of the chain.
    expect((await here.store.journal(1).verify({ expected: before })).faults).toEqual([])
    expect(await here.store.sweep({ keys: day(10), changes: day(10) })).toBe(0)
  })

  test('can all go: the next one still follows the last', async () => {
    const here = await startSqliteService()
    await makeLeads(here, 10)
    const { head } = await here.store.journal(1).verify()
    vi.setSystemTime(day(20))
    expect(await here.store.sweep({ keys: day(10), changes: day(10) })).toBe(10)
    expect(await here.store.journal(1).verify()).toEqual({ lines: 0, head, released: 10, unsealed: 0, faults: [] })
    await makeLeads(here, 1)
    expect(await here.store.journal(1).verify({ expected: head })).toMatchObject({ lines: 1, head: { number: 11 }, released: 10, faults: [] })
    expect((await here.call('get_many_events')).result).toMatchObject({ Events: [{ EventID: numberId(11) }], NextCursor: numberId(11) })
  })

  test('that went cannot be read from a cursor before them, and nobody skips any without being told', async () => {
    const here = await startSqliteService()
    await makeLeads(here, 10)
    vi.setSystemTime(day(20))
    await makeLeads(here, 5)
    await here.store.sweep({ keys: day(10), changes: day(10) })
    const from = async (After?: string) =>
      (await here.call('get_many_events', { ...(After !== undefined && { After }) })).result.Events as { EventID: string }[]
    for (const gone of [1, 5, 9]) await expect(from(numberId(gone))).rejects.toMatchObject({ code: 'not_found', errors: [{ field: 'After' }] })
    expect((await from(numberId(10))).map(({ EventID }) => Number(EventID))).toEqual([11, 12, 13, 14, 15])
    expect(await from(numberId(15))).toEqual([])
    expect((await from())[0]?.EventID).toBe(numberId(11))
    await expect(from(numberId(16))).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('are let go by two processes at once without harm', async () => {
    const here = await startSqliteService()
    await makeLeads(here, 4000)
    vi.setSystemTime(day(20))
    await makeLeads(here, 10)
    const other = await openSqlite(here.path)
    onTestFinished(() => other.close())
    const [mine = 0, others = 0] = await Promise.all([here.store, other].map((store) => store.sweep({ keys: day(10), changes: day(10) })))
    expect(mine + others).toBeGreaterThanOrEqual(4000)
    expect((await expectSound(here.path)).get(1)).toMatchObject({ released: 4000, lines: 10 })
  })
})

describe('what hangs on a deleted record', () => {
  const withNote = async ({ call }: SqliteService) => {
    const [LeadID = ''] = [String((await call('create_a_lead', ada)).result.LeadID)]
    await call('add_notes_to_leads', { LeadID, Note: 'Asked for a quote.' })
    return LeadID
  }
  const notesOf = (path: string, LeadID: string) => count(path, `"Note" WHERE "RecordID" = '${LeadID}'`)

  test('goes with the change that could bring it back, and not before', async () => {
    const here = await startSqliteService()
    const [gone, recent, restored, alive] = [await withNote(here), await withNote(here), await withNote(here), await withNote(here)]
    await here.call('delete_lead', { LeadID: gone })
    const { changeId } = await here.call('delete_lead', { LeadID: restored })
    await here.call('undo_change', { ChangeID: changeId })
    vi.setSystemTime(day(20))
    const deleted = await here.call('delete_lead', { LeadID: recent })
    await here.store.sweep({ keys: day(10), changes: day(10) })

    expect(await Promise.all([gone, recent, restored, alive].map((id) => notesOf(here.path, id)))).toEqual([0, 1, 1, 1])
    expect((await here.call('get_leads', { LeadID: restored })).result).toMatchObject({ NotesTotal: 1 })
    await here.call('undo_change', { ChangeID: deleted.changeId })
    expect((await here.call('get_leads', { LeadID: recent })).result).toMatchObject({ NotesTotal: 1, Notes: [{ Note: 'Asked for a quote.' }] })
    await expectSound(here.path)
  })

  test('stays when the record was deleted again later, which can still be undone', async () => {
    const here = await startSqliteService()
    const LeadID = await withNote(here)
    const first = await here.call('delete_lead', { LeadID })
    await here.call('undo_change', { ChangeID: first.changeId })
    vi.setSystemTime(day(20))
    const second = await here.call('delete_lead', { LeadID })
    await here.store.sweep({ keys: day(10), changes: day(10) })
    expect(await notesOf(here.path, LeadID)).toBe(1)
    await here.call('undo_change', { ChangeID: second.changeId })
    expect((await here.call('get_leads', { LeadID })).result).toMatchObject({ NotesTotal: 1 })
    const third = await here.call('delete_lead', { LeadID })
    vi.setSystemTime(day(28))
    await here.store.sweep({ keys: day(25), changes: day(25) })
    expect(await notesOf(here.path, LeadID)).toBe(0)
    await expect(here.call('undo_change', { ChangeID: third.changeId })).rejects.toMatchObject({ code: 'not_found' })
    await expectSound(here.path)
  })
})
