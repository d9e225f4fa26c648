import type { CrmName } from '../src/platforms/crms/names.ts'

const FIRST = ['Ada', 'Grace', 'Charles', 'Katherine', 'Alan', 'Hedy', 'Edsger', 'Barbara']

/** The lead of a number, much as people enter them. */
const person = (n: number) => ({
  first: FIRST[n % FIRST.length] as string,
  last: `Lovelace ${(n * 7919) % 100_003}`,
  email: `person${n}@example.com`,
  phone: `+49301${String(n).padStart(6, '0')}`,
})

export type Ask = (path: string, body: unknown, method?: string) => Promise<unknown>

type Person = ReturnType<typeof person>

/** The request that creates leads, as many as the CRM takes. */
const CREATE: { readonly [name in CrmName]: { readonly size: number; readonly path: string; readonly body: (people: readonly Person[]) => unknown } } = {
  salesforce: {
    size: 200,
    path: '/services/data/v62.0/composite/sobjects',
    body: (people) => ({
      allOrNone: false,
      records: people.map(({ first: FirstName, last: LastName, email: Email, phone: Phone }) => ({
        attributes: { type: 'Lead' },
        FirstName,
        LastName,
        Email,
        Phone,
        Company: 'None',
      })),
    }),
  },
  hubspot: {
    size: 100,
    path: '/crm/v3/objects/contacts/batch/create',
    body: (people) => ({
      inputs: people.map(({ first: firstname, last: lastname, email, phone }) => ({
        properties: { firstname, lastname, email, phone, lifecyclestage: 'lead' },
        associations: [],
      })),
    }),
  },
  espocrm: {
    size: 1,
    path: '/api/v1/Lead',
    body: ([one]) => ({ firstName: one?.first, lastName: one?.last, emailAddress: one?.email, phoneNumber: one?.phone, skipDuplicateCheck: true }),
  },
}

/** Leads that are created in a minute of the CRM's clock: where all have the same date, they would come as one page. */
const MINUTE = 400

/** HubSpot moves the modified date of a contact by itself, up to two hours after it was written. */
const SETTLED_MS = 3 * 3_600_000

/** Fills a simulated CRM with so many leads. */
export async function createLeads(name: CrmName, ask: Ask, count: number): Promise<void> {
  for (let from = 0; from < count; from += MINUTE) {
    await ask('/simulator/requests', requestsFor(name, from, Math.min(from + MINUTE, count)))
    await ask('/simulator/clock', { advance: 60_000 })
  }
  await ask('/simulator/clock', { advance: SETTLED_MS })
}

/** Creates a single lead as another client of the CRM does. */
export async function createLead(name: CrmName, ask: Ask, n: number): Promise<void> {
  for (const { path, body } of requestsFor(name, n, n + 1)) await ask(path, body)
}

function requestsFor(name: CrmName, from: number, to: number) {
  const { size, path, body } = CREATE[name]
  const people = Array.from({ length: to - from }, (_, i) => person(from + i))
  return Array.from({ length: Math.ceil(people.length / size) }, (_, i) => ({ method: 'POST', path, body: body(people.slice(i * size, (i + 1) * size)) }))
}
