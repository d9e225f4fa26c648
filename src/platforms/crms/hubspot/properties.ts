import type { Fault } from '../../../contract/errors.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table, Tables } from '../engine/tables.ts'
import type { Hub } from './hub.ts'
import { settled } from './objects.ts'
import { CONTACT } from './tables.ts'

/** The names of the properties that an object of the account has. */
export async function propertiesOf(connection: Hub, object: string): Promise<ReadonlySet<string>> {
  const path = `${connection.paths.properties}/${encodeURIComponent(object)}?archived=false`
  const { results } = await connection.json<{ results: readonly { readonly name: string }[] }>({ method: 'GET', path })
  return new Set(results.map(({ name }) => name))
}

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
    return namedIn(type, table).map(([ours, name]) =>
      name.startsWith(CONTACT) ? { ours, object: 'contacts', property: name.slice(CONTACT.length) } : { ours, object: table.object, property: name },
    )
  })
}

function namedIn(type: string, { fields, defaults = {}, fixed = {} }: Table): [ours: string, name: string][] {
  const places = Object.entries(fields).flatMap(([field, place]): [string, string][] => (place ? [[`${type}.${field}`, place.name]] : []))
  return [...places, ...[...Object.keys(defaults), ...Object.keys(fixed)].map((name): [string, string] => [type, name])]
}

/** Refuses what the configuration names beyond the usual and the account does not have. Without overrides no request is sent. */
export async function refuseUnknown(connection: Hub, tables: Tables, base: Tables): Promise<void> {
  const keyOf = ({ object, property }: Wanted) => `${object} ${property}`
  const usual = new Set(wantedIn(base).map(keyOf))
  const further = wantedIn(tables).filter((one) => !usual.has(keyOf(one)))
  const faults = await Promise.all(
    [...new Set(further.map(({ object }) => object))].map(async (object): Promise<Fault[]> => {
      const known = await settled(propertiesOf(connection, object))
      if (known instanceof DriverError) {
        // An app that may not read the definitions of properties may still use the properties.
        if (known.code === 'forbidden' || known.code === 'not_found') return []
        throw known
      }
      return further
        .filter((one) => one.object === object && !known.has(one.property))
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
