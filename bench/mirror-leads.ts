import type { CrmName } from '../src/platforms/crms/names.ts'

const FIRST = ['Ada', 'Grace', 'Charles', 'Katherine', 'Alan', 'Hedy', 'Edsger', 'Barbara']

/** The lead of a number, much as people enter them. */
const person = (n: number) => ({
  first: FIRST[n % FIRST.length] as string,
  last: `Lovelace ${(n * 7919) % 100_003}`,
  email: `person${n}@example.com`,
  phone: `+49301${String(n).padStart(6, '0')}`,
})

/** Requests that are under way at once, where one creates a single lead. */
const TOGETHER = 16

export type Ask = (path: string, body: unknown, method?: string) => Promise<unknown>

/** Creates one request's leads, as many as the CRM takes. */
const CREATE: {
  readonly [name in CrmName]: { readonly size: number; readonly send: (ask: Ask, people: readonly ReturnType<typeof person>[]) => Promise<unknown> }
} = {
  salesforce: {
    size: 200,
    send: (ask, people) =>
      ask('/services/data/v62.0/composite/sobjects', {
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
    send: (ask, people) =>
      ask('/crm/v3/objects/contacts/batch/create', {
        inputs: people.map(({ first: firstname, last: lastname, email, phone }) => ({
          properties: { firstname, lastname, email, phone, lifecyclestage: 'lead' },
          associations: [],
        })),
      }),
  },
  espocrm: {
    size: 1,
    send: (ask, people) =>
      Promise.all(
        people.map(({ first: firstName, last: lastName, email: emailAddress, phone: phoneNumber }) =>
          ask('/api/v1/Lead', { firstName, lastName, emailAddress, phoneNumber, skipDuplicateCheck: true }),
        ),
      ),
  },
}

/** Creates so many leads in a simulated CRM, some hundred in each minute of its clock: where all have the same date, they would come as one page. */
export async function createLeads(name: CrmName, ask: Ask, count: number, first = 0): Promise<void> {
  const { size, send } = CREATE[name]
  let next = 0
  const worker = async () => {
    while (next < count) {
      const from = next
      next += size
      if (from > 0 && from % MINUTE < size) await ask('/simulator/clock', { advance: 60_000 })
      await send(
        ask,
        Array.from({ length: Math.min(size, count - from) }, (_, i) => person(first + from + i)),
      )
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, worker))
}

/** Leads that are created in a minute. */
const MINUTE = 400
