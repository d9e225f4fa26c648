import type { Crm } from 'crm-connector'

/** By record and Revision, the Revision that a write of this page has made of it. */
const made = new Map<string, number>()
const keyOf = (id: unknown, revision: number) => `${id} ${revision}`

/** Notes that a write of this page, or its undo, took a record from one Revision to another. */
export function noteOwnWrite(id: unknown, from: unknown, to: unknown): void {
  // Revisions that only grow lead to an end.
  if (typeof from === 'number' && typeof to === 'number' && to > from) made.set(keyOf(id, from), to)
}

/** The Revision that the record has now if nothing but this page has changed it since it had that one. */
function afterOwnWrites(id: unknown, revision: number): number {
  const next = made.get(keyOf(id, revision))
  return next === undefined ? revision : afterOwnWrites(id, next)
}

/** The record as it is to be written now, if nothing but this page has changed it. */
export function revisedAfterOwnWrites<T extends { readonly Revision?: unknown }>(id: string, row: T): T {
  return typeof row.Revision === 'number' ? { ...row, Revision: afterOwnWrites(id, row.Revision) } : row
}

/** The ids in one filter. */
const MOST = 100

/** Notes what the undo of a batch made of these records. Where they cannot be read nothing is noted, so that a later write is refused rather than sent too far. */
export async function noteUndoneBatch(crm: Crm, undoId: string, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += MOST) {
    const Filters = { BatchID: undoId, RecordID: { in: ids.slice(from, from + MOST) } }
    const found = await crm.changes.getMany({ Filters, Select: ['RecordID', 'Before', 'After'], Limit: 1000 }).catch(() => undefined)
    for (const { RecordID, Before, After } of found?.Records ?? []) noteOwnWrite(RecordID, Before?.Revision, After?.Revision)
  }
}
