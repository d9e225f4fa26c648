import { associate } from '../associations/links.ts'
import { bodyOf, type Handler, ok, textIn, typeOf } from '../call.ts'
import { invalid, notFound } from '../errors.ts'
import { handOver } from '../lists/memberships.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { everything, shown } from './presentation.ts'
import type { StoredRecord, Values } from './records.ts'
import { byUser } from './writes.ts'

/**
 * Merges two records: the values of the first win. By HubSpot's documentation the result is a new record with an id of its own, and the ids of both
 * lead to it. Here this takes the fault `new-id`, without which the first record keeps its id, as contacts and companies did before 2025.
 */
export const mergeTwo: Handler = (call) => {
  const { portal, request } = call
  const type = typeOf(call)
  const body = bodyOf(call, ['primaryObjectId', 'objectIdToMerge'])
  const [primary, other] = ['primaryObjectId', 'objectIdToMerge'].map((name) => type.records.live(textIn(body, name) ?? ''))
  if (!primary || !other) throw notFound()
  if (primary === other) throw invalid('A record cannot be merged with itself.')
  const result = portal.world.faults.happens('new-id', request) ? mergedAnew(portal, type, primary, other) : mergedInto(portal, type, primary, other)
  portal.calculateLater(type, result)
  return ok(shown(portal, type, result, everything(portal, type, result)))
}

function mergedInto(portal: Portal, type: ObjectType, primary: StoredRecord, other: StoredRecord): StoredRecord {
  const moment = portal.moment()
  type.records.mergeInto(primary.id, other, moment)
  type.records.write(primary, byUser(portal, valuesOf(primary, [primary, other])), moment)
  moveLinks(portal, type, other, primary)
  return primary
}

function mergedAnew(portal: Portal, type: ObjectType, primary: StoredRecord, other: StoredRecord): StoredRecord {
  const moment = portal.moment()
  const id = portal.nextId()
  for (const one of [primary, other]) type.records.mergeInto(id, one, moment)
  const createdAt = Math.min(primary.createdAt, other.createdAt)
  const result = type.records.add(id, byUser(portal, valuesOf(undefined, [primary, other])), moment, createdAt)
  // The first one last, since the latest primary company stays.
  for (const one of [other, primary]) moveLinks(portal, type, one, result)
  return result
}

/** The values of all, those of the first before others, with the ids of all that were ever merged into the one that is kept. */
function valuesOf(kept: StoredRecord | undefined, all: readonly StoredRecord[]): Values {
  const ids = all.flatMap((one) => [...(one.values.hs_merged_object_ids?.split(';') ?? []), ...(one === kept ? [] : [one.id])])
  const values = all.map((one) => one.values).reverse()
  return Object.assign(Object.create(null), ...values, { hs_merged_object_ids: ids.join(';') })
}

function moveLinks(portal: Portal, type: ObjectType, from: StoredRecord, to: StoredRecord): void {
  for (const other of portal.allTypes()) {
    for (const [id, ways] of portal.associations.of(type.id, from.id, other.id)) for (const way of ways) associate(portal, way, to.id, id)
  }
  for (const list of portal.lists.values()) if (list.objectTypeId === type.id) handOver(list, from.id, to.id)
}
