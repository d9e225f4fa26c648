import { noReference, Refusal, wrongField } from '../errors.ts'
import { listed, type Metadata } from '../objects/definitions.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import { readId } from '../records/ids.ts'
import { existing, removeRow, type Session, update } from '../records/records.ts'
import type { Row } from '../records/table.ts'
import { eachResult } from './results.ts'

const MERGED = ['Lead', 'Contact', 'Account']
const MOST_MERGED = 2

/** Merges records into others, each request by itself. */
export function mergeAll(org: Org, userId: string, given: unknown): object[] {
  const requests = listed(given) as Metadata[]
  if (requests.length === 0) throw new Refusal(400, 'MISSING_ARGUMENT', 'merge: no request to merge records was given.')
  return eachResult(
    org,
    requests,
    (request) => merge(org, { userId, version: '' }, request),
    ({ masterRecord }) => ({ id: (masterRecord as Metadata | null)?.Id }),
  )
}

/** The others are deleted and refer to the master, to which their children move. */
function merge(org: Org, session: Session, { masterRecord, recordToMergeIds }: Metadata): object {
  const { type, Id, fieldsToNull, ...fields } = masterRecord as Metadata
  const object = org.objectAt(String(type))
  if (!MERGED.includes(object.name)) throw wrongField('INVALID_TYPE_FOR_OPERATION', `entity type cannot be merged: ${object.name}`)
  const master = existing(org, object, String(Id))
  const ids = [...new Set(listed(recordToMergeIds).map((id) => readId(String(id)) ?? ''))]
  if (ids.length === 0 || ids.length > MOST_MERGED) throw new Refusal(400, 'INVALID_FIELD', `One or ${MOST_MERGED} records can be merged into another.`)
  if (ids.includes(master.Id)) throw noReference()
  const others = ids.map((id) => existing(org, object, id))
  if ([master, ...others].some(({ IsConverted }) => IsConverted)) throw wrongField('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead')
  const updatedRelatedIds = others.flatMap((other) => {
    const moved = moveChildren(org, session, object, other, master)
    removeRow(org, session.userId, object, other)
    const table = org.table(object)
    table.put({ ...(table.rows.get(other.Id) as Row), MasterRecordId: master.Id })
    return moved
  })
  update(org, session, object, master.Id, { ...fields, ...Object.fromEntries(listed(fieldsToNull).map((name) => [String(name), null])) })
  return { id: master.Id, mergedRecordIds: ids, updatedRelatedIds: [...new Set(updatedRelatedIds)] }
}

/** Returns the ids of what was moved. A move is no change by a person: only `SystemModstamp` tells of it. */
function moveChildren(org: Org, { userId }: Session, object: SObject, from: Row, to: Row): string[] {
  return org.schema.children(object).flatMap(({ object: child, field }) => {
    const table = org.table(child)
    return table.find(field.name, from.Id).flatMap((row) => {
      if (row.IsDeleted || row.Id === from.Id) return []
      if (child.name === 'CampaignMember' && isMember(org, row, field.name, to)) {
        removeRow(org, userId, child, row)
        return []
      }
      const target = row.Id === to.Id ? undefined : to.Id
      table.put({ ...row, [field.name]: target, ...(child.name === 'CampaignMember' && { LeadOrContactId: to.Id }), SystemModstamp: org.now() })
      return [row.Id]
    })
  })
}

const isMember = (org: Org, { CampaignId }: Row, field: string, person: Row) =>
  org
    .table(org.objectAt('CampaignMember'))
    .find(field, person.Id)
    .some((one) => one.CampaignId === CampaignId && !one.IsDeleted)
