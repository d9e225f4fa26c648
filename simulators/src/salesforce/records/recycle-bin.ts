import { DAY_MS } from '../../dates.ts'
import { noReference, Refusal, wrongField } from '../errors.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import { checkUnique, clearedName, countMembers, PAIRED, showPrimary } from './records.ts'
import type { Row } from './table.ts'
import { writeTime } from './times.ts'

/** How long a deleted record can be restored and is in the log of deletions. */
export const KEPT_MS = 15 * DAY_MS
/** How long `queryAll` still finds a record that was removed from the recycle bin. */
const EMPTIED_MS = DAY_MS

/** Whether a record was deleted so long ago that not even `queryAll` finds it. */
export function goneTest({ world }: Org): (row: Row) => boolean {
  const now = Number(world.now())
  const oldest = writeTime(now - KEPT_MS)
  return ({ IsDeleted, SystemModstamp, emptiedAt }) =>
    IsDeleted === true && (String(SystemModstamp) < oldest || (emptiedAt !== undefined && now - emptiedAt > EMPTIED_MS))
}

/** The object and the row of a deleted record. What was deleted with its parent is not in the recycle bin by itself. */
function inBin(org: Org, id: string): { readonly object: SObject; readonly row: Row } {
  const object = org.schema.objectOf(id)
  const row = object && org.table(object).rows.get(id)
  if (!object || !row) throw noReference()
  if (!object.deletable) throw wrongField('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'Entity type is not undeletable')
  if (!row.IsDeleted || row.deletedWith !== id || row.emptiedAt !== undefined || goneTest(org)(row)) {
    throw new Refusal(400, 'UNDELETE_FAILED', 'Entity is not in the recycle bin')
  }
  return { object, row }
}

/** Restores a record with all that was deleted with it, and the references to it that have not changed since. */
export function undelete(org: Org, userId: string, id: string): void {
  const { object, row } = inBin(org, id)
  restore(org, userId, object, row)
}

/** Which stamps a restored record has is not documented. Here it has new ones, as after any change by a person. */
function restore(org: Org, userId: string, object: SObject, deleted: Row): void {
  const { deletedWith, MasterRecordId: _, ...rest } = deleted
  const row: Row = { ...rest, ...lostReferences(org, object, deleted), IsDeleted: false, ...org.stamps(userId) }
  for (const field of object.fields.values()) {
    const value = row[field.name]
    if (field.unique && typeof value === 'string') checkUnique(org, object, field, value, row.Id)
  }
  org.table(object).put(row)
  for (const { object: child, field } of org.schema.children(object)) {
    const table = org.table(child)
    for (const dependent of table.find(field.name, row.Id)) {
      if (field.cascade && dependent.IsDeleted && dependent.deletedWith === deletedWith && dependent.emptiedAt === undefined)
        restore(org, userId, child, dependent)
    }
    if (field.cascade || !field.nillable) continue
    for (const { [clearedName(field)]: _cleared, ...dependent } of table.find(clearedName(field), row.Id)) {
      if (dependent[field.name] === undefined && !dependent.IsDeleted) table.put({ ...(dependent as Row), [field.name]: row.Id, SystemModstamp: org.now() })
    }
  }
  if (object.name === 'CampaignMember') countMembers(org, row, 1, Number(row.HasResponded ?? false))
  if (object.name === 'OpportunityContactRole') showPrimary(org, row)
  const twin = PAIRED[object.name]
  const other = twin === undefined ? undefined : org.table(org.objectAt(twin)).rows.get(row.Id)
  if (twin !== undefined && other?.IsDeleted && other.deletedWith === deletedWith) restore(org, userId, org.objectAt(twin), other)
}

/** References whose targets were deleted in the meantime are empty after a restore. */
function lostReferences(org: Org, object: SObject, row: Row): { readonly [field: string]: undefined } {
  const lost = [...object.fields.values()].filter(({ name, type, nillable, cascade }) => {
    const id = row[name]
    return type === 'reference' && nillable && !cascade && typeof id === 'string' && org.row(id)?.IsDeleted
  })
  return Object.fromEntries(lost.map(({ name }) => [name, undefined]))
}

/** Removes a record, and what was deleted with it, from the recycle bin: it cannot be restored any more. */
export function removeFromBin(org: Org, id: string): void {
  const { row } = inBin(org, id)
  const emptiedAt = Number(org.world.now())
  for (const table of org.allTables()) for (const one of table.find('deletedWith', row.Id)) if (one.IsDeleted) table.put({ ...one, emptiedAt })
}

/** Removes what was deleted until a time for good, as Salesforce does where there are too many: neither `queryAll` nor the log of deletions has it. */
export function purgeDeleted(org: Org, until: number): number {
  const last = writeTime(until)
  let count = 0
  for (const table of org.allTables()) {
    for (const row of [...table.rows.values()]) {
      if (!row.IsDeleted || String(row.SystemModstamp) > last) continue
      table.purge(row)
      count++
    }
  }
  org.purgedUntil = Math.max(org.purgedUntil, until)
  return count
}
