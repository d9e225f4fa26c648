import { expect, test } from 'vitest'
import { pollOnce } from '../../../src/core/watch/poll.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import type { Store, StoreWriter } from '../../../src/platforms/store.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { watchedAccount } from './account.ts'

const MINUTE_MS = 60_000
const { signal } = new AbortController()
const names = (rows: readonly StoredRecord[]) => rows.map(({ LastName }) => LastName).sort()

/** A store whose mirror takes no lead of this name. */
const without = (store: Store, name: string): Store => ({
  ...store,
  write: (workspace, work, ...how) => store.write(workspace, (writer) => work(instead(writer, { inMirror: () => refusing(writer.inMirror(), name) })), ...how),
})

function refusing(mirror: StoreWriter, name: string): StoreWriter {
  const refuse = ({ LastName }: StoredRecord) => {
    if (LastName === name) throw new TypeError(`No ${name} here.`)
  }
  return instead(mirror, {
    create: async (...given) => refuse(given[1]) ?? mirror.create(...given),
    update: async (...given) => refuse(given[2]) ?? mirror.update(...given),
  })
}

const instead = <T extends object>(target: T, given: Partial<T>): T =>
  new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(name in given ? given : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

test('a record that the store does not take holds up no other, is reported, and tried again until it is taken', async ({ onTestFinished }) => {
  const account = await watchedAccount('espocrm', ESPOCRM, onTestFinished)
  const { other, simulator, poll } = account
  const create = async (LastName: string) => (await other.write(1, (writer) => writer.create('Lead', { LastName, Status: 'New' }))).LeadID as string
  const pollWithout = (name: string) => account.watched((watched) => pollOnce({ ...watched, store: without(watched.store, name) }, signal))

  const old = await create('Old')
  await create('Lovelace')
  await simulator.advance(MINUTE_MS)
  expect(await pollWithout('Old')).toMatchObject({ code: 'internal', message: `The mirror could not store Lead ${old}: No Old here.` })
  expect(names(await account.rows('Lead'))).toEqual(['Lovelace'])
  await simulator.advance(MINUTE_MS)
  await poll()

  const cursor = await account.cursor()
  const broken = await create('Broken')
  for (const name of ['Hopper', 'Babbage', 'Turing']) await create(name)
  // Longer than polls go back.
  for (let polls = 0; polls < 3; polls++) {
    await simulator.advance(10 * MINUTE_MS)
    expect(await pollWithout('Broken')).toMatchObject({ code: 'internal', message: expect.stringContaining(`Lead ${broken}`) })
    expect(names(await account.rows('Lead'))).toEqual(['Babbage', 'Hopper', 'Lovelace', 'Old', 'Turing'])
  }
  expect((await account.events(cursor)).map(({ Type }) => Type)).toEqual(Array.from({ length: 3 }, () => 'lead.created'))
  await poll()
  await poll()
  expect((await account.events(cursor)).filter(({ RecordID }) => RecordID === broken).map(({ Type }) => Type)).toEqual(['lead.created'])
  expect(await account.mirror()).toEqual(await account.account())
})
