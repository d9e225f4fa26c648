import { OFFERED, type Offered } from '../../scripts/n8n/operations.ts'
import { FIELD_KINDS } from '../../src/contract/fields.ts'
import { OPERATIONS, recordType } from '../../src/contract/operations.ts'
import { CUSTOM_TYPES } from '../../src/contract/records/custom-object.ts'

type Input = { readonly [name: string]: unknown }

export const offered = (id: string) => OFFERED.find(({ operation }) => operation.id === id) as Offered

/** Which inputs the node has a form of its own for; written down here, and not taken from the code under test. */
const FORMS = ['Filters', 'FieldsToUpdate', 'Fields', 'Limit', 'Cursor', 'After', 'OrderBy', 'Select', 'IfRevision']

/** An input of the contract, entered into the fields of the node as a person would. */
export function parametersFor(id: string, input: Input): { [name: string]: unknown } {
  const { resource, verb, required, operation } = offered(id)
  const values = Object.entries(input).filter(([name]) => !FORMS.includes(name))
  const additional = Object.fromEntries(values.filter(([name]) => !required.includes(name)))
  const { Filters, FieldsToUpdate, Fields, Limit, Cursor, After, OrderBy, Select, IfRevision } = input
  const [orderBy, direction] = String(OrderBy ?? '').split(' ')
  const options = {
    ...(OrderBy !== undefined && { orderBy: located(orderBy), direction }),
    ...(Select !== undefined && { select: Select }),
    ...(IfRevision !== undefined && { ifRevision: IfRevision }),
    ...((Cursor ?? After) !== undefined && { cursor: Cursor ?? After }),
  }
  return {
    resource,
    operation: verb,
    ...Object.fromEntries(values.filter(([name]) => required.includes(name))),
    ...(Object.keys(additional).length > 0 && { additionalFields: additional }),
    ...(Filters !== undefined && { Filters: filtersFor(operation.record.name, Filters as Input) }),
    ...(FieldsToUpdate !== undefined && changesFor(operation.record.name, FieldsToUpdate as Input)),
    ...(Fields !== undefined && { Fields: { fields: Object.entries(Fields as { [name: string]: Input }).map(([name, field]) => definitionFor(name, field)) } }),
    ...(Limit !== undefined && { limit: Limit }),
    ...(Object.keys(options).length > 0 && { options }),
  }
}

export const located = (value: unknown) => ({ __rl: true, mode: 'name', value })

const typeOf = (value: unknown) => (typeof value === 'number' ? 'Number' : typeof value === 'boolean' ? 'Boolean' : 'String')

const valueIn = (type: string, value: unknown) => ({ [`${FIELD_KINDS[CUSTOM_TYPES[type as keyof typeof CUSTOM_TYPES]]}Value`]: value })

function filtersFor(record: string, filters: Input): object {
  const conditions: object[] = []
  const others: object[] = []
  for (const [field, filter] of Object.entries(filters)) {
    const comparisons = typeof filter === 'object' && filter !== null ? Object.entries(filter) : [['eq', filter]]
    const kind = recordType(record).fields[field]?.kind
    for (const [operator, value] of comparisons) {
      const how =
        value === null ? { operator: operator === 'eq' ? 'isEmpty' : 'isNotEmpty' } : operator === 'in' ? { operator, listValue: value } : { operator }
      const plain = value === null || operator === 'in' ? {} : kind ? { [`${FIELD_KINDS[kind]}Value`]: value } : valueIn(typeOf(value), value)
      if (kind) conditions.push({ field, ...how, ...plain })
      else others.push({ name: located(field), type: typeOf([value].flat()[0]), ...how, ...plain })
    }
  }
  return { ...(conditions.length > 0 && { conditions }), ...(others.length > 0 && { others }) }
}

function changesFor(record: string, changes: Input): object {
  const known = (name: string) => recordType(record).fields[name] !== undefined
  const entries = Object.entries(changes)
  const others = entries.filter(([name]) => !known(name)).map(([name, value]) => otherFor(name, value))
  return {
    FieldsToUpdate: Object.fromEntries(entries.filter(([name, value]) => known(name) && value !== null)),
    ...(entries.some(([name, value]) => known(name) && value === null) && {
      FieldsToClear: entries.filter(([name, value]) => known(name) && value === null).map(([name]) => name),
    }),
    ...(others.length > 0 && { OtherFields: { fields: others } }),
  }
}

const otherFor = (name: string, value: unknown) =>
  value === null ? { name: located(name), type: 'Null' } : { name: located(name), type: typeOf(value), ...valueIn(typeOf(value), value) }

function definitionFor(name: string, { Type, Label = '', Value }: Input): object {
  const type = String(Type ?? typeOf(Value))
  return { name: located(name), type, label: Label, ...(Value === undefined ? { setValue: false } : valueIn(type, Value)) }
}

export const operationOf = (id: string) => OPERATIONS.find((operation) => operation.id === id)
