import type { Row } from '../cells.ts'
import type { Company } from './companies.ts'
import type { Random } from './random.ts'
import type { Act, Customer, Scene } from './scene.ts'
import { dealNote, NEXT_STEPS, PRODUCTS } from './words.ts'

const STAGES = [
  { Stage: 'Prospecting', Probability: 10 },
  { Stage: 'Qualification', Probability: 25 },
  { Stage: 'Proposal', Probability: 50 },
  { Stage: 'Negotiation', Probability: 75 },
] as const

export interface Deal {
  readonly input: Row
  /** Lets it go on, once it has a record. */
  follow(opportunityId: unknown): void
}

const STALLED = 8

/** Every few deals one stays open for good, each time in the next stage, so that also a small story has deals in every stage. */
const stalledStage = (nth: number): number | undefined => (nth % STALLED === STALLED - 1 ? Math.floor(nth / STALLED) % STAGES.length : undefined)

/** A deal that begins on a day: its fields, and what becomes of it. */
export function opportunityOf(scene: Scene, random: Random, { by, company }: Pick<Customer, 'by' | 'company'>, type: string, day: number): Deal {
  const { on, dateOf, campaigns } = scene
  const stalled = stalledStage(scene.deals.count++)
  const pauses = STAGES.map(() => random.whole(3, 18))
  const planned = day + pauses.reduce((sum, pause) => sum + pause, 0) + random.whole(-12, 30)
  const amount = Math.round(8_000 * random.logNormal(1)) + (random.chance(0.3) ? random.whole(1, 99) / 100 : 0)
  const input = {
    OpportunityName: `${company.name}: ${random.pick(PRODUCTS)}`,
    ...STAGES[0],
    CloseDate: dateOf(Math.max(planned, day + 7)),
    Type: type,
    NextStep: random.pick(NEXT_STEPS),
    ...(random.chance(0.95) && { Amount: amount }),
    ...(random.chance(0.25) && campaigns.length > 0 && { CampaignID: random.pick(campaigns) }),
  }
  return {
    input,
    follow(OpportunityID) {
      const move = (when: number, FieldsToUpdate: Row) => on(when, { by, operation: 'update_opportunity', input: { OpportunityID, FieldsToUpdate } })
      if (random.chance(0.55))
        on(day + random.whole(1, 25), { by, operation: 'add_notes_to_opportunity', input: { OpportunityID, Note: dealNote(random, company) } })
      let when = day
      for (const [i, pause] of pauses.entries()) {
        when += pause
        if (i === stalled) return
        const next = STAGES[i + 1]
        if (next === undefined || (stalled === undefined && random.chance(0.14))) {
          const isWon = next === undefined && random.chance(0.62)
          const Probability = isWon ? 100 : 0
          move(when, { Stage: isWon ? 'Closed Won' : 'Closed Lost', Probability, NextStep: null, CloseDate: dateOf(when) })
          if (isWon) on(when + random.whole(1, 5), contract(scene, random, by, company, amount, when))
          return
        }
        move(when, { ...next, NextStep: random.pick(NEXT_STEPS) })
      }
    },
  }
}

function contract({ dateOf }: Scene, random: Random, by: number, company: Company, amount: number, day: number): Act {
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
