import type { Crm } from '../../contract/client/client.ts'
import { errorOf, type Problem } from '../../contract/errors.ts'
import type { ImportTarget } from '../mapping/import-target.ts'
import { ownerLookup } from '../mapping/owners.ts'
import { type PlannedRow, type RejectedRow, type RowFault, rejectedRow } from '../planning/planned-row.ts'
import type { Digest } from '../planning/row-keys.ts'
import { createBatches, type Item, type ItemResult } from './batches.ts'

/** The result of some rows. */
export interface Sent {
  readonly created: number
  /** Rows that matched a record, which was updated. */
  readonly updated: number
  /** Rows that an earlier import has created. */
  readonly known: number
  readonly rejected: readonly RejectedRow[]
  /** The rows that have created a record, or would. */
  readonly creating: readonly PlannedRow[]
}

type Row = { readonly [member: string]: unknown }

export interface HowToSend {
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly digest: Digest
  /** What to do about an owner who is no user here. */
  readonly absentOwnerHint: string
  /** The batch that the changes are, by which they are undone as one. */
  readonly batchId?: string | undefined
}

/** Creates the records of rows, then sets and attaches what only an existing record can be given. */
export function createSender(
  crm: Crm,
  { type, create, update, attach }: Pick<ImportTarget, 'type' | 'create' | 'update' | 'attach'>,
  { dryRun, signal, digest, absentOwnerHint, batchId }: HowToSend,
) {
  const runBatches = createBatches(crm, dryRun, signal, batchId)
  const findOwners = ownerLookup(crm)

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
    const { rows, rejected } = await withOwners(findOwners, planned, absentOwnerHint)
    const results = await runBatches(rows.map(({ input, key }) => ({ Operation: create.id, Input: input, Key: key })))
    let [updated, known] = [0, 0]
    const creating: PlannedRow[] = []
    const more: { readonly row: PlannedRow; readonly items: readonly Item[] }[] = []
    for (const [i, row] of rows.entries()) {
      const { Error: problem, Result: record, Replayed } = results[i] as ItemResult
      if (problem) {
        rejected.push(rejectedRow(row.row, rowFaults(problem)))
        continue
      }
      if (Replayed) known++
      else if (wasThere(record)) updated++
      else creating.push(row)
      if (!dryRun && record && (row.changes || row.attached)) more.push({ row, items: followUps(row, record) })
    }

    const followUpResults = await runBatches(more.flatMap(({ items }) => items))
    let at = 0
    for (const { row, items } of more) {
      const problems = followUpResults.slice(at, at + items.length).flatMap(({ Error: problem }) => (problem ? [problem] : []))
      at += items.length
      if (problems.length > 0)
        rejected.push(rejectedRow(row.row, [{ message: 'The record was made, but not all of it was set:' }, ...problems.flatMap(rowFaults)]))
    }
    return { created: creating.length, updated, known, rejected, creating }
  }
}

/** Whether an upsert has updated a record, or would. */
const wasThere = (answer: Row | undefined) => ((answer?.WouldWrite ?? answer) as Row | undefined)?.Created === false

/** Looks up the owners that rows name, so that a row without one is rejected before its record is created. */
export async function withOwners(
  find: ReturnType<typeof ownerLookup>,
  planned: readonly PlannedRow[],
  absentOwnerHint = '',
): Promise<{ readonly rows: PlannedRow[]; readonly rejected: RejectedRow[] }> {
  const owners = await find(planned.flatMap((row) => ownerOf(row) ?? []))
  const [rows, rejected]: [PlannedRow[], RejectedRow[]] = [[], []]
  for (const one of planned) {
    const owner = owners.get(ownerOf(one) ?? '')
    if (owner && 'error' in owner)
      rejected.push(
        rejectedRow(one.row, [{ field: 'OwnerID', message: owner.candidates > 0 || owner.isNear ? owner.error : `${owner.error} ${absentOwnerHint}`.trim() }]),
      )
    else rows.push(owner ? ownedBy(one, owner.id) : one)
  }
  return { rows, rejected }
}

function ownerOf({ input, changes }: PlannedRow): string | undefined {
  const owner = changes?.OwnerID ?? input.OwnerID
  return typeof owner === 'string' ? owner : undefined
}

/** The owner is set by the update after the create, or by the upsert itself. */
const ownedBy = ({ input, changes, ...row }: PlannedRow, OwnerID: string): PlannedRow =>
  changes?.OwnerID === undefined ? { ...row, changes, input: { ...input, OwnerID } } : { ...row, input, changes: { ...changes, OwnerID } }

/** What is wrong with a row. What is about the caller, and so about all rows, is thrown. */
function rowFaults(problem: Problem): readonly RowFault[] {
  if (problem.code === 'unauthenticated' || problem.code === 'forbidden') throw errorOf(problem)
  return problemFaults(problem)
}

export const problemFaults = ({ errors = [], detail }: Problem): readonly RowFault[] => (errors.length > 0 ? errors : [{ message: detail }])
