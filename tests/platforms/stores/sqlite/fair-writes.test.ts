import { expect, test } from 'vitest'
import { Lead } from '../../../../src/contract/records/lead.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import type { Budget } from '../../../../src/platforms/platform.ts'
import { startSqliteService } from '../../../support/sqlite-service.ts'

const budgetOf = (share: string, isOver = false): Budget => ({
  share,
  isOver,
  signal: isOver ? AbortSignal.abort(new Error('It is over.')) : new AbortController().signal,
})

test('callers take turns to write, and the writes of one keep their order', async () => {
  const { store } = await startSqliteService()
  const order: string[] = []
  const write = (name: string, share: string) =>
    store.write(
      1,
      async (writer) =>
        void order.push(
          `${name} ${(await writer.create(Lead.name, newRecord(Lead, writer.newId(), { FirstName: name, LastName: 'x', OwnerID: 'o' }))).Revision}`,
        ),
      {
        budget: budgetOf(share),
      },
    )
  await Promise.all([...['a1', 'a2', 'a3'].map((name) => write(name, 'a')), write('b1', 'b')])
  expect(order).toEqual(['a1 1', 'b1 1', 'a2 1', 'a3 1'])
})

test('a write whose budget is over before its turn is refused, and the others of its group are not', async () => {
  const { store, call } = await startSqliteService()
  const create = (LastName: string, budget: Budget) =>
    store.write(1, (writer) => writer.create(Lead.name, newRecord(Lead, writer.newId(), { FirstName: 'Ada', LastName, OwnerID: 'o' })), { budget })
  const ends = await Promise.allSettled([create('late', budgetOf('a', true)), create('in time', budgetOf('a'))])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  const { result } = await call('get_many_leads')
  expect((result.Records as { LastName: string }[]).map(({ LastName }) => LastName)).toEqual(['in time'])
})

test('a long transaction lets reads run, which do not see it before it is committed', async () => {
  const { store } = await startSqliteService()
  const count = async () => (await store.reader(1).find(Lead.name, { where: [], order: { field: 'LeadID', descending: false }, limit: 10 })).records.length
  const seen: number[] = []
  await store.write(1, async (writer) => {
    await writer.create(Lead.name, newRecord(Lead, writer.newId(), { FirstName: 'Ada', LastName: 'Lovelace', OwnerID: 'o' }))
    setImmediate(async () => seen.push(await count()))
    while (seen.length === 0) await writer.pause()
  })
  expect(seen).toEqual([0])
  expect(await count()).toBe(1)
})
