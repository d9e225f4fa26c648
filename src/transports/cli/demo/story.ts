import { customerOf } from './customers.ts'
import { leadOf } from './leads.ts'
import type { Act, Plot, Scene } from './scene.ts'
import { caseOf } from './support.ts'
import { CAMPAIGNS } from './words.ts'

/** How many cases, and customers that were no leads, there are for each lead. */
const CASES = 0.3
const CUSTOMERS = 0.08

/** The part of those customers that is there from the first day. */
const ESTABLISHED = 0.6

/**
 * Generates a plausible history: leads come in, some become customers with contacts and opportunities, and cases follow, more of them every day. What
 * happens to each record depends only on the seed, its number and who is a customer by then, so the same seed gives the same history.
 */
export function createStory(plot: Plot): { actsOn(day: number): readonly Act[] } {
  const { size, days, dateOf, sellers } = plot
  const later = new Map<number, Act[]>()
  const counts = { customers: Math.ceil(size * CUSTOMERS), cases: Math.round(size * CASES) }
  let today = -1
  let [leads, cases, customers] = [0, 0, 0]

  const scene: Scene = {
    ...plot,
    customers: [],
    campaigns: [],
    deals: { count: 0 },
    on(day, act) {
      const when = Math.max(day, today + 1)
      if (when >= days) return
      const acts = later.get(when)
      if (acts) acts.push(act)
      else later.set(when, [act])
    },
  }

  /** How many of `count` exist by the end of a day; the rate grows every day. */
  const comeBy = (count: number, day: number) => Math.round(count * ((day + 1) / days) ** 1.35)
  const customersBy = (day: number) => Math.round(counts.customers * (ESTABLISHED + ((1 - ESTABLISHED) * (day + 1)) / days))

  function campaign(index: number, day: number): Act {
    const name = `${CAMPAIGNS[index % CAMPAIGNS.length]} ${dateOf(day).slice(0, 7)}`
    const Status = day > days - 20 ? 'Planned' : day > days - 90 ? 'Active' : 'Completed'
    return {
      by: sellers[0],
      operation: 'create_campaign',
      input: { CampaignName: name, Status },
      after: ({ CampaignID }) => scene.campaigns.push(CampaignID),
    }
  }

  return {
    actsOn(day) {
      today = day
      const acts = later.get(day) ?? []
      later.delete(day)
      if (day % 45 === 0) acts.push(campaign(day / 45, day))
      // Nothing happens at weekends; what was due then moves to Monday.
      if (isWeekend(dateOf(day)) && day < days - 1) {
        later.set(day + 1, [...acts, ...(later.get(day + 1) ?? [])])
        return []
      }
      for (; customers < customersBy(day); customers++) acts.push(customerOf(scene, customers, day))
      for (; leads < comeBy(size, day); leads++) acts.push(leadOf(scene, leads, day))
      for (; cases < comeBy(counts.cases, day); cases++) acts.push(caseOf(scene, cases, day))
      return acts
    },
  }
}

const isWeekend = (date: string) => [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay())
