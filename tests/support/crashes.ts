import { join } from 'node:path'
import { expect } from 'vitest'
import { openDatabase } from './database.ts'
import { recountIn, rollupsIn } from './rollups.ts'
import { type RunningService, startService } from './service.ts'

/** What a client knows about a record: the last Revision that was acknowledged, and whether it was deleted. */
interface Known {
  revision: number
  deleted: boolean
  /** A change was sent and never answered: it may have happened or not. */
  open: boolean
}

const STAGES = ['Prospecting', 'Closed Won', 'Closed Lost']

/** Writes until the service is gone, and remembers what was acknowledged. */
async function client(service: RunningService, type: 'Lead' | 'Opportunity', known: Map<string, Known>): Promise<void> {
  const [create, update, remove, id, fields] =
    type === 'Lead'
      ? (['create_a_lead', 'update_lead', 'delete_lead', 'LeadID', { FirstName: 'Ada', LastName: 'Lovelace' }] as const)
      : ([
          'create_opportunity',
          'update_opportunity',
          'opportunity_delete',
          'OpportunityID',
          { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 0.1 },
        ] as const)
  for (let i = 0; ; i++) {
    const made = await service.call(create, fields)
    const own: Known = { revision: 1, deleted: false, open: false }
    known.set(String(made[id]), own)
    if (i % 3 === 0) continue
    own.open = true
    const changes = type === 'Lead' ? { Status: `Status ${i % 5}` } : { Stage: STAGES[i % 3], Amount: i % 7 === 0 ? null : i + 0.25 }
    await service.call(update, { [id]: made[id], FieldsToUpdate: changes })
    own.revision = 2
    if (i % 3 === 1) await service.call(remove, { [id]: made[id] }).then(() => (own.deleted = true))
    own.open = false
  }
}

/** Lets clients write to a service that is killed at a random instant. */
export async function crash(cwd: string, known: Map<string, Known>): Promise<void> {
  const service = await startService(cwd, { env: { CRM_LOG_LEVEL: 'error' } })
  const types = ['Lead', 'Lead', 'Lead', 'Lead', 'Opportunity', 'Opportunity'] as const
  const clients = types.map((type) => client(service, type, known).catch(() => {}))
  const before = known.size
  while (known.size === before) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 400))
  expect(await service.end('SIGKILL')).toBe('SIGKILL')
  await Promise.all(clients)
  expect(service.err()).toBe('')
}

/** What was acknowledged is there, once and no other than it was acknowledged; and the store is whole. */
export async function nothingLost(cwd: string, known: ReadonlyMap<string, Known>): Promise<void> {
  const database = await openDatabase(join(cwd, 'data/crm.db'))
  const rows = database.all('SELECT "LeadID" AS id, "Revision" FROM "Lead" UNION ALL SELECT "OpportunityID", "Revision" FROM "Opportunity"', [])
  const found = new Map(rows.map(({ id, Revision }) => [String(id), Number(Revision)]))
  expect(found.size).toBe(rows.length)
  for (const [id, { revision, deleted, open }] of known) {
    const now = found.get(id)
    const fits = deleted ? now === undefined : now === revision || (open && (now === undefined ? revision === 2 : now === revision + 1))
    if (!fits)
      throw new Error(
        `${id} was acknowledged with Revision ${revision}${deleted ? ' and deleted' : ''}${open ? ', a change was under way' : ''}; it is ${now ?? 'gone'}.`,
      )
  }
  expect(database.get('PRAGMA integrity_check', [])).toMatchObject({ integrity_check: 'ok' })
  expect(rollupsIn(database)).toEqual(recountIn(database))
  database.close()
}
