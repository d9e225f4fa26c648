import { seeded } from 'crm-simulators'
import { test } from 'vitest'
import { openSqlite } from '../../../src/platforms/stores/sqlite/sqlite.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type WatchedAccount, watchedAccount } from './account.ts'
import { actsOn, FAULTS, type KindName } from './acts.ts'
import { expectToldOnce, listed } from './told.ts'
import { killerIn, storeIn, watchersOf } from './watchers.ts'

/** `WATCH_SEED=17` tries another life. The processes answer when they do, so that a seed does not lead to the same one each time. */
const SEED = Number(process.env.WATCH_SEED ?? 1)

const KILLS = 5

test.concurrent.for(ALL_CRMS)('processes that watch %s and are killed at random miss nothing, and announce each change once', async ([name, crm], context) => {
  const { onTestFinished, expect } = context
  const folder = await temporaryFolder(onTestFinished)
  const { simulate, killAfter } = killerIn(folder, crm.simulate, context)
  const account = await watchedAccount(name, { ...crm, simulate }, onTestFinished, await openSqlite(storeIn(folder)))
  const { simulator } = account
  const watchers = watchersOf({ name, crm, address: simulator.url, folder, atEnd: onTestFinished })
  const random = seeded(SEED)
  const happening = actsOn(account, SEED, random)
  const { acts, attempt, begin, log, upTo, pick, turnsOf, ofOthers } = happening

  async function live(most: number): Promise<void> {
    for (let left = upTo(most); left > 0; left--) {
      simulator.faults.clear()
      for (const fault of FAULTS.filter(() => random() < 0.06)) simulator.faults.add(fault)
      await attempt(acts, pick(ofOthers))
    }
    simulator.faults.clear()
  }

  await begin()
  let watcher = await watchers.start()
  await expect.poll(() => account.client.connections.getMirror({})).toMatchObject({ Complete: true })
  const [first, cursor] = [await account.mirror(), await account.cursor()]

  const takenOver = upTo(KILLS)
  for (let kill = 0; kill < KILLS; kill++) {
    const standby = kill === takenOver ? await watchers.start() : undefined
    const killed = killAfter(watcher, 1 + upTo(80), pick(['requests', 'writes']), upTo(4))
    await live(30)
    await killed()
    log.push('killed')
    await live(8)
    watcher = standby ?? (await watchers.startLater())
  }
  await live(10)
  await beUneven(account, happening)
  const atLast = await account.account()
  await expect
    .poll(async () => {
      await simulator.advance(20_000)
      return listed(await account.mirror())
    })
    .toEqual(listed(atLast))
  for (let polls = 0; polls < 2; polls++) {
    const before = await lookedAt(account)
    await expect.poll(() => lookedAt(account)).not.toBe(before)
  }
  const events = await account.events(cursor)
  expectToldOnce({ types: account.types, first, events, account: await account.account(), mirror: await account.mirror(), log, turnsOf }, SEED)
})

const lookedAt = async ({ client }: WatchedAccount) => (await client.connections.getMirror({})).LookedDate

/** Takes a record of each type away, and all campaigns with their members: where as many were restored as deleted between two polls, that is noticed once the numbers differ. */
async function beUneven({ account, simulator }: WatchedAccount, { remove }: ReturnType<typeof actsOn>): Promise<void> {
  await simulator.advance(120_000)
  const seen = new Set<string>()
  for (const place of (await account()).keys()) {
    const [type = '', id = '', ...attached] = place.split(' ')
    if (attached.length > 0 || (seen.has(type) && type !== 'Campaign')) continue
    seen.add(type)
    await remove(type as KindName, id)
  }
}
