import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Batch } from '../../../contract/batch.ts'
import type { Crm } from '../../../contract/client.ts'
import { CrmError, errorOf, type Problem } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Row } from '../cells.ts'
import type { Destination } from './destination.ts'
import type { PlannedRow, RejectedRow } from './plan.ts'

type Item = Batch['Operations'][number]

interface Result {
  readonly Result?: Row
  readonly Error?: Problem
  readonly Replayed?: true
}

/** What became of rows. */
export interface Sent {
  readonly created: number
  /** Rows that an earlier run has imported. */
  readonly known: number
  readonly rejected: readonly RejectedRow[]
}

/** Whoever does not answer is asked again for so long. */
const PATIENCE_MS = 120_000
const LONGEST_PAUSE_MS = 10_000

/** Sends rows as batches: each is carried out once, however often it is sent. */
export function createSender(crm: Crm, { type, create, update, attach }: Destination, dryRun: boolean, signal: AbortSignal) {
  const owners = new Map<string, boolean>()
  let atOnce: number = LIMITS.batch

  /** Carries out calls in order; what may only have come at the wrong moment is sent again. */
  async function carryOut(items: readonly Item[]): Promise<Result[]> {
    const results: Result[] = []
    let open = items.map((item, i) => ({ item, i }))
    let deadline = Date.now() + PATIENCE_MS
    for (let wait = 500; open.length > 0; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      const sent = open.slice(0, atOnce)
      try {
        const { Results } = await crm.batch({ Operations: sent.map(({ item }) => item) }, { dryRun })
        for (const [n, { i }] of sent.entries()) results[i] = Results[n] as Result
        const again = sent.filter(({ i }) => results[i]?.Error?.retryable)
        open = [...again, ...open.slice(sent.length)]
        if (again.length < sent.length) deadline = Date.now() + PATIENCE_MS
        if (again.length === 0) wait = 500
        else await pauseBefore(errorOf(results[again[0]?.i ?? 0]?.Error as Problem), wait)
      } catch (error) {
        if (!(error instanceof CrmError && error.retryable)) throw error
        // More at once than a key is allowed in a minute would never be let through.
        if (error.code === 'rate_limited') atOnce = Math.max(1, Math.floor(sent.length / 2))
        await pauseBefore(error, wait)
      }
    }
    return results

    async function pauseBefore(error: CrmError, wait: number): Promise<void> {
      if (Date.now() > deadline) throw error
      await pause((error.retryAfter ?? 0) * 1000 || wait, undefined, { signal })
    }
  }

  /** The owners that the records cannot be given to. */
  async function strangersAmong(rows: readonly PlannedRow[]): Promise<void> {
    const asked = [...new Set(rows.flatMap(({ changes }) => (typeof changes?.OwnerID === 'string' ? [changes.OwnerID] : [])))].filter((id) => !owners.has(id))
    if (asked.length === 0) return
    const { Records } = await crm.users.getMany({ Filters: { UserID: { in: asked } }, Select: ['UserID'], Limit: LIMITS.page })
    for (const id of asked) owners.set(id, false)
    for (const { UserID } of Records) owners.set(UserID, true)
  }

  /** What a row wants beside its record, in calls of their own. */
  function afterwards({ key, changes = {}, attached }: PlannedRow, record: Row): Item[] {
    const id = { [type.id]: record[type.id] }
    const different = Object.fromEntries(Object.entries(changes).filter(([name, value]) => record[name] !== value))
    const items: Item[] = []
    const add = (operation: string, input: Row) =>
      items.push({ Operation: operation, Input: input, Key: `${key}-${hash('sha256', JSON.stringify(input), 'hex').slice(0, 16)}` })
    if (update && Object.keys(different).length > 0) add(update.id, { ...id, FieldsToUpdate: different })
    if (attach && attached) add(attach.id, { ...id, ...attached })
    return items
  }

  return async (planned: readonly PlannedRow[]): Promise<Sent> => {
    await strangersAmong(planned)
    const rejected: RejectedRow[] = []
    const rows = planned.filter(({ row, changes }) => {
      const isKnown = owners.get(changes?.OwnerID as string) ?? true
      if (!isKnown)
        rejected.push({
          row,
          error: `OwnerID is ${JSON.stringify(changes?.OwnerID)}, and there is no such user here. Leave the column out with --ignore OwnerID.`,
        })
      return isKnown
    })
    const results = await carryOut(rows.map(({ input, key }) => ({ Operation: create.id, Input: input, Key: key })))
    let [created, known] = [0, 0]
    const more: { readonly row: PlannedRow; readonly items: readonly Item[] }[] = []
    for (const [i, row] of rows.entries()) {
      const { Error: problem, Result: record, Replayed } = results[i] as Result
      if (problem) rejected.push({ row: row.row, error: rowError(problem) })
      else {
        if (Replayed) known++
        else created++
        if (!dryRun && record && (row.changes || row.attached)) more.push({ row, items: afterwards(row, record) })
      }
    }
    const followed = await carryOut(more.flatMap(({ items }) => items))
    let at = 0
    for (const { row, items } of more) {
      const problems = followed.slice(at, at + items.length).flatMap(({ Error: problem }) => (problem ? [problem] : []))
      at += items.length
      if (problems.length > 0) rejected.push({ row: row.row, error: `The record was made, but not all of it was set: ${problems.map(rowError).join(' ')}` })
    }
    return { created, known, rejected }
  }
}

/** What is wrong with a row; whatever is not about the row at all is thrown. */
function rowError(problem: Problem): string {
  if (problem.code === 'unauthenticated' || problem.code === 'forbidden') throw errorOf(problem)
  const faults = (problem.errors ?? []).map(({ message }) => message)
  return faults.length > 0 ? faults.join(' ') : problem.detail
}
