import { afterIn, bodyOf, type Call, created, flagIn, type Handler, limitIn, namesIn, nothing, ok, paged, pagingAfter, textIn, typeOf } from '../call.ts'
import { invalid, notFound, objectNotFound, Refusal } from '../errors.ts'
import type { ObjectType } from '../portal.ts'
import { chosen, everything, shown } from './presentation.ts'
import type { StoredRecord } from './records.ts'
import { prepareCreate, prepareUpdate } from './writes.ts'

/** A record by id, or by a property with unique values. */
export function lookUp(type: ObjectType, id: string, idProperty: string | null | undefined, archived = false): StoredRecord | undefined {
  if (idProperty && idProperty !== 'hs_object_id') {
    if (!type.fields.get(idProperty)?.hasUniqueValue) {
      throw invalid(`Property '${idProperty}' is not a unique identifier property of object type ${type.id}`)
    }
    return type.records.holder(idProperty, id)
  }
  // The id of a merged record leads to the one that it became, except among the archived ones.
  const found = type.records.get(archived ? id : type.records.currentId(id))
  return found && (found.archivedAt !== undefined) === archived ? found : undefined
}

function recordOf(call: Call, type: ObjectType, archived = false): StoredRecord {
  const id = call.param('id')
  const idProperty = call.request.query.get('idProperty')
  const found = lookUp(type, id, idProperty, archived)
  if (found) return found
  if (!idProperty && !/^\d+$/.test(id)) throw objectNotFound('Object not found.  objectId are usually numeric.', { context: { id: [id] } })
  throw notFound()
}

export const createOne: Handler = (call) => {
  const { portal, request } = call
  const type = typeOf(call)
  const { sent, commit } = prepareCreate(portal, type, bodyOf(call))
  const record = commit()
  const location = `${request.origin}${request.path.replace(/\/$/, '')}/${record.id}`
  return { ...created(shown(portal, type, record, everything(portal, type, record, sent))), headers: { location } }
}

export const getOne: Handler = (call) => {
  const type = typeOf(call)
  const record = recordOf(call, type, flagIn(call, 'archived'))
  return ok({ ...shown(call.portal, type, record, chosen(call.portal, type, namesIn(call, 'properties'))), ...associationsOf(call, type, record) })
}

export const updateOne: Handler = (call) => {
  const { portal } = call
  const type = typeOf(call)
  const body = bodyOf(call)
  const { sent, commit } = prepareUpdate(portal, type, recordOf(call, type), body)
  const record = commit()
  return ok(shown(portal, type, record, everything(portal, type, record, sent)))
}

/** Succeeds also if there is no such record, as HubSpot does. */
export const archiveOne: Handler = (call) => {
  const { portal } = call
  const type = typeOf(call)
  const record = lookUp(type, call.param('id'), call.request.query.get('idProperty'))
  if (record) type.records.archive(record, portal.moment())
  return nothing
}

export const listAll: Handler = (call) => {
  const type = typeOf(call)
  const limit = limitIn(call, 10, 100)
  const names = chosen(call.portal, type, namesIn(call, 'properties'))
  const archived = flagIn(call, 'archived')
  const { page, more } = paged(only(type.records.shown(call.portal.now(), afterIn(call)), archived), limit)
  const results = page.map((record) => ({ ...shown(call.portal, type, record, names), ...associationsOf(call, type, record) }))
  return ok({ results, ...(more && pagingAfter(call, (page.at(-1) as StoredRecord).id)) })
}

function* only(records: Iterable<StoredRecord>, archived: boolean): Generator<StoredRecord> {
  for (const record of records) if ((record.archivedAt !== undefined) === archived) yield record
}

const ASSOCIATIONS_SHOWN = 500

/** The requested associations of a record, by the plural of the target type; empty ones are left out. */
function associationsOf(call: Call, type: ObjectType, record: StoredRecord): object {
  const { portal } = call
  const types = namesIn(call, 'associations').map((name) => portal.type(name))
  if (types.length === 0) return {}
  const associations = types.flatMap((to) => {
    const all = [...portal.associations.of(type.id, record.id, to.id)].flatMap(([id, ways]) =>
      to.records.live(id) ? [...ways].map(({ name }) => ({ id, type: name })) : [],
    )
    return all.length === 0 ? [] : [[to.plural, { results: all.slice(0, ASSOCIATIONS_SHOWN) }] as const]
  })
  return associations.length === 0 ? {} : { associations: Object.fromEntries(associations) }
}

/** Erases a contact for good. HubSpot supports this for contacts only. */
export const gdprDelete: Handler = (call) => {
  const type = typeOf(call)
  if (type.id !== '0-1') throw new Refusal(404, `GDPR delete is not supported for object type ${type.id}`)
  const body = bodyOf(call, ['objectId'])
  const id = textIn(body, 'objectId') as string
  const idProperty = textIn(body, 'idProperty')
  const record = idProperty ? lookUp(type, id, idProperty) : type.records.get(id)
  if (!record) throw notFound()
  type.records.purge(record)
  return nothing
}
