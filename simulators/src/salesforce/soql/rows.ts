import { Refusal } from '../errors.ts'
import { virtualRows } from '../objects/definition-rows.ts'
import { readId } from '../records/ids.ts'
import type { Session } from '../records/records.ts'
import { goneTest } from '../records/recycle-bin.ts'
import { type Shape, shown, wholeShape } from '../records/shapes.ts'
import type { Row } from '../records/table.ts'
import type { Value } from '../records/values.ts'
import { type Test, testOf } from './conditions.ts'
import { sorter } from './order.ts'
import { Scope } from './scope.ts'
import { malformed } from './tokens.ts'
import type { Condition, Expression, Item, Query, TypeOf } from './tree.ts'

/** The records of a query in order, before LIMIT and OFFSET. */
export function findRows(scope: Scope, deleted: boolean): Row[] {
  const { query, org, object } = scope
  const test = whereOf(scope)
  const source = object.virtual ? virtualRows(org, object) : candidates(scope)
  const rows: Row[] = []
  const isGone = goneTest(org)
  for (const row of source) if ((deleted ? !isGone(row) : !row.IsDeleted) && (!test || test(row))) rows.push(row)
  return sorter(scope, query.orderBy, scope.column)(rows)
}

export function whereOf(scope: Scope): Test<Row> | undefined {
  const { query, org } = scope
  if (!query.where) return undefined
  return testOf({ scope, column: scope.column, within: (inner) => valuesFound(org, inner) }, query.where)
}

/** The values of the single column that a subquery selects. */
function valuesFound(org: Scope['org'], query: Query): Set<Value> {
  const scope = scopeOf(org, query)
  const [item, more] = query.items
  if (item?.kind !== 'expression' || more) throw malformed(query.soql, query.fromAt, 'semi join sub-selects can only query one field')
  const { read, field } = scope.column(item.expression)
  if (field.type !== 'id' && field.type !== 'reference') {
    throw malformed(query.soql, item.expression.at, `semi join sub-selects can only query id fields, cannot use: '${field.name}'`)
  }
  return new Set(findRows(scope, false).flatMap((row) => read(row) ?? []))
}

export function scopeOf(org: Scope['org'], query: Query, tooling = false): Scope {
  const object = org.schema.seen(query.from)
  if (object && (!object.tooling || tooling)) return new Scope(org, object, query)
  const custom = `sObject type '${query.from}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`
  throw new Scope(org, org.objectAt('User'), query).refused(query.fromAt, 'INVALID_TYPE', custom)
}

const KEYS = new Set(['ContentDocumentId', 'LinkedEntityId'])

/** The records that can match: found by an index where a condition names ids or references, otherwise all. */
function candidates(scope: Scope): Iterable<Row> {
  const { org, object, query } = scope
  const table = org.table(object)
  for (const part of conjunctsOf(query.where)) {
    if (part.kind !== 'compare' || part.left.kind !== 'field' || (part.operator !== '=' && part.operator !== 'in')) continue
    const path = scope.path(part.left)
    const field = path.length === 1 ? object.fields.get(path[0]?.toLowerCase() ?? '') : undefined
    if (!field || !(field.type === 'reference' || field.idLookup || field.externalId || field.unique)) continue
    const { field: seen } = scope.column(part.left)
    const texts = part.values.map((value) => (value.kind === 'string' && value.text !== '' ? value.text : undefined))
    if (texts.some((text) => text === undefined)) continue
    const wanted = new Set((texts as string[]).map((text) => (seen.type === 'id' || seen.type === 'reference' ? (readId(text) ?? text) : text)))
    return seen.name === 'Id'
      ? [...wanted].flatMap((id) => table.listedAt(id) ?? [])
      : [...new Map([...wanted].flatMap((value) => table.findListed(seen.name, value)).map((row) => [row.Id, row])).values()]
  }
  if (object.name === 'ContentDocumentLink') {
    const message = `Implementation restriction: ContentDocumentLink requires a filter by a single Id on ${[...KEYS].join(' or ')} using the equals operator or multiple Id's using the IN operator.`
    throw new Refusal(400, 'MALFORMED_QUERY', message)
  }
  return table.listed()
}

/** The conditions that every match must fulfil. */
function conjunctsOf(where: Condition | undefined): readonly Condition[] {
  if (!where) return []
  return where.kind === 'and' ? where.parts.flatMap(conjunctsOf) : [where]
}

export function shapeOf(scope: Scope, session: Session): Shape {
  const shape: Shape = new Map()
  for (const item of scope.query.items) addItem(scope, session, shape, item)
  return shape
}

