import { Lead } from '../src/contract/records/lead.ts'
import { Opportunity } from '../src/contract/records/opportunity.ts'
import { User } from '../src/contract/records/user.ts'
import { newRecord } from '../src/core/call/records.ts'
import type { Store } from '../src/platforms/store.ts'

const STATUSES = ['Open', 'Contacted', 'Qualified', 'Unqualified', 'Converted']
const STAGES = ['Prospecting', 'Negotiation', 'Closed Won', 'Closed Lost']
const BATCH = 2000
const DAY_MS = 86_400_000

/** Creates a manager with `count` reports, who own the records. */
export async function seedUsers(store: Store, workspace: number, count: number): Promise<{ manager: string; users: string[] }> {
  return store.write(workspace, async (writer) => {
    const manager = newRecord(User, writer.newId(), { Name: 'Manager', Role: 'manager' })
    await writer.create(User.name, manager)
    const users: string[] = []
    for (let i = 0; i < count; i++) {
      const user = newRecord(User, writer.newId(), { Name: `User ${i}`, ManagerID: manager.UserID })
      await writer.create(User.name, user)
      users.push(user.UserID as string)
    }
    return { manager: manager.UserID as string, users }
  })
}

/** Creates leads through the platform, in large transactions. */
export async function seedLeads(store: Store, workspace: number, users: readonly string[], count: number): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    await store.write(workspace, async (writer) => {
      for (let i = done; i < Math.min(done + BATCH, count); i++) {
        const mixed = (i * 7919) % count
        const given = {
          FirstName: `First ${mixed % 1000}`,
          LastName: `Last ${mixed % 50_000}`,
          Email: `person${mixed}@example.com`,
          Phone: `+49 ${mixed}`,
          Status: STATUSES[mixed % STATUSES.length],
          OwnerID: users[mixed % users.length],
        }
        await writer.create(Lead.name, newRecord(Lead, writer.newId(), given))
      }
    })
  }
}

/** Creates opportunities that close within a year before or after today. */
export async function seedOpportunities(store: Store, workspace: number, users: readonly string[], count: number): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    await store.write(workspace, async (writer) => {
      for (let i = done; i < Math.min(done + BATCH, count); i++) {
        const mixed = (i * 7919) % count
        const given = {
          OpportunityName: `Deal ${mixed}`,
          Stage: STAGES[mixed % STAGES.length],
          CloseDate: new Date(Date.now() + ((mixed % 730) - 365) * DAY_MS).toISOString().slice(0, 10),
          Amount: (mixed % 1_000_000) / 100,
          OwnerID: users[mixed % users.length],
        }
        await writer.create(Opportunity.name, newRecord(Opportunity, writer.newId(), given))
      }
    })
  }
}
