import type { Fault } from '../../../contract/errors.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table, Tables } from '../engine/tables.ts'
import type { AccountProperties } from './account-properties.ts'
import { ASSOCIATED, CONTACT } from './tables.ts'

/** A property that a table names, with the field of ours that lives there, or the table where it is only written. */
export interface Wanted {
  readonly ours: string
  readonly object: string
  readonly property: string
}

/** What tables want to find in HubSpot. Lists have no properties. */
export function wantedIn(tables: Tables): Wanted[] {
  return Object.entries(tables).flatMap(([type, table]) => {
    if (table.object === 'lists') return []
    const named = namedIn(type, table).filter(([, name]) => !name.startsWith(ASSOCIATED))
    return named.map(([ours, name]) =>
      name.startsWith(CONTACT) ? { ours, object: 'contacts', property: name.slice(CONTACT.length) } : { ours, object: table.object, property: name },
    )
  })
}

function namedIn(type: string, { fields, renamed = {}, defaults = {}, fixed = {} }: Table): [ours: string, name: string][] {
  const places = Object.entries(fields).flatMap(([field, place]): [string, string][] => (place ? [[`${type}.${field}`, place.name]] : []))
  const called = Object.entries(renamed).map(([field, name]): [string, string] => [`${type}.${field}`, name])
  return [...places, ...called, ...[...Object.keys(defaults), ...Object.keys(fixed)].map((name): [string, string] => [type, name])]
}

/** Refuses what the configuration names beyond the usual and the account does not have. */
export async function refuseUnknown(properties: AccountProperties, tables: Tables, base: Tables): Promise<void> {
  const keyOf = ({ object, property }: Wanted) => `${object} ${property}`
  const usual = new Set(wantedIn(base).map(keyOf))
  const further = wantedIn(tables).filter((one) => !usual.has(keyOf(one)))
  const faults = await Promise.all(
    [...new Set(further.map(({ object }) => object))].map(async (object): Promise<Fault[]> => {
      // An app that may not read the definitions of properties may still use the properties.
      const known = await properties.of(object)
      if (!known) return []
      const names = new Set(known.map(({ name }) => name))
      return further
        .filter((one) => one.object === object && !names.has(one.property))
        .map(({ ours, property }) => ({ field: ours, code: 'unknown', message: `${object} of HubSpot have no property ${property}, which ${ours} names.` }))
    }),
  )
  const all = faults.flat()
  if (all.length === 0) return
  throw new DriverError('invalid_input', all.map(({ message }) => message).join(' '), {
    errors: all,
    hint: 'Make the property in HubSpot, under exactly this internal name, or name another in the tables of crm.config.json.',
  })
}
