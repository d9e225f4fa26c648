import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { noResource, notAllowed, Refusal, wrongField } from '../errors.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import { create, existing, identified, MultipleChoices, remove, type Session, update, upsert } from '../records/records.ts'
import { shown } from '../records/shapes.ts'
import type { Row } from '../records/table.ts'
import { bodyOf } from './bodies.ts'
import { selected } from './selection.ts'

const created = (id: string) => ({ id, success: true, errors: [] })

/** `/sobjects/X`, `/sobjects/X/{id}` and `/sobjects/X/{field}/{value}`. */
export function answerRecord(org: Org, session: Session, request: WireRequest, object: SObject, [key, value, more]: readonly string[]): WireAnswer {
  if (more !== undefined) throw noResource()
  const { method } = request
  if (key === undefined || (key.toLowerCase() === 'id' && value === undefined)) {
    if (method !== 'POST') throw notAllowed(method, 'GET,HEAD,POST')
    const id = create(org, session, object, noId(bodyOf(request)))
    return {
      status: 201,
      headers: { location: `/services/data/${session.version}/sobjects/${object.name}/${id}` },
      body: { ...created(id), ...(key !== undefined && { created: true }) },
    }
  }
  if (value === undefined) return byId(org, session, request, object, key)
  const blob = object.fields.get(value.toLowerCase())
  if (method === 'GET' && blob?.type === 'base64') {
    const bytes = Buffer.from(String(existing(org, object, key)[blob.name] ?? ''), 'base64')
    return { status: 200, headers: { 'content-type': 'application/octetstream' }, body: bytes.toString('utf8') }
  }
  return byKey(org, session, request, object, key, value)
}

function noId(given: { readonly [field: string]: unknown }) {
  if (Object.keys(given).some((name) => name.toLowerCase() === 'id')) {
    throw wrongField('INVALID_FIELD_FOR_INSERT_UPDATE', 'cannot specify Id in an insert call', 'Id')
  }
  return given
}

function byId(org: Org, session: Session, request: WireRequest, object: SObject, id: string): WireAnswer {
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return retrieved(org, session, request, object, existing(org, object, id))
    case 'PATCH': {
      const row = existing(org, object, id)
      const given = bodyOf(request)
      checkUnmodified(request, row)
      update(org, session, object, row.Id, given)
      return { status: 204 }
    }
    case 'DELETE': {
      const row = existing(org, object, id)
      remove(org, session, object, row.Id)
      return { status: 204 }
    }
    default:
      throw notAllowed(request.method, 'DELETE,GET,HEAD,PATCH')
  }
}

function retrieved(org: Org, session: Session, request: WireRequest, object: SObject, row: Row): WireAnswer {
  checkUnmodified(request, row)
  const modified = momentOf(row)
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  const headers = { 'last-modified': new Date(modified).toUTCString() }
  if (modified <= since) return { status: 304, headers }
  const shape = selected(org, session, object, (request.query.get('fields') ?? '').split(','))
  return { status: 200, headers, body: shown(org, session, object, row, shape) }
}

const momentOf = (row: Row) => Date.parse(String(row.LastModifiedDate).replace('+0000', 'Z'))

/** Honours If-Unmodified-Since, which a DELETE ignores. */
function checkUnmodified({ headers }: WireRequest, row: Row): void {
  const since = Date.parse(headers['if-unmodified-since'] ?? '')
  if (momentOf(row) > since) throw new Refusal(412, 'PRECONDITION_FAILED', 'The record has been modified since the time given.')
}

function byKey(org: Org, session: Session, request: WireRequest, object: SObject, key: string, value: string): WireAnswer {
  const { method } = request
  try {
    if (method === 'PATCH' || method === 'POST') {
      const { id, created: isNew } = upsert(org, session, object, key, value, bodyOf(request))
      return { status: isNew ? 201 : 200, body: { ...created(id), created: isNew } }
    }
    const { rows } = identified(org, object, key, value)
    const [row] = rows
    if (!row) throw noResource()
    if (rows.length > 1) throw new MultipleChoices(rows)
    return byId(org, session, request, object, row.Id)
  } catch (error) {
    if (!(error instanceof MultipleChoices)) throw error
    return { status: 300, body: error.rows.map(({ Id }) => `/services/data/${session.version}/sobjects/${object.name}/${Id}`) }
  }
}
