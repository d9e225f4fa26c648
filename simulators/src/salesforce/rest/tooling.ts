import { isObject } from '../../json.ts'
import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { noResource, notAllowed, wrongField } from '../errors.ts'
import { customFieldId, virtualRows } from '../objects/definition-rows.ts'
import { defineField, undefine } from '../objects/definitions.ts'
import type { Org } from '../org.ts'
import { readId } from '../records/ids.ts'
import type { Session } from '../records/records.ts'
import { shown, wholeShape } from '../records/shapes.ts'
import { bodyOf } from './bodies.ts'

/** `/tooling/sobjects/…`: creates, reads and deletes custom fields. */
export function answerTooling(org: Org, session: Session, request: WireRequest, [type = '', id]: readonly string[]): WireAnswer {
  const { method } = request
  const object = org.schema.object(type)
  if (!object?.virtual) throw noResource()
  if (method === 'POST' && id === undefined) {
    if (object.name !== 'CustomField') throw wrongField('INVALID_TYPE_FOR_OPERATION', `entity type cannot be inserted: ${object.name}`)
    const { FullName, Metadata } = bodyOf(request)
    if (typeof FullName !== 'string' || !isObject(Metadata)) {
      throw wrongField('REQUIRED_FIELD_MISSING', 'Required fields are missing: [FullName, Metadata]', 'FullName', 'Metadata')
    }
    const made = defineField(org, FullName, Metadata)
    return { status: 201, body: { id: customFieldId(made.object, made.field), success: true, errors: [], warnings: [], infos: [] } }
  }
  const row = virtualRows(org, object).find(({ Id }) => Id === readId(id ?? ''))
  if (!row) throw noResource()
  if (method === 'GET') return { status: 200, body: shown(org, session, object, row, wholeShape(org, object)) }
  if (method === 'DELETE' && object.name === 'CustomField') {
    undefine(org, 'CustomField', String(row.FullName))
    return { status: 204 }
  }
  throw notAllowed(method, 'DELETE,GET,HEAD,POST')
}
