import { describe, test } from 'vitest'
import { ALL_CRMS } from '../../support/crms/all.ts'
import type { Crm } from '../../support/crms.ts'
import { STORES } from '../../support/stores.ts'
import { watchedAccount } from './account.ts'
import { lifeOf } from './life.ts'
import { expectToldOnce } from './told.ts'

/** `WATCH_SEEDS=200` tries so many, `WATCH_SEED=17` only one. */
const SEEDS = process.env.WATCH_SEED ? [Number(process.env.WATCH_SEED)] : Array.from({ length: Number(process.env.WATCH_SEEDS ?? 3) }, (_, i) => i + 1)

/** Each CRM with its mirror in SQLite, and one in every other store. */
const PLACES = STORES.flatMap((store, nth) =>
  ALL_CRMS.slice(0, nth === 0 ? undefined : 1).map(([name, crm]): [string, string, Crm, typeof store] => [store.platform, name, crm, store]),
)

describe.each(PLACES)('with a mirror in %s, whatever happens in %s', (_, name, crm, { open }) => {
  test.concurrent.for(SEEDS)(
    'the feed leads to what it has and tells of each change once, and the mirror is equal (seed %i)',
    async (seed, { onTestFinished }) => {
      expectToldOnce(await lifeOf(await watchedAccount(name, crm, onTestFinished, await open()), seed), seed)
    },
  )
})