function addItem(scope: Scope, session: Session, shape: Shape, item: Item): void {
  const { org, object, query } = scope
  if (item.kind === 'all') {
    if (item.which !== 'STANDARD' && (query.limit === undefined || query.limit > 200)) {
      throw malformed(query.soql, item.at, 'The SOQL FIELDS function must have a LIMIT of at most 200')
    }
    for (const [name, part] of wholeShape(org, object)) {
      const { custom = false } = object.fields.get(name.toLowerCase()) ?? {}
      if (item.which === 'ALL' || custom === (item.which === 'CUSTOM')) shape.set(name, part)
    }
  } else if (item.kind === 'children') addChildren(scope, session, shape, item.query)
  else if (item.kind === 'typeof') addTypeOf(scope, session, shape, item)
  else {
    const { expression, alias } = item
    const { field, read } = scope.column(expression)
    if (expression.kind === 'call') shape.set(alias ?? field.name, { kind: 'made', show: read })
    else addPath(scope, scope.object, shape, scope.path(expression), expression.at)
  }
}

function addPath(scope: Scope, object: Scope['object'], shape: Shape, [first = '', ...rest]: readonly string[], at: number): void {
  if (rest.length === 0) {
    const field = scope.org.schema.field(object, first)
    if (!field) return void shape.set(first, { kind: 'field' })
    if (shape.has(field.name)) throw malformed(scope.query.soql, at, `duplicate field selected: ${field.name}`)
    shape.set(field.name, { kind: 'field' })
    return
  }
  const reference = scope.relationship(object, first)
  if (!reference?.relationshipName) return
  const earlier = shape.get(reference.relationshipName)
  const inner: Shape = earlier?.kind === 'parent' ? earlier.shape : new Map()
  shape.set(reference.relationshipName, { kind: 'parent', reference, shape: inner, follow: (row) => scope.follow(reference, row) })
  const target = scope.org.schema.targets(reference).find((one) => rest.length > 1 || scope.org.schema.field(one, rest[0] ?? ''))
  if (target) addPath(scope, target, inner, rest, at)
}

function addChildren(scope: Scope, session: Session, shape: Shape, query: Query): void {
  const { org, object } = scope
  const child = org.schema.children(object).find(({ field }) => field.childRelationship?.toLowerCase() === query.from.toLowerCase())
  if (!child?.field.childRelationship) {
    const message = `Didn't understand relationship '${query.from}' in FROM part of query call. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`
    throw scope.refused(query.fromAt, 'INVALID_TYPE', message)
  }
  const inner = new Scope(org, child.object, query)
  const test = whereOf(inner)
  const sort = sorter(inner, query.orderBy, inner.column)
  const innerShape = shapeOf(inner, session)
  const table = org.table(child.object)
  shape.set(child.field.childRelationship, {
    kind: 'made',
    show(row) {
      const rows = sort(table.findListed(child.field.name, row.Id).filter((one) => !one.IsDeleted && (!test || test(one))))
      const records = rows.slice(query.offset ?? 0, (query.offset ?? 0) + (query.limit ?? rows.length))
      if (records.length === 0) return null
      return { totalSize: records.length, done: true, records: records.map((one) => shown(org, session, child.object, one, innerShape)) }
    },
  })
}

/** What is shown of a related record depends on its object; nothing where no case is about it. */
function addTypeOf(scope: Scope, session: Session, shape: Shape, { relationship, cases, otherwise, at }: TypeOf): void {
  const { org, object, query } = scope
  const reference = scope.relationship(object, relationship)
  if (!reference?.relationshipName || reference.referenceTo.length < 2) {
    throw scope.refused(at, 'INVALID_FIELD', `TYPEOF is only for polymorphic relationships, which '${relationship}' is not.`)
  }
  const shapeFor = (name: string, items: readonly Expression[]) =>
    shapeOf(
      scopeOf(org, { ...query, from: name, alias: undefined, items: items.map((expression) => ({ kind: 'expression', expression, alias: undefined })) }),
      session,
    )
  const shapes = new Map(cases.map(({ object: name, fields }) => [name.toLowerCase(), shapeFor(name, fields)]))
  shape.set(reference.relationshipName, {
    kind: 'made',
    show(row) {
      const found = scope.follow(reference, row)
      if (!found) return null
      const known = shapes.get(found.object.name.toLowerCase()) ?? (otherwise.length > 0 ? shapeFor(found.object.name, otherwise) : new Map())
      return shown(org, session, found.object, found.row, known)
    },
  })
}
