import type { Row } from '../cells.ts'
import { personFrom } from './people.ts'
import { type Random, randomFor } from './random.ts'
import { answer, CAMPAIGNS, type Company, companyFrom, complaint, dealNote, leadNote, PRODUCTS } from './words.ts'

/** A call that a user makes on a day. */
export interface Act {
  /** Which of the users; undefined for the admin. */
  readonly by: number | undefined
  readonly operation: string
  readonly input: Row
  /** Receives the answer, and may schedule more acts on later days. */
  readonly after?: (answer: Row) => void
}

export interface Plot {
  readonly seed: number
  /** The number of leads. */
  readonly size: number
  /** The number of days, up to today. */
  readonly days: number
  /** The date of a day. */
  readonly dateOf: (day: number) => string
  /** Users who sell, and users who help. */
  readonly sellers: readonly number[]
  readonly helpers: readonly number[]
}

const STAGES = ['Prospecting', 'Qualification', 'Proposal', 'Negotiation'] as const

/** How many cases there are for each lead. */
const CASES = 0.3

/**
 * Generates a plausible history: leads come in, some become opportunities and customers, and cases follow, more of them every day. What
 * happens to each record depends only on the seed and its number, so the same seed gives the same history.
 */
export function createStory({ seed, size, days, dateOf, sellers, helpers }: Plot): { actsOn(day: number): readonly Act[] } {
  const later = new Map<number, Act[]>()
  const campaigns: string[] = []
  const caseCount = Math.round(size * CASES)
  let [leads, cases] = [0, 0]

  function on(day: number, act: Act): void {
    if (day >= days) return
    const acts = later.get(day)
    if (acts) acts.push(act)
    else later.set(day, [act])
  }

  /** How many of `count` exist by the end of a day; the rate grows every day. */
  const comeBy = (count: number, day: number) => Math.round(count * ((day + 1) / days) ** 1.35)

  function lead(index: number, day: number): Act {
    const random = randomFor(seed, 'lead', index)
    const [person, company, by] = [personFrom(random), companyFrom(random), random.pick(sellers)]
    const number = index < 1000 ? '' : String(index)
    const input = {
      FirstName: person.first,
      LastName: person.last,
      ...(random.chance(0.94) && {
        Email: `${person.address}${number}@${random.chance(0.8) ? company.domain : random.pick(['example.com', 'example.org', 'example.net'])}`,
      }),
      ...(random.chance(0.8) && { Phone: person.phone }),
    }
    return { by, operation: 'create_a_lead', input, after: ({ LeadID }) => leadGoesOn(random, LeadID, by, company, day) }
  }

  function leadGoesOn(random: Random, LeadID: unknown, by: number, company: Company, day: number): void {
    const become = (when: number, Status: string) => on(when, { by, operation: 'update_lead', input: { LeadID, FieldsToUpdate: { Status } } })
    if (random.chance(0.35) && campaigns.length > 0)
      on(day + 1, { by, operation: 'add_leads_to_campaign', input: { LeadID, CampaignID: campaigns[Math.floor(random.next() ** 0.5 * campaigns.length)] } })
    if (random.chance(0.4)) on(day + random.whole(1, 12), { by, operation: 'add_notes_to_leads', input: { LeadID, Note: leadNote(random, company) } })
    if (!random.chance(0.78)) return
    const contacted = day + random.whole(1, 6)
    become(contacted, 'Contacted')
    const decided = contacted + random.whole(2, 15)
    if (random.chance(0.3)) become(decided, 'Unqualified')
    else if (random.chance(0.6)) {
      become(decided, 'Qualified')
      if (random.chance(0.75)) {
        const converted = decided + random.whole(1, 8)
        become(converted, 'Converted')
        on(converted, opportunity(random, by, company, converted))
      }
    }
  }

  function opportunity(random: Random, by: number, company: Company, day: number): Act {
    const pauses = STAGES.map(() => random.whole(3, 18))
    const planned = day + pauses.reduce((sum, pause) => sum + pause, 0) + random.whole(-12, 30)
    const amount = Math.round(8_000 * random.logNormal(1)) + (random.chance(0.3) ? random.whole(1, 99) / 100 : 0)
    const product = random.pick(PRODUCTS)
    const input = {
      OpportunityName: `${company.name}: ${product}`,
      Stage: STAGES[0],
      CloseDate: dateOf(Math.max(planned, day + 7)),
      ...(random.chance(0.95) && { Amount: amount }),
    }
    return {
      by,
      operation: 'create_opportunity',
      input,
      after({ OpportunityID }) {
        const move = (when: number, FieldsToUpdate: Row) => on(when, { by, operation: 'update_opportunity', input: { OpportunityID, FieldsToUpdate } })
        if (random.chance(0.55))
          on(day + random.whole(1, 25), { by, operation: 'add_notes_to_opportunity', input: { OpportunityID, Note: dealNote(random, company) } })
        let when = day
        for (const [i, pause] of pauses.entries()) {
          when += pause
          // Some stay open in their stage for good.
          if (random.chance(0.05)) return
          const next = STAGES[i + 1]
          if (next === undefined || random.chance(0.14)) {
            const isWon = next === undefined && random.chance(0.62)
            move(when, { Stage: isWon ? 'Closed Won' : 'Closed Lost', CloseDate: dateOf(when) })
            if (isWon) on(when + random.whole(1, 5), contract(random, by, company, amount, when))
            return
          }
          move(when, { Stage: next })
        }
      },
    }
  }

  function contract(random: Random, by: number, company: Company, amount: number, day: number): Act {
    const months = random.pick([12, 24, 36])
    const Fields = {
      Customer: { Type: 'String', Label: 'Customer', Value: company.name },
      Begins: { Type: 'Date', Label: 'Begins', Value: dateOf(day + random.whole(5, 40)) },
      Months: { Type: 'Number', Label: 'Months', Value: months },
      MonthlyFee: { Type: 'Number', Label: 'Monthly fee', Value: Math.round((amount / months) * 100) / 100 },
      Renews: { Type: 'Boolean', Label: 'Renews by itself', Value: random.chance(0.7) },
    }
    return { by, operation: 'create_custom_object', input: { ObjectName: 'Contract', Fields } }
  }

  function visit(random: Random, company: Company, day: number): Act {
    const Fields = {
      Customer: { Type: 'String', Label: 'Customer', Value: company.name },
      Reason: { Type: 'String', Label: 'Reason', Value: random.pick(['Inspection', 'Repair', 'Training', 'Installation']) },
      Hours: { Type: 'Number', Label: 'Hours', Value: random.whole(1, 16) / 2 },
      Arrives: { Type: 'DateTime', Label: 'Arrives', Value: `${dateOf(day + random.whole(1, 10))}T${String(random.whole(7, 16)).padStart(2, '0')}:00:00.000Z` },
    }
    return { by: random.pick(helpers), operation: 'create_custom_object', input: { ObjectName: 'Visit', Fields } }
  }

  function caseOf(index: number, day: number): Act {
    const random = randomFor(seed, 'case', index)
    const [company, by] = [companyFrom(random), random.pick(helpers)]
    return {
      by,
      operation: 'create_case',
      input: { ...complaint(random, company), ...(random.chance(0.1) && { Status: 'Open' }) },
      after({ CaseID }) {
        const say = (when: number, Publish: boolean) => on(when, { by, operation: 'add_comment', input: { CaseID, Comment: answer(random, company), Publish } })
        const become = (when: number, Status: string) => on(when, { by, operation: 'update_case', input: { CaseID, FieldsToUpdate: { Status } } })
        if (random.chance(0.08)) return
        const begun = day + random.whole(1, 3)
        become(begun, 'In Progress')
        if (random.chance(0.6)) say(begun, true)
        if (random.chance(0.25)) on(begun + 1, visit(random, company, begun + 1))
        if (random.chance(0.07)) return
        const ended = begun + random.whole(1, 14)
        if (random.chance(0.5)) say(ended, random.chance(0.7))
        become(ended, 'Closed')
      },
    }
  }

  function campaign(index: number, day: number): Act {
    const name = `${CAMPAIGNS[index % CAMPAIGNS.length]} ${dateOf(day).slice(0, 7)}`
    const Status = day > days - 20 ? 'Planned' : day > days - 90 ? 'Active' : 'Completed'
    return {
      by: sellers[0],
      operation: 'create_campaign',
      input: { CampaignName: name, Status },
      after: ({ CampaignID }) => campaigns.push(CampaignID as string),
    }
  }

  return {
    actsOn(day) {
      const acts = later.get(day) ?? []
      later.delete(day)
      if (day % 45 === 0) acts.push(campaign(day / 45, day))
      // Nothing happens at weekends; what was due then moves to Monday.
      if (isWeekend(dateOf(day)) && day < days - 1) {
        later.set(day + 1, [...acts, ...(later.get(day + 1) ?? [])])
        return []
      }
      for (; leads < comeBy(size, day); leads++) acts.push(lead(leads, day))
      for (; cases < comeBy(caseCount, day); cases++) acts.push(caseOf(cases, day))
      return acts
    },
  }
}

const isWeekend = (date: string) => [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay())
