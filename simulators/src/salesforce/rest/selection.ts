import { Refusal } from '../errors.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import type { Session } from '../records/records.ts'
import { type Shape, wholeShape } from '../records/shapes.ts'
import { parse } from '../soql/parser.ts'
import { scopeOf, shapeOf } from '../soql/rows.ts'

/** The shape for a list of fields, as in a SELECT, plus the id. */
export function selected(org: Org, session: Session, object: SObject, fields: readonly string[]): Shape {
  const names = [...new Map(fields.map((name) => [name.trim().toLowerCase(), name.trim()])).values()].filter((name) => name !== '')
  if (names.length === 0) return wholeShape(org, object)
  const invalid = names.find((name) => !/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)*$/.test(name))
  if (invalid !== undefined) throw new Refusal(400, 'INVALID_FIELD', `No such column '${invalid}' on sobject of type ${object.name}`)
  const shape = shapeOf(scopeOf(org, parse(`SELECT ${names.join(',')} FROM ${object.name}`)), session)
  shape.set('Id', { kind: 'field' })
  return shape
}
