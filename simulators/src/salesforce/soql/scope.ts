import type { Refusal } from '../errors.ts'
import { virtualRow } from '../objects/definition-rows.ts'
import { type Field, type FieldType, makeField } from '../objects/fields.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import type { Row } from '../records/table.ts'
import type { Value } from '../records/values.ts'
import { DATE_FUNCTIONS } from './dates.ts'
import { malformed, refused } from './tokens.ts'
import type { Expression, Query } from './tree.ts'

/** An expression that has a value for each record or group. */
export interface Column<T> {
  readonly field: Field
  readonly read: (from: T) => Value
}

/** Functions without effect in an org with one language, currency and time zone. */
const PLAIN = new Set(['TOLABEL', 'FORMAT', 'CONVERTCURRENCY', 'CONVERTTIMEZONE'])

/** Resolves the names in a query. */
export class Scope {
  readonly org: Org
  readonly object: SObject
  readonly query: Query

  constructor(org: Org, object: SObject, query: Query) {
    this.org = org
    this.object = object
    this.query = query
  }

  with(differing: Partial<Query>): Scope {
    return new Scope(this.org, this.object, { ...this.query, ...differing })
  }

  column = (expression: Expression): Column<Row> => {
    if (expression.kind === 'field') return this.at(this.object, this.path(expression), expression.at)
    const { name, of, at } = expression
    const inner = of && this.column(of)
    if (inner && PLAIN.has(name)) return inner
    const calculate = DATE_FUNCTIONS[name]
    if (!inner || !calculate) throw malformed(this.query.soql, at, `unexpected token: '${name}'`)
    if (inner.field.type !== 'datetime' && (inner.field.type !== 'date' || name === 'DAY_ONLY' || name === 'HOUR_IN_DAY')) {
      throw this.refused(at, 'INVALID_FIELD', `field ${inner.field.name} does not support function ${name}`)
    }
    const type: FieldType = name === 'DAY_ONLY' ? 'date' : 'int'
    return {
      field: makeField({ name: inner.field.name, type }),
      read: (row) => {
        const value = inner.read(row)
        return typeof value === 'string' ? calculate(value) : null
      },
    }
  }

  /** A path without the leading name or alias of the queried object. */
  path({ path }: { readonly path: readonly string[] }): readonly string[] {
    const [first = '', ...rest] = path
    const own = [this.query.alias, this.object.name].some((name) => name?.toLowerCase() === first.toLowerCase())
    return rest.length > 0 && own && !this.relationship(this.object, first) ? rest : path
  }

  relationship(object: SObject, name: string): Field | undefined {
    return this.org.schema.fields(object).find(({ relationshipName }) => relationshipName?.toLowerCase() === name.toLowerCase())
  }

  /** The field at the end of a path. A polymorphic relationship resolves by the object of each record. */
  private at(object: SObject, [first = '', ...rest]: readonly string[], at: number): Column<Row> {
    if (rest.length === 0) {
      const field = this.org.schema.field(object, first)
      if (!field) throw this.noColumn(object, first, at)
      const { name } = field
      return { field, read: field.type === 'boolean' ? (row) => row[name] ?? false : (row) => row[name] ?? null }
    }
    const reference = this.relationship(object, first)
    const targets = reference ? this.org.schema.targets(reference) : []
    if (!reference || targets.length === 0) {
      const message = `Didn't understand relationship '${first}' in field path. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`
      throw this.refused(at, 'INVALID_FIELD', message)
    }
    const ends = new Map<SObject, Column<Row>>()
    let unknown: unknown
    for (const target of targets) {
      try {
        ends.set(target, this.at(target, rest, at))
      } catch (error) {
        unknown = error
      }
    }
    const [some] = ends.values()
    if (!some) throw unknown
    return {
      field: some.field,
      read: (row) => {
        const found = this.follow(reference, row)
        return (found && ends.get(found.object)?.read(found.row)) ?? null
      },
    }
  }

  follow(reference: Field, row: Row): { readonly object: SObject; readonly row: Row } | undefined {
    const id = row[reference.name]
    if (typeof id !== 'string') return undefined
    const [target] = this.org.schema.targets(reference)
    const object = target?.virtual ? target : this.org.schema.objectOf(id)
    const found = object && (object.virtual ? virtualRow(this.org, object, id) : this.org.table(object).rows.get(id))
    return object && found ? { object, row: found } : undefined
  }

  noColumn(object: SObject, name: string, at: number): Refusal {
    const message = `No such column '${name}' on entity '${object.name}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.`
    return this.refused(at, 'INVALID_FIELD', message)
  }

  refused(at: number, code: string, message: string): Refusal {
    return refused(this.query.soql, at, code, message)
  }
}
