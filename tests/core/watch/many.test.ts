import { expect, test } from 'vitest'
import { pollOnce } from '../../../src/core/watch/poll.ts'
import type { Store } from '../../../src/platforms/store.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { watchedAccount } from './account.ts'

const MANY = 350
const MINUTE_MS = 60_000
const { signal } = new AbortController()

test('many records that others delete are written in transactions of a few hundred, and told once', async ({ onTestFinished }) => {
  const account = await watchedAccount('espocrm', ESPOCRM, onTestFinished)
  const { other, simulator, poll } = account
  const create = (type: string, values: object) => other.write(1, (writer) => writer.create(type, { ...values }))
  await create('Company', { CompanyName: 'Acme' })
  const ids: string[] = []
  for (let i = 0; i < MANY; i++) ids.push((await create('Contact', { LastName: `Hopper ${i}` })).ContactID as string)
  await simulator.advance(MINUTE_MS)
  await poll()
  const cursor = await account.cursor()
  for (const id of ids) await other.write(1, (writer) => writer.delete('Contact', id))
  await simulator.advance(MINUTE_MS)

  const left = [MANY]
  await account.watched(({ store, ...watched }) => {
    const write: Store['write'] = async (...how) => {
      const written = await store.write(...how)
      left.push(await store.mirror(1).count('Contact', []))
      return written
    }
    return pollOnce({ ...watched, store: { ...store, write } }, signal)
  })
  const together = left.slice(1).map((count, at) => (left[at] as number) - count)
  expect([Math.max(...together) <= 300, left.at(-1)]).toEqual([true, 0])
  const told = (await account.events(cursor)).map(({ Type, RecordID }) => `${Type} ${RecordID}`)
  expect(told.sort()).toEqual(ids.map((id) => `contact.deleted ${id}`).sort())
})
