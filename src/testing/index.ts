import { access } from './access.ts'
import { batch } from './batch.ts'
import { batchConfirmations } from './batch-confirmations.ts'
import { batchUndo } from './batch-undo.ts'
import type { Behaviour, Connection, Context, Lack, Person, PersonDraft, Theme } from './behaviour.ts'
import { campaigns } from './campaigns.ts'
import { cases } from './cases.ts'
import { changes } from './changes.ts'
import { confirmations } from './confirmations.ts'
import { openContext } from './context.ts'
import { contractWalk } from './contract-walk.ts'
import { customFields } from './custom-fields.ts'
import { customFilters } from './custom-filters.ts'
import { customKinds } from './custom-kinds.ts'
import { customObjects } from './custom-objects.ts'
import { deletes } from './deletes.ts'
import { describes } from './describe.ts'
import { dryRuns } from './dry-run.ts'
import { erase } from './erase.ts'
import { errors } from './errors.ts'
import { eventIds } from './event-ids.ts'
import { events } from './events.ts'
import { filterFaults } from './filter-faults.ts'
import { filters } from './filters.ts'
import { idempotency } from './idempotency.ts'
import { keys } from './keys.ts'
import { runBehaviour } from './lacking.ts'
import { lateWrites } from './late-writes.ts'
import { leads } from './leads.ts'
import { limits } from './limits.ts'
import { lostUpdates } from './lost-updates.ts'
import { money } from './money.ts'
import { names } from './names.ts'
import { notesAndComments } from './notes-and-comments.ts'
import { opportunities } from './opportunities.ts'
import { ordering } from './ordering.ts'
import { ownFields } from './own-fields.ts'
import { ownership } from './ownership.ts'
import { paging } from './paging.ts'
import { references } from './references.ts'
import { scopes } from './scopes.ts'
import { summaries } from './summaries.ts'
import { summaryFigures } from './summary-figures.ts'
import { unchangedRecords } from './unchanged.ts'
import { undo } from './undo.ts'
import { undoAccess } from './undo-access.ts'
import { updates } from './updates.ts'
import { upserts } from './upserts.ts'
import { users } from './users.ts'
import type { Values } from './values.ts'
import { webhooks } from './webhooks.ts'

/** What every platform must do, through every transport, by theme. */
export const BEHAVIOURS: readonly Theme[] = [
  names,
  leads,
  opportunities,
  cases,
  money,
  customObjects,
  customFields,
  ownFields,
  customFilters,
  customKinds,
  notesAndComments,
  campaigns,
  references,
  upserts,
  updates,
  unchangedRecords,
  lostUpdates,
  deletes,
  filters,
  filterFaults,
  ordering,
  paging,
  summaries,
  summaryFigures,
  access,
  ownership,
  users,
  keys,
  scopes,
  describes,
  errors,
  limits,
  idempotency,
  changes,
  events,
  eventIds,
  dryRuns,
  undo,
  undoAccess,
  erase,
  confirmations,
  batchConfirmations,
  batch,
  batchUndo,
  webhooks,
  contractWalk,
  lateWrites,
]

/** A test runner, such as vitest; with node:test, pass its `before` and `after` as beforeAll and afterAll. */
export interface Runner {
  describe(name: string, run: () => void): unknown
  test(name: string, run: () => Promise<void>): unknown
  beforeAll?(run: () => Promise<void>): unknown
  afterAll?(run: () => Promise<void>): unknown
}

/** Registers every behaviour with the runner, to be judged on one connection that is opened once. */
export function conformance(runner: Runner, name: string, open: () => Promise<Connection>): void {
  runner.describe(name, () => {
    let opened: Promise<{ connection: Connection; context: Context }> | undefined
    const ready = () => {
      opened ??= open().then(async (connection) => ({ connection, context: await openContext(connection) }))
      return opened
    }
    runner.beforeAll?.(async () => void (await ready()))
    runner.afterAll?.(async () => (await ready()).connection.close())
    for (const { name, behaviours } of BEHAVIOURS) {
      runner.describe(name, () => {
        for (const one of behaviours) runner.test(one.title, async () => runBehaviour(one, (await ready()).context))
      })
    }
  })
}

export type { Behaviour, Connection, Context, Lack, Person, PersonDraft, Theme, Values }
