import { type Company, companyFrom } from './companies.ts'
import { meet } from './customers.ts'
import { opportunityOf } from './deals.ts'
import { type Person, personFrom } from './people.ts'
import { type Random, randomFor } from './random.ts'
import type { Act, Customer, Scene } from './scene.ts'
import { LEAD_SOURCES, leadNote, TITLES } from './words.ts'

/** A person of a new company, or of one that is a customer already. */
interface Prospect {
  readonly person: Person
  readonly company: Company
  readonly by: number
  readonly customer: Customer | undefined
  /** Whether the lead says where they work. */
  readonly isKnown: boolean
}

const employer = ({ name, business }: Company) => ({ Company: name, ...business })

export function leadOf(scene: Scene, index: number, day: number): Act {
  const random = randomFor(scene.seed, 'lead', index)
  const person = personFrom(random)
  const customer = random.chance(0.15) && scene.customers.length > 0 ? random.pick(scene.customers) : undefined
  const [company, by] = customer ? [customer.company, customer.by] : [companyFrom(random), random.pick(scene.sellers)]
  const number = index < 1000 ? '' : String(index)
  const isKnown = random.chance(0.92)
  const input = {
    FirstName: person.first,
    LastName: person.last,
    ...(random.chance(0.94) && {
      Email: `${person.address}${number}@${random.chance(0.8) ? company.domain : random.pick(['example.com', 'example.org', 'example.net'])}`,
    }),
    ...(random.chance(0.8) && { Phone: person.phone }),
    ...(isKnown && employer(company)),
    ...(isKnown && random.chance(0.7) && company.address),
    ...(random.chance(0.75) && { Title: random.pick(TITLES) }),
    LeadSource: random.pick(LEAD_SOURCES),
    ...(random.chance(0.6) && { Rating: random.pick(['Hot', 'Warm', 'Warm', 'Cold']) }),
    ...(random.chance(0.05) && { EmailOptOut: true }),
  }
  const prospect = { person, company, by, customer, isKnown }
  return { by, operation: 'create_a_lead', input, after: ({ LeadID }) => leadGoesOn(scene, random, LeadID, prospect, day) }
}

function leadGoesOn(scene: Scene, random: Random, LeadID: unknown, prospect: Prospect, day: number): void {
  const { on, campaigns } = scene
  const { by, company, isKnown } = prospect
  const become = (when: number, Status: string, more: object = {}) =>
    on(when, { by, operation: 'update_lead', input: { LeadID, FieldsToUpdate: { Status, ...more } } })
  if (random.chance(0.35) && campaigns.length > 0)
    on(day + 1, { by, operation: 'add_leads_to_campaign', input: { LeadID, CampaignID: campaigns[Math.floor(random.next() ** 0.5 * campaigns.length)] } })
  if (random.chance(0.4)) on(day + random.whole(1, 12), { by, operation: 'add_notes_to_leads', input: { LeadID, Note: leadNote(random, company) } })
  if (!random.chance(0.78)) return
  const contacted = day + random.whole(1, 6)
  become(contacted, 'Contacted')
  const decided = contacted + random.whole(2, 15)
  if (random.chance(0.3)) become(decided, 'Unqualified')
  else if (random.chance(0.6)) {
    become(decided, 'Qualified', isKnown ? {} : employer(company))
    if (random.chance(0.75)) {
      const converted = decided + random.whole(1, 8)
      on(converted, conversion(scene, random, LeadID, prospect, converted))
    }
  }
}

/** A company, a contact and a deal of a lead; a person of a customer becomes one more of its contacts. */
function conversion(scene: Scene, random: Random, LeadID: unknown, { person, company, by, customer }: Prospect, day: number): Act {
  const deal = opportunityOf(scene, random, { by, company }, customer ? 'Existing Business' : 'New Business', day)
  return {
    by,
    operation: 'convert_lead',
    input: { LeadID, ...(customer && { CompanyID: customer.companyId }), Opportunity: deal.input },
    after({ CompanyID, ContactID, OpportunityID }) {
      meet(scene, customer ?? { company, companyId: CompanyID, by, contacts: [], cases: [] }, person, ContactID)
      deal.follow(OpportunityID)
    },
  }
}
