import { companyFrom } from './companies.ts'
import { opportunityOf } from './deals.ts'
import { type Person, personFrom } from './people.ts'
import { type Random, randomFor } from './random.ts'
import type { Act, Customer, Scene } from './scene.ts'
import { companyNote, TITLES } from './words.ts'

/** A company that was won before the story begins, or elsewhere: its contacts follow, and more deals. */
export function customerOf(scene: Scene, index: number, day: number): Act {
  const random = randomFor(scene.seed, 'customer', index)
  const [company, by] = [companyFrom(random), random.pick(scene.sellers)]
  const { name, domain, phone, business, address } = company
  const input = { CompanyName: name, Phone: phone, ...(random.chance(0.8) && { Email: `info@${domain}` }), ...business, ...address }
  return {
    by,
    operation: 'create_company',
    input,
    after({ CompanyID }) {
      const customer: Customer = { company, companyId: CompanyID, by, contacts: [], cases: [] }
      const others = random.whole(0, 2)
      scene.on(day + 1, contactOf(scene, random, customer, random.chance(0.6) ? day + random.whole(6, 60) : undefined))
      for (let i = 0; i < others; i++) scene.on(day + random.whole(2, 20), contactOf(scene, random, customer))
      if (random.chance(0.3))
        scene.on(day + random.whole(2, 60), { by, operation: 'add_notes_to_company', input: { CompanyID, Note: companyNote(random, company) } })
    },
  }
}

/** A person at a customer, with whom a further deal may be made on a day. */
function contactOf(scene: Scene, random: Random, customer: Customer, deals?: number): Act {
  const person = personFrom(random)
  const { by, company, companyId } = customer
  const input = {
    FirstName: person.first,
    LastName: person.last,
    Email: `${person.address}@${company.domain}`,
    Phone: person.phone,
    Title: random.pick(TITLES),
    CompanyID: companyId,
    ...company.address,
  }
  return {
    by,
    operation: 'create_contact',
    input,
    after({ ContactID }) {
      meet(scene, customer, person, ContactID)
      if (deals !== undefined) scene.on(deals, dealWith(scene, random, customer, ContactID, deals))
    },
  }
}

/** A customer is known by the first contact. */
export function meet({ customers }: Scene, customer: Customer, person: Person, contactId: unknown): void {
  if (customer.contacts.length === 0) customers.push(customer)
  customer.contacts.push({ person, contactId })
}

function dealWith(scene: Scene, random: Random, customer: Customer, ContactID: unknown, day: number): Act {
  const { input, follow } = opportunityOf(scene, random, customer, 'Existing Business', day)
  return {
    by: customer.by,
    operation: 'create_opportunity',
    input: { ...input, CompanyID: customer.companyId, ContactID },
    after: ({ OpportunityID }) => follow(OpportunityID),
  }
}
