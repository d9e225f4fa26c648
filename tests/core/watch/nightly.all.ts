import { expect, onTestFinished, test } from 'vitest'
import { CrmError } from '../../../src/contract/errors.ts'
import { verifyNightly } from '../../../src/core/watch/verify-nightly.ts'
import { watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import type { Watched } from '../../../src/core/watch/watched.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { watchedAccount } from './account.ts'

const HOUR_MS = 3_600_000
const { signal } = new AbortController()

/** A watched account with a lead, of an hour ago, that the mirror has wrong, on the night after it was backfilled. */
async function nextNight() {
  const account = await watchedAccount('espocrm', ESPOCRM, onTestFinished)
  const { other, simulator, process } = account
  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'New' }))
  await simulator.advance(HOUR_MS)
  const today = await process()
  await watchWorkspace(today, 1, signal)
  await today.store.write(1, (writer) => writer.inMirror().update('Lead', LeadID as string, { LastName: 'Wrong' }))
  const night = new Date()
  night.setUTCHours(26, 0, 0, 0)
  const at = (hours: number) => ({ ...today, now: () => new Date(night.getTime() + hours * HOUR_MS) })
  const name = async () => (await account.rows('Lead'))[0]?.LastName
  return { ...account, at, name }
}

/** The same account, where what is read of a type fails in some way. */
const failingWith = (watched: Watched, type: string, error: unknown): Watched => ({
  ...watched,
  records: { ...watched.records, find: (name, query) => (name === type ? Promise.reject(error) : watched.records.find(name, query)) },
})

test('a type that cannot be verified says why, once in a night, and the others are verified', async () => {
  const { at, name } = await nextNight()
  const verify = () => withWatched(at(0), 1, (watched) => verifyNightly(failingWith(watched, 'Company', new SyntaxError('broken')), signal))
  const verified = await verify()
  const reason = 'Company: An unexpected error occurred in the connector.'
  expect(verified).toContainEqual({ type: 'Company', compared: 0, repaired: 0, reason, code: 'internal' })
  expect(verified).toContainEqual({ type: 'Lead', compared: 1, repaired: 1 })
  expect(await name()).toBe('Lovelace')
  expect(await verify()).toEqual([])
})

test('a verification that is cut short by an account that does not answer goes on an hour later, where it was', async () => {
  const { at, name } = await nextNight()
  const down = new CrmError('platform_unavailable', 'down')
  const verify = (hours: number, type: string) => withWatched(at(hours), 1, (watched) => verifyNightly(failingWith(watched, type, down), signal))
  await expect(verify(0, 'Lead')).rejects.toBe(down)
  expect(await verify(0.9, 'none')).toEqual([])
  expect(await name()).toBe('Wrong')
  // What was compared before is not read again.
  expect(await verify(1, 'Company')).toContainEqual({ type: 'Lead', compared: 1, repaired: 1 })
  expect(await name()).toBe('Lovelace')
})

test('polls come between the pages of a verification, which goes on where it was', async () => {
  const { at, other, simulator, cursor, events, name } = await nextNight()
  const PAGE = 200
  const others = Array.from({ length: PAGE }, (_, i) => ({ LastName: `Number ${i}`, Status: 'New' }))
  for (const lead of others) await other.write(1, (writer) => writer.create('Lead', lead))
  await simulator.advance(HOUR_MS)
  await watchWorkspace(at(-24), 1, signal)
  const before = await cursor()
  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { LastName: 'Hopper', Status: 'New' }))
  await simulator.advance(HOUR_MS)

  const polled: (number | undefined)[] = []
  for (let polls = 0; polls < 40 && !polled.at(-1); polls++) polled.push((await watchWorkspace(at(0), 1, signal, { isDue: () => true }))?.length)
  // Ten types, and two pages of leads.
  expect(polled).toEqual([0, 10])
  expect(await name()).toBe('Lovelace')
  const told = (await events(before)).map(({ Type, RecordID }) => [Type, RecordID])
  expect(told).toEqual([['lead.created', LeadID]])
  expect(await watchWorkspace(at(0), 1, signal)).toEqual([])
})
