import type { Fault } from '../../../contract/errors.ts'
import { recordType } from '../../../contract/operations.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import type { SalesforcePlace } from './codec.ts'
import { type FieldDescribe, fieldIn, initialIn, insists, limitsIn, type ObjectDescribe } from './describes.ts'
import { externalIdPlace, withFurtherFields } from './further-fields.ts'
import { TABLES } from './tables.ts'

/** Refuses fields that the account does not have, or does not show us: what is written to them would be lost, and nothing could be read. */
export function refuseUnknown(tables: Tables, found: ReadonlyMap<string, ObjectDescribe>): void {
  const faults = Object.entries(tables).flatMap(([type, { object, fields, renamed = {} }]) => {
    const describe = found.get(object)
    // Notes and comments are put together of several objects.
    if (!describe || !recordType(type).owned) return []
    const placed = Object.entries(fields).flatMap(([name, place]) => (place && !isOptional(type, name, place) ? [[name, place.name] as const] : []))
    return [...placed, ...Object.entries(renamed)].flatMap(([name, theirs]): Fault[] => {
      // What is reached through another object is none of its own.
      if (theirs.includes('.') || fieldIn(describe, theirs)) return []
      return [{ field: `${type}.${name}`, code: 'unknown', message: `${object} of Salesforce has no field ${theirs}, or does not show it to us.` }]
    })
  })
  if (faults.length === 0) return
  throw new DriverError('invalid_input', faults.map(({ message }) => message).join(' '), {
    errors: faults,
    hint: 'Let the user see it in Salesforce, or name another field, or null, in the tables of crm.config.json.',
  })
}

/** Whether a field simply has no place where the account does not show it: a standard one that the configuration has not moved elsewhere. */
export const isOptional = (type: string, name: string, place: SalesforcePlace) =>
  place.optional === true && (TABLES as Tables)[type]?.fields[name]?.name === place.name

/** The tables with every field of the account, and with what it says of them. What the configuration says wins. */
export function adapted(tables: Tables, found: ReadonlyMap<string, ObjectDescribe>): Tables {
  return Object.fromEntries(
    Object.entries(tables).map(([type, given]) => {
      const table = withPlaceholders(given)
      const describe = found.get(table.object)
      return [type, describe ? described(type, withFurtherFields(type, withKnownPlaces(type, table, describe), describe, tables), describe) : table]
    }),
  )
}

/** A placeholder is the default of a field that Salesforce does not take empty, whatever the configuration has it be. */
function withPlaceholders(table: Table): Table {
  const fields = Object.entries(table.fields).map(([name, place]) => {
    const { placeholder, ...rest } = (place ?? {}) as SalesforcePlace
    if (!place || placeholder === undefined) return [name, place]
    const given = table.defaults?.[place.name]
    return [name, typeof given === 'string' ? { ...rest, placeholder: given } : rest]
  })
  return { ...table, fields: Object.fromEntries(fields) }
}

/** The table without places that the account does not show, and with one for ExternalID where it has such a field. */
function withKnownPlaces(type: string, table: Table, describe: ObjectDescribe): Table {
  const fields = Object.entries(table.fields).map(([name, place]) => [
    name,
    place && isOptional(type, name, place) && !fieldIn(describe, place.name) ? null : place,
  ])
  return { ...table, fields: { ...Object.fromEntries(fields), ...externalIdPlace(table, describe) } }
}

function described(type: string, table: Table, describe: ObjectDescribe): Table {
  // Amounts in several currencies are compared and added up in the account's own, and answered in theirs.
  const currencies = fieldIn(describe, 'CurrencyIsoCode') !== undefined
  const fields = Object.entries(table.fields).map(([name, place]) => {
    const field = place ? fieldIn(describe, place.name) : undefined
    if (!place || !field) return [name, place]
    const given = Object.hasOwn(table.defaults ?? {}, field.name) || Object.hasOwn(table.fixed ?? {}, field.name)
    const isOurs = Object.hasOwn(recordType(type).fields, name)
    const described = {
      ...limitsIn(field),
      ...initialIn(field),
      ...(!(place.kind === 'id' && isOurs) && !given && needs(type, name, field) && { required: true }),
      ...(field.createable === false && field.updateable === false && { readOnly: true }),
      ...(field.createable === true && field.updateable === false && !place.readOnly && { createOnly: true, ...(!isOurs && { remark: AT_CREATION }) }),
      ...(currencies && place.kind === 'money' && { filters: false, sorts: false }),
      ...(place.kind === 'id' && typeof field.relationshipName === 'string' && { relationship: field.relationshipName }),
    }
    const { max: _, ...unbounded } = described as { readonly max?: number }
    return [name, { ...(place.maxBytes === undefined ? described : unbounded), ...place, ...choicesOf(type, name, place, field) }]
  })
  return { ...table, fields: Object.fromEntries(fields) }
}

const AT_CREATION = 'It can only be set when the record is created.'

/** The words that a field takes, where the account closes them; and where each of our usual words lives among them. */
function choicesOf(type: string, name: string, place: Place, field: FieldDescribe): Pick<Place, 'values' | 'closed' | 'allowed'> {
  const active = (field.picklistValues ?? []).filter(({ active }) => active)
  if ((place.kind !== 'choice' && place.kind !== 'choices') || active.length === 0) return {}
  const words = active.map(({ value }) => value)
  const configured = place.values !== undefined && JSON.stringify(place.values) !== JSON.stringify((TABLES as Tables)[type]?.fields[name]?.values)
  const values =
    configured || !place.values
      ? (place.values ?? {})
      : usual(place.values, words, active.find(({ defaultValue }) => defaultValue)?.value, defaultOf(type, name))
  const taken = new Set(Object.values(values))
  const closed = field.restrictedPicklist === true && place.closed === undefined
  return { values, ...(closed && { closed, allowed: words.filter((word) => !taken.has(word)) }) }
}

/** Whether a field must always have a value. One that Salesforce fills in by itself is only asked for where we fill it in as well. */
const needs = (type: string, name: string, field: FieldDescribe) =>
  insists(field) || (field.nillable === false && field.type !== 'boolean' && defaultOf(type, name) !== undefined)

const defaultOf = (type: string, name: string) => recordType(type).fields[name]?.defaultValue

/**
 * The default mapping of our words to picklist values of the account. A word that is a value itself needs no mapping, our default maps to the
 * default of the account, and any other word whose value is missing is dropped.
 */
function usual(
  values: { readonly [ours: string]: string },
  words: readonly string[],
  first: string | undefined,
  defaultValue: unknown,
): { [ours: string]: string } {
  const mapped = Object.entries(values).flatMap(([ours, theirs]) => {
    if (words.includes(ours)) return []
    if (words.includes(theirs)) return [[ours, theirs]]
    return ours === defaultValue && first !== undefined ? [[ours, first]] : []
  })
  return Object.fromEntries(mapped)
}
