import type { Access } from '../access.ts'
import { type Attribute, SHOWN, shapeOf } from '../scopes/attributes.ts'
import type { Values } from '../store.ts'
import { attributeValue, type Seen } from './values.ts'

/** The answer to a create: given and loaded attributes, without those that are merely empty. */
export function asCreated(access: Access, row: Seen): Values {
  return shown(
    access,
    row,
    (attribute) => {
      const { create } = SHOWN[attribute.kind]
      return create === 'always' || (create === 'set' && isSet(row, attribute))
    },
    true,
  )
}

export function asRead(access: Access, row: Seen): Values {
  return shown(access, row, ({ kind }) => SHOWN[kind].read)
}

/** An item of a list without selection. */
export function asListed(access: Access, row: Seen): Values {
  return shown(access, row, ({ kind }) => SHOWN[kind].list)
}

/** Lists with a selection truncate longer texts. */
const LONGEST = 10_000

export function asSelected(access: Access, row: Seen, selected: ReadonlySet<string>): Values {
  const person = selected.has('firstName') || selected.has('lastName')
  const values = shown(access, row, ({ name, kind }) => selected.has(name) || (kind === 'fullName' && person))
  for (const [name, value] of Object.entries(values)) if (typeof value === 'string' && value.length > LONGEST) values[name] = value.slice(0, LONGEST)
  return values
}

function shown(access: Access, row: Seen, isShown: (attribute: Attribute) => boolean, fresh = false): Values {
  const { store, user } = access
  const { scope, attributes } = shapeOf(store.scope(row.scope))
  const hidden = access.hidden(scope, 'read')
  const values: Values = {}
  for (const attribute of attributes.values()) {
    const { name, kind } = attribute
    if (!isShown(attribute) || hidden.has(name)) continue
    if ((kind === 'followersIds' || kind === 'followersNames') && !access.test(scope.name, 'stream')(row)) continue
    const value = attributeValue(store, row, attribute, user.id)
    values[name] = fresh && kind === 'flag' ? (value ?? false) : value
  }
  return values
}

function isSet({ values }: Seen, { name, field, kind }: Attribute): boolean {
  if (name === 'id' || name === 'deleted') return true
  if (kind === 'fullName') return 'firstName' in values || 'lastName' in values
  if (kind === 'converted') return name.endsWith('WeightedConverted') || field in values
  return name in values
}

/** Kinds that EspoCRM loads before an update and not again for its answer. */
const STALE: ReadonlySet<string> = new Set(['data', 'flag', 'counted', 'manyIds', 'manyNames', 'manyColumns', 'manyTypes', 'followersIds', 'followersNames'])

/** The answer to an update: loaded attributes are as before, unless they were given. */
export function asUpdated(access: Access, row: Seen, before: Values, given: Values): Values {
  const values = asRead(access, row)
  for (const { name, field, kind } of shapeOf(access.store.scope(row.scope)).attributes.values()) {
    if (STALE.has(kind) && name in before && !(name in given) && !(`${field}Ids` in given) && !(`${field}Data` in given)) values[name] = before[name]
  }
  return values
}
