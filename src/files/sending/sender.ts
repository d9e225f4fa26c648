import type { Crm } from '../../contract/client/client.ts'
import { CrmError, errorOf, type Problem } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { quote } from '../../contract/operations.ts'
import { createBatches, type Item, type ItemResult } from './batches.ts'
import type { Making, PlannedRow } from '../planning/planned-row.ts'
import type { RejectedRow } from './reject-text.ts'
import type { Digest } from '../planning/row-keys.ts'

/** What became of rows. */
export interface Sent {
  readonly created: number
  /** Rows that an earlier run has imported. */
  readonly known: number
  readonly rejected: readonly RejectedRow[]
}

type Row = { readonly [member: string]: unknown }

export interface HowToSend {
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly digest: Digest
  /** What to do about an owner that is not here. */
  readonly withoutOwner: string
}

/** Makes the records of rows, and then what only a record that is there can be given. */
export function createSender(crm: Crm, { type, create, update, attach }: Making, { dryRun, signal, digest, withoutOwner }: HowToSend) {
  const carryOut = createBatches(crm, dryRun, signal)
  const hasOwner = ownersIn(crm)

  /** What a row wants beside its record, in calls of their own. */
  function afterwards({ key, changes = {}, attached }: PlannedRow, record: Row): Item[] {
    const id = { [type.id]: record[type.id] }
    const different = Object.entries(changes).filter(([name, value]) => record[name] !== value)
    const wanted: (readonly [string, Row])[] = [
      ...(update && different.length > 0 ? [[update.id, { ...id, FieldsToUpdate: Object.fromEntries(different) }] as const] : []),
      ...(attach && attached ? [[attach.id, { ...id, ...attached }] as const] : []),
    ]
    return wanted.map(([Operation, Input]) => ({ Operation, Input, Key: `${key}-${digest(JSON.stringify(Input)).slice(0, 16)}` }))
  }

  return async (planned: readonly PlannedRow[]): Promise<Sent> => {
    const owned = await hasOwner(planned)
    const rows = planned.filter((_, i) => owned[i])
    const rejected: RejectedRow[] = planned.flatMap(({ row, changes }, i) => (owned[i] ? [] : [{ row, error: `${noOwner(changes?.OwnerID)} ${withoutOwner}` }]))
    const results = await carryOut(rows.map(({ input, key }) => ({ Operation: create.id, Input: input, Key: key })))
    let [created, known] = [0, 0]
    const more: { readonly row: PlannedRow; readonly items: readonly Item[] }[] = []
    for (const [i, row] of rows.entries()) {
      const { Error: problem, Result: record, Replayed } = results[i] as ItemResult
      if (problem) {
        rejected.push({ row: row.row, error: rowError(problem) })
        continue
      }
      if (Replayed) known++
      else created++
      if (!dryRun && record && (row.changes || row.attached)) more.push({ row, items: afterwards(row, record) })
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

/** Tells of rows whether there is whom they are to belong to, so that a row is refused before its record is made. */
function ownersIn(crm: Crm): (rows: readonly PlannedRow[]) => Promise<boolean[]> {
  const owners = new Map<unknown, boolean>()
  return async (rows) => {
    const asked = new Set<string>()
    for (const { changes } of rows) if (typeof changes?.OwnerID === 'string' && !owners.has(changes.OwnerID)) asked.add(changes.OwnerID)
    if (asked.size > 0) {
      const page = await usersAmong(crm, [...asked])
      for (const id of asked) owners.set(id, page === undefined)
      for (const { UserID } of page?.Records ?? []) owners.set(UserID, true)
    }
    return rows.map(({ changes }) => owners.get(changes?.OwnerID) ?? true)
  }
}

/** Undefined where the caller may not know. */
async function usersAmong(crm: Crm, ids: readonly string[]) {
  try {
    return await crm.users.getMany({ Filters: { UserID: { in: ids } }, Select: ['UserID'], Limit: LIMITS.page })
  } catch (error) {
    if (error instanceof CrmError && error.code === 'forbidden') return undefined
    throw error
  }
}

const noOwner = (id: unknown) => `OwnerID is ${quote(String(id))}, and there is no such user here.`

/** What is wrong with a row; what is about the caller, and so about all of them, is thrown. */
function rowError(problem: Problem): string {
  if (problem.code === 'unauthenticated' || problem.code === 'forbidden') throw errorOf(problem)
  const faults = (problem.errors ?? []).map(({ message }) => message)
  return faults.length > 0 ? faults.join(' ') : problem.detail
}
