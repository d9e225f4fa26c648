import type { Crm } from '../../contract/client/client.ts'
import { errorOf, type Problem } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { quote } from '../../contract/operations.ts'
import type { ImportTarget } from '../mapping/import-target.ts'
import type { PlannedRow, RejectedRow } from '../planning/planned-row.ts'
import type { Digest } from '../planning/row-keys.ts'
import { unlessForbidden } from '../unless-forbidden.ts'
import { createBatches, type Item, type ItemResult } from './batches.ts'

/** The result of some rows. */
export interface Sent {
  readonly created: number
  /** Rows that matched a record, which was updated. */
  readonly updated: number
  /** Rows that an earlier import has created. */
  readonly known: number
  readonly rejected: readonly RejectedRow[]
}

type Row = { readonly [member: string]: unknown }

export interface HowToSend {
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly digest: Digest
  /** What to do about an owner who is no user here. */
  readonly absentOwnerHint: string
}

/** Creates the records of rows, then sets and attaches what only an existing record can be given. */
export function createSender(
  crm: Crm,
  { type, create, update, attach }: Pick<ImportTarget, 'type' | 'create' | 'update' | 'attach'>,
  { dryRun, signal, digest, absentOwnerHint }: HowToSend,
) {
  const runBatches = createBatches(crm, dryRun, signal)
  const haveOwners = ownerCheck(crm)

  /** The update and the attachment of a row, where it has them. */
  function followUps({ key, changes = {}, attached }: PlannedRow, record: Row): Item[] {
    const id = { [type.id]: record[type.id] }
    const different = Object.entries(changes).filter(([name, value]) => record[name] !== value)
    const calls: (readonly [string, Row])[] = [
      ...(update && different.length > 0 ? [[update.id, { ...id, FieldsToUpdate: Object.fromEntries(different) }] as const] : []),
      ...(attach && attached ? [[attach.id, { ...id, ...attached }] as const] : []),
    ]
    return calls.map(([Operation, Input]) => ({ Operation, Input, Key: `${key}-${digest(JSON.stringify(Input)).slice(0, 16)}` }))
  }

  return async (planned: readonly PlannedRow[]): Promise<Sent> => {
    const owned = await haveOwners(planned)
    const rows = planned.filter((_, i) => owned[i])
    const rejected: RejectedRow[] = planned.flatMap((one, i) => (owned[i] ? [] : [{ row: one.row, error: `${noOwner(ownerOf(one))} ${absentOwnerHint}` }]))
    const results = await runBatches(rows.map(({ input, key }) => ({ Operation: create.id, Input: input, Key: key })))
    let [created, updated, known] = [0, 0, 0]
    const more: { readonly row: PlannedRow; readonly items: readonly Item[] }[] = []
    for (const [i, row] of rows.entries()) {
      const { Error: problem, Result: record, Replayed } = results[i] as ItemResult
      if (problem) {
        rejected.push({ row: row.row, error: rowError(problem) })
        continue
      }
      if (Replayed) known++
      else if (wasThere(record)) updated++
      else created++
      if (!dryRun && record && (row.changes || row.attached)) more.push({ row, items: followUps(row, record) })
    }

    const followUpResults = await runBatches(more.flatMap(({ items }) => items))
    let at = 0
    for (const { row, items } of more) {
      const problems = followUpResults.slice(at, at + items.length).flatMap(({ Error: problem }) => (problem ? [problem] : []))
      at += items.length
      if (problems.length > 0) rejected.push({ row: row.row, error: `The record was made, but not all of it was set: ${problems.map(rowError).join(' ')}` })
    }
    return { created, updated, known, rejected }
  }
}

/** Whether an upsert has updated a record, or would. */
const wasThere = (answer: Row | undefined) => ((answer?.WouldWrite ?? answer) as Row | undefined)?.Created === false

/** Looks up which rows have an owner who is a user here, so that a row is rejected before its record is created. */
function ownerCheck(crm: Crm): (rows: readonly PlannedRow[]) => Promise<boolean[]> {
  const owners = new Map<unknown, boolean>()
  return async (rows) => {
    const ids = new Set<string>()
    for (const owner of rows.map(ownerOf)) if (typeof owner === 'string' && !owners.has(owner)) ids.add(owner)
    if (ids.size > 0) {
      const page = await unlessForbidden(crm.users.getMany({ Filters: { UserID: { in: [...ids] } }, Select: ['UserID'], Limit: LIMITS.page }))
      for (const id of ids) owners.set(id, page === undefined)
      for (const { UserID } of page?.Records ?? []) owners.set(UserID, true)
    }
    return rows.map((row) => owners.get(ownerOf(row)) ?? true)
  }
}

const ownerOf = ({ input, changes }: PlannedRow): unknown => changes?.OwnerID ?? input.OwnerID

const noOwner = (id: unknown) => `OwnerID is ${quote(String(id))}, and there is no such user here.`

/** The error of a row. One that is about the caller, and so about all rows, is thrown. */
function rowError(problem: Problem): string {
  if (problem.code === 'unauthenticated' || problem.code === 'forbidden') throw errorOf(problem)
  return problemText(problem)
}

export const problemText = ({ errors = [], detail }: Problem) => (errors.length > 0 ? errors.map(({ message }) => message).join(' ') : detail)
