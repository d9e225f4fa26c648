import { describe, expect, onTestFinished, test } from 'vitest'
import { LARGEST_MONEY } from '../../../src/contract/limits.ts'
import { recordType } from '../../../src/contract/operations.ts'
import { newRecord } from '../../../src/core/call/records.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { mirrorOf } from '../../../src/platforms/stores/mirror.ts'
import { SHARED_STORES } from '../../support/shared-stores.ts'

const TALLIED = { where: [], today: '2026-11-17', soon: '2026-12-17' }

const dealOf = (id: string, given: object) =>
  newRecord(
    recordType('Opportunity') as Parameters<typeof newRecord>[0],
    { id, at: '2026-01-02T00:00:00.000Z' },
    { OwnerID: 'grace', OpportunityName: id, Stage: 'Prospecting', CloseDate: '2026-12-01', ...given },
  ) as StoredRecord

describe.each(Object.entries(SHARED_STORES))('the counters of a mirror in %s', (_, opened) => {
  test('are compared with its records, and corrected where they differ, in that mirror alone', async () => {
    const { open, ask } = await opened()
    const store = await open()
    onTestFinished(() => store.close())
    const { number } = (await store.addWorkspace('default')) as { number: number }
    await store.write(number, async (writer) => {
      await writer.create('Opportunity', dealOf('own', { Amount: 1 }))
      const mirror = writer.inMirror()
      await mirror.create('Opportunity', dealOf('1', { Amount: 12.5 }))
      await mirror.create('Opportunity', dealOf('2', { Amount: -0.25, CloseDate: '2026-11-01' }))
      await mirror.create('Opportunity', dealOf('3', { Amount: null, CloseDate: null, Stage: 'Closed Won' }))
      await mirror.create('Opportunity', dealOf('4', { Amount: 999_999.99 }))
      await mirror.delete('Opportunity', '4')
    })
    const recount = () => store.recountMirror(number, 'Opportunity')
    const tally = () => store.mirror(number).tally('Opportunity', TALLIED)
    expect([await recount(), await store.recountMirror(number, 'Company')]).toEqual([0, 0])
    const [right, own] = [await tally(), await store.reader(number).tally('Opportunity', TALLIED)]

    const ofMirror = `WHERE "Workspace" = ${mirrorOf(number)}`
    // What PostgreSQL has not folded yet counts as well.
    await ask(`UPDATE "Rollup" SET "Count" = "Count" + 3 ${ofMirror} AND "Kind" = 'state'`)
    await ask(`INSERT INTO "Rollup" SELECT "Workspace", "RecordType", 'month', 'gone', '', '2020-01', 7, 0, ${await sumsIn(ask)} FROM "Opportunity"
      CROSS JOIN (SELECT 'Opportunity' AS "RecordType") AS t ${ofMirror} LIMIT 1`)
    expect(await recount()).toBeGreaterThan(0)
    expect(await tally()).toEqual(right)
    expect(await store.reader(number).tally('Opportunity', TALLIED)).toEqual(own)
    expect(await recount()).toBe(0)
    await store.write(number, (writer) => writer.inMirror().delete('Opportunity', '1'))
    expect(await recount()).toBe(0)
  })
})

describe.each(Object.entries(SHARED_STORES))('amounts in %s', (_, opened) => {
  test('that are larger than money may be are in no sum, by whichever way it is made', async () => {
    const { open } = await opened()
    const store = await open()
    onTestFinished(() => store.close())
    const { number } = (await store.addWorkspace('default')) as { number: number }
    const amounts = [12.5, LARGEST_MONEY, -LARGEST_MONEY, LARGEST_MONEY + 1, 2 ** 63, 1e19, -1e22, 1e300, null]
    await store.write(number, async (writer) => {
      for (const [id, Amount] of amounts.entries()) await writer.inMirror().create('Opportunity', dealOf(String(id), { Amount }))
    })
    const mirror = store.mirror(number)
    const sum = { count: amounts.length, amounts: 3, amount: 125_000n }
    expect((await mirror.tally('Opportunity', TALLIED)).states).toMatchObject([sum])
    const inStage = { field: 'Stage', family: 'text', operator: 'eq', value: 'Prospecting' } as const
    expect((await mirror.tally('Opportunity', { ...TALLIED, where: [inStage] })).states).toMatchObject([sum])
    expect(await store.recountMirror(number, 'Opportunity')).toBe(0)
    expect(await mirror.get('Opportunity', '7')).toMatchObject({ Amount: 1e300 })

    await store.write(number, async (writer) => {
      await writer.inMirror().update('Opportunity', '6', { Amount: 1 })
      await writer.inMirror().delete('Opportunity', '5')
    })
    expect((await mirror.tally('Opportunity', TALLIED)).states).toMatchObject([{ count: 8, amounts: 4, amount: 135_000n }])
    expect(await store.recountMirror(number, 'Opportunity')).toBe(0)
  })
})

describe.each(Object.entries(SHARED_STORES))('the search index of a mirror in %s', (_, opened) => {
  test('is compared with its records, and corrected where it differs, in that mirror alone', async () => {
    const { open, ask } = await opened()
    const store = await open()
    onTestFinished(() => store.close())
    const { number } = (await store.addWorkspace('default')) as { number: number }
    await store.write(number, async (writer) => {
      await writer.create('Opportunity', dealOf('own', {}))
      for (const id of ['engine', 'loom', 'mill']) await writer.inMirror().create('Opportunity', dealOf(id, {}))
    })
    const reindex = () => store.reindexMirror(number, 'Opportunity')
    const found = async (text: string, reader = store.mirror(number)) =>
      (await reader.search({ text, types: ['Opportunity'], limit: 10 })).map(({ record }) => record.OpportunityID)
    // What is still to be indexed is not wrong.
    expect([await reindex(), await store.reindexMirror(number, 'Campaign')]).toEqual([0, 0])
    expect([await found('engine'), await found('loom'), await found('own', store.reader(number))]).toEqual([['engine'], ['loom'], ['own']])
    expect(await reindex()).toBe(0)

    const ofMirror = `WHERE "Workspace" = ${mirrorOf(number)}`
    await ask(`UPDATE "Opportunity" SET "OpportunityName" = 'Difference' ${ofMirror} AND "OpportunityID" = 'engine'`)
    await ask(`DELETE FROM "Opportunity" ${ofMirror} AND "OpportunityID" = 'mill'`)
    expect(await found('difference')).toEqual([])
    expect(await reindex()).toBe(2)
    expect([await found('difference'), await found('mill'), await found('loom')]).toEqual([['engine'], [], ['loom']])
    expect(await found('own', store.reader(number))).toEqual(['own'])
    expect(await reindex()).toBe(0)
  })
})

/** Sums of nothing: SQLite has two columns of them. */
const sumsIn = async (ask: (sql: string) => Promise<readonly object[]>) =>
  (await ask('SELECT * FROM "Rollup" LIMIT 1')).some((row) => 'High' in row) ? '0, 0' : '0'
