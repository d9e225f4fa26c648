import { type Company, companyFrom } from './companies.ts'
import { personFrom } from './people.ts'
import { type Random, randomFor } from './random.ts'
import type { Act, Customer, Scene } from './scene.ts'
import { answer, complaint } from './words.ts'

/** A case of a customer. It comes in by itself, in the name of the admin, who gives it to one of those who help: these do not see the records of sellers. */
export function caseOf(scene: Scene, index: number, day: number): Act {
  const { on, seed, helpers, customers, userIds } = scene
  const random = randomFor(seed, 'case', index)
  const by = random.pick(helpers)
  const customer = random.chance(0.9) && customers.length > 0 ? random.pick(customers) : undefined
  const company = customer?.company ?? companyFrom(random)
  return {
    by: undefined,
    operation: 'create_case',
    input: {
      ...complaint(random, company),
      ...(random.chance(0.1) && { Status: 'Open' }),
      Priority: random.pick(['Low', 'Medium', 'Medium', 'High']),
      Origin: random.pick(['Email', 'Email', 'Phone', 'Web']),
      ...askerOf(random, customer, company),
      OwnerID: userIds[by],
    },
    after({ CaseID }) {
      customer?.cases.push(CaseID)
      const say = (when: number, Publish: boolean) => on(when, { by, operation: 'add_comment', input: { CaseID, Comment: answer(random, company), Publish } })
      const become = (when: number, Status: string) => on(when, { by, operation: 'update_case', input: { CaseID, FieldsToUpdate: { Status } } })
      if (random.chance(0.08)) return
      const begun = day + random.whole(1, 3)
      become(begun, 'In Progress')
      if (random.chance(0.6)) say(begun, true)
      if (random.chance(0.25)) on(begun + 1, visit(scene, random, company, begun + 1))
      if (random.chance(0.07)) return
      const ended = begun + random.whole(1, 14)
      if (random.chance(0.5)) say(ended, random.chance(0.7))
      become(ended, 'Closed')
    },
  }
}

/** Who asks: a contact, or a person who is none, by name. A customer may ask about an earlier case. */
function askerOf(random: Random, customer: Customer | undefined, company: Company) {
  const [contact, other] = [customer && random.pick(customer.contacts), personFrom(random)]
  const asker =
    contact && random.chance(0.8)
      ? { ContactID: contact.contactId }
      : { ContactName: `${other.first} ${other.last}`, ContactEmail: `${other.address}@${company.domain}`, ContactPhone: other.phone }
  const before = customer && customer.cases.length > 0 && random.chance(0.15) ? random.pick(customer.cases) : undefined
  return { ...asker, ...(customer && { CompanyID: customer.companyId }), ...(before !== undefined && { ParentID: before }) }
}

function visit({ dateOf, helpers }: Scene, random: Random, company: Company, day: number): Act {
  const Fields = {
    Customer: { Type: 'String', Label: 'Customer', Value: company.name },
    Reason: { Type: 'String', Label: 'Reason', Value: random.pick(['Inspection', 'Repair', 'Training', 'Installation']) },
    Hours: { Type: 'Number', Label: 'Hours', Value: random.whole(1, 16) / 2 },
    Arrives: { Type: 'DateTime', Label: 'Arrives', Value: `${dateOf(day + random.whole(1, 10))}T${String(random.whole(7, 16)).padStart(2, '0')}:00:00.000Z` },
  }
  return { by: random.pick(helpers), operation: 'create_custom_object', input: { ObjectName: 'Visit', Fields } }
}
