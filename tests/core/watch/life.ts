import { seeded } from 'crm-simulators'
import type { WatchedAccount } from './account.ts'
import { actsOn, FAULTS } from './acts.ts'

const STEPS = 30

/** Later than polls go back: such a row is found by its number at best, and when the mirror is verified. */
const VERY_LATE_MS = 600_000
const VERY_LATE = `late-rows=${VERY_LATE_MS}ms`

/** What happens at random to an account that is polled, and what is known of it at the end. In every third life rows may show later than polls go back. */
export async function lifeOf(account: WatchedAccount, seed: number) {
  const random = seeded(seed)
  const { simulator } = account
  const { acts, attempt, begin, log, upTo, pick, turnsOf, ofOthers, own } = actsOn(account, seed, random)
  const hasVeryLate = seed % 3 === 0
  let process: Parameters<typeof account.poll>[0]

  const all = {
    ...acts,
    async poll() {
      const aborting = new AbortController()
      if (random() < 0.2) setTimeout(() => aborting.abort(), upTo(50)).unref()
      await account.poll(process, aborting.signal)
    },
    async 'another process'() {
      process = await account.process()
    },
  }
  const polls = ['poll', 'poll', 'poll', 'poll', 'another process'] as const

  await begin()
  await account.poll()
  await account.poll()
  const [first, cursor] = [await account.mirror(), await account.cursor()]

  for (let step = 0; step < STEPS; step++) {
    simulator.faults.clear()
    const faults = [...FAULTS, ...(hasVeryLate ? [VERY_LATE] : [])].filter(() => random() < 0.12)
    log.push(`with ${faults}`)
    for (const fault of faults) simulator.faults.add(fault)
    // A write that was answered is committed: only those of others may show late.
    const possible = [...ofOthers, ...polls, ...(faults.some((fault) => fault.startsWith('late-rows')) ? [] : own)]
    await Promise.all(Array.from({ length: 1 + upTo(3) }, () => attempt(all, pick(possible))))
  }
  simulator.faults.clear()
  if (hasVeryLate) {
    // A poll comes before these rows show, and the next one no longer goes back to when they were written.
    simulator.faults.add(VERY_LATE)
    for (let left = 6; left > 0; left--) await attempt(acts, pick(['other creates', 'other updates', 'other deletes']))
    simulator.faults.clear()
    for (let polls = 0; polls < 2; polls++) {
      await simulator.advance((VERY_LATE_MS * 2) / 3)
      await account.poll(process)
    }
  }
  for (let polls = 0; polls < 4; polls++) {
    await simulator.advance(60_000)
    await account.poll(process)
  }
  if (hasVeryLate) log.push(`verified ${JSON.stringify((await account.verify()).filter(({ repaired }) => repaired > 0))}`)
  return { types: account.types, first, log, turnsOf, events: await account.events(cursor), account: await account.account(), mirror: await account.mirror() }
}
