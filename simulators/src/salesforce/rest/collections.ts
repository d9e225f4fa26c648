import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { asResult, notAllowed, Refusal, unparsable } from '../errors.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import { readId } from '../records/ids.ts'
import { create, existing, type Given, remove, type Session, update, upsert } from '../records/records.ts'
import { shown } from '../records/shapes.ts'
import { bodyOf, listOf, member, objectOf } from './bodies.ts'
import { selected } from './selection.ts'

const MOST_WRITTEN = 200
const MOST_READ = 2000

type Result = { readonly success: boolean; readonly [name: string]: unknown }

const ROLLED_BACK = 'Record rolled back because not all records were valid and the request was using AllOrNone header'

/** Writes records one by one, or all or none. A refused record has its errors in its place of the results. */
function each<T>(org: Org, all: readonly T[], allOrNone: boolean, write: (one: T) => Result): WireAnswer {
  if (all.length > MOST_WRITTEN) {
    throw new Refusal(400, 'EXCEEDED_ID_LIMIT', `record limit reached. cannot submit more than ${MOST_WRITTEN} records into this call`)
  }
  const rollback = org.savepoint()
  const results = all.map((one): Result => {
    try {
      return org.atomically(() => write(one))
    } catch (error) {
      if (error instanceof Refusal) return asResult(error)
      throw error
    }
  })
  if (!allOrNone || results.every(({ success }) => success)) return { status: 200, body: results }
  rollback()
  const rolledBack = asResult(new Refusal(400, 'ALL_OR_NONE_OPERATION_ROLLED_BACK', ROLLED_BACK))
  return { status: 200, body: results.map((result) => (result.success ? rolledBack : result)) }
}

/** A record of a list with its object, named by `attributes.type`. `attributes` must be the first member, except for the id or external id. */
function typed(org: Org, record: unknown, key?: string): { readonly object: SObject; readonly given: Given } {
  const given = objectOf(record)
  const [first] = Object.keys(given).filter((name) => name.toLowerCase() !== key?.toLowerCase())
  if (first !== 'attributes') {
    throw unparsable('Nested object for polymorphic foreign key must have an attributes field before any other fields.')
  }
  const type: unknown = (given.attributes as { readonly type?: unknown } | null)?.type
  if (typeof type !== 'string') throw new Refusal(400, 'INVALID_INPUT', 'Include a type in the attributes of each record.')
  const object = org.schema.seen(type)
  if (!object || object.virtual) throw new Refusal(400, 'INVALID_TYPE', `sObject type '${type}' is not supported.`)
  return { object, given }
}

const done = (id: string, more = {}): Result => ({ id, success: true, errors: [], ...more })

function without(given: Given, name: string): Given {
  return Object.fromEntries(Object.entries(given).filter(([key]) => key.toLowerCase() !== name.toLowerCase()))
}

/** `/composite/sobjects`, and what is below it. */
export function answerCollections(org: Org, session: Session, request: WireRequest, [type, key]: readonly string[]): WireAnswer {
  const { method, query } = request
  if (type !== undefined && key === undefined && (method === 'GET' || method === 'POST')) return retrieve(org, session, request, org.objectAt(type))
  if (method === 'DELETE' && type === undefined) {
    const ids = (query.get('ids') ?? '').split(',').filter((id) => id !== '')
    if (ids.length === 0) throw new Refusal(400, 'MALFORMED_ID', 'The ids parameter is required')
    return each(org, ids, query.get('allOrNone') === 'true', (id) => {
      const object = org.schema.objectOf(readId(id.trim()) ?? '')
      if (!object) throw new Refusal(400, 'MALFORMED_ID', `malformed id ${id}`)
      remove(org, session, object, found(org, object, id.trim()))
      return done(readId(id.trim()) ?? id)
    })
  }
  if (method !== 'POST' && method !== 'PATCH') throw notAllowed(method, 'DELETE,GET,PATCH,POST')
  const body = bodyOf(request)
  const records = listOf(body.records, 'records')
  const allOrNone = body.allOrNone === true
  if (method === 'POST') {
    return each(org, records, allOrNone, (record) => {
      const { object, given } = typed(org, record)
      return done(create(org, session, object, given))
    })
  }
  if (type === undefined) {
    return each(org, records, allOrNone, (record) => {
      const { object, given } = typed(org, record, 'id')
      const id = member(given, 'id')
      if (typeof id !== 'string') throw new Refusal(400, 'MISSING_ARGUMENT', 'Id not specified in an update call')
      const at = found(org, object, id)
      update(org, session, object, at, without(given, 'id'))
      return done(at)
    })
  }
  return each(org, records, allOrNone, (record) => {
    const { object, given } = typed(org, record, key ?? 'Id')
    const value = member(given, key ?? 'Id')
    if (object !== org.objectAt(type)) throw new Refusal(400, 'INVALID_TYPE', `Record type must match the one of the request: ${type}`)
    if (value === null || value === undefined) {
      if ((key ?? 'Id').toLowerCase() !== 'id') throw new Refusal(400, 'MISSING_ARGUMENT', `${key} not specified`)
      return done(create(org, session, object, without(given, 'id')), { created: true })
    }
    const { id, created } = upsert(org, session, object, key ?? 'Id', String(value), without(given, key ?? 'Id'))
    return done(id, { created })
  })
}

/** The id of an existing record. In a collection, a missing one is an invalid cross reference rather than a 404. */
function found(org: Org, object: SObject, id: string): string {
  if (readId(id) === undefined) throw new Refusal(400, 'MALFORMED_ID', `malformed id ${id}`, ['Id'])
  const row = org.table(object).rows.get(readId(id) ?? '')
  if (!row) throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', [])
  return existing(org, object, id).Id
}

/** Many records by id; null for those that do not exist. */
function retrieve(org: Org, session: Session, request: WireRequest, object: SObject): WireAnswer {
  const requested: Given =
    request.method === 'GET' ? { ids: (request.query.get('ids') ?? '').split(','), fields: (request.query.get('fields') ?? '').split(',') } : bodyOf(request)
  const ids = listOf(requested.ids, 'ids').map(String)
  const fields = listOf(requested.fields, 'fields').map(String)
  if (ids.length > MOST_READ) {
    throw new Refusal(400, 'EXCEEDED_ID_LIMIT', `record limit reached. cannot submit more than ${MOST_READ} records into this call`)
  }
  const shape = selected(org, session, object, fields)
  const body = ids.map((id) => {
    const row = org.table(object).rows.get(readId(id.trim()) ?? '')
    return row && !row.IsDeleted ? shown(org, session, object, row, shape) : null
  })
  return { status: 200, body }
}
