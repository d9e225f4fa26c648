import { FIELD_KINDS, type FieldKind } from '../../../contract/fields.ts'
import { recordType } from '../../../contract/operations.ts'
import { type AccountField, withAccountFields } from '../engine/account-fields.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import { type AccountProperties, choicesOf, isMultiple, isReadOnly, type Property } from './account-properties.ts'
import { decodedName } from './custom-names.ts'
import { STANDARD, USUAL } from './standard-words.ts'
import { ASSOCIATED, CONTACT } from './tables.ts'
import { worded } from './words.ts'

/** How ExternalID gets a place; docs/platforms/hubspot.md says more. */
export const EXTERNAL_ID_REMEDY =
  'In Settings → Properties, make a property external_id of the kind single-line text, tick “Require unique values for this property”, and restart the connector.'

/** The record types whose properties an account can add to. */
const EXTENDED = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact']

/**
 * The tables with what the account says of its properties: the words of choices, and every property that it has made itself. References to what the app
 * may not see have no place, since HubSpot would refuse the records that have them.
 */
export async function withProperties(tables: Tables, properties: AccountProperties): Promise<Tables> {
  // All at once, so that opening takes no longer than the slowest of them.
  const [hidden] = await Promise.all([hiddenOf(properties), ...EXTENDED.map((type) => properties.of((tables[type] as Table).object))])
  const extended = EXTENDED.map(async (type): Promise<[string, Table]> => {
    const table = tables[type] as Table
    const [own, onContact] = await Promise.all([properties.of(table.object), table.object === 'leads' ? properties.of('contacts') : undefined])
    return [type, tableWith(type, without(table, hidden), own, onContact)]
  })
  return { ...tables, ...Object.fromEntries(await Promise.all(extended)) }
}

/** The places of references, and the objects that they lead to. */
const REFERENCED: readonly (readonly [name: string, object: string])[] = [
  [`${ASSOCIATED}company`, 'companies'],
  [`${ASSOCIATED}contact`, 'contacts'],
]

/** The places of references to objects that the app may not see. */
async function hiddenOf(properties: AccountProperties): Promise<string[]> {
  const names = await Promise.all(REFERENCED.map(async ([name, object]) => ((await properties.isForbidden(object)) ? [name] : [])))
  return names.flat()
}

function without(table: Table, hidden: readonly string[]): Table {
  const fields = Object.entries(table.fields).map(([ours, place]) => [ours, place && hidden.includes(place.name) ? null : place])
  return { ...table, fields: Object.fromEntries(fields) }
}

function tableWith(type: string, table: Table, own: readonly Property[] | undefined, onContact: readonly Property[] | undefined): Table {
  const fields = Object.entries(table.fields).map(([ours, place]): [string, Place | null] => {
    if (!place) return [ours, placeFor(type, ours, table, own)]
    // The words of states come from pipelines, or have a first one.
    if (ours === recordType(type).state) return [ours, place]
    if (!place.name.startsWith(CONTACT)) return [ours, withChoices(place, table.object, place.name, own)]
    return [ours, withChoices(place, 'contacts', place.name.slice(CONTACT.length), onContact)]
  })
  const found = own?.flatMap((property) => (isWanted(property, table) ? (accountFieldOf(property) ?? []) : [])) ?? []
  return withAccountFields(type, { ...table, fields: Object.fromEntries(fields) }, found)
}

/** HubSpot's own properties, of which there are hundreds, are there only where the configuration names them. */
function isWanted({ name, hubspotDefined, archived, hidden }: Property, { renamed = {} }: Table): boolean {
  return Object.values(renamed).includes(name) || !(hubspotDefined || archived || hidden)
}

/** A property of the account's own for a field that HubSpot has no place for: one that is called so and holds such values. */
function placeFor(type: string, ours: string, table: Table, own: readonly Property[] = []): Place | null {
  const { kind, unique, refers } = recordType(type).fields[ours] ?? {}
  const taken = new Set([...Object.values(table.renamed ?? {}), ...Object.values(table.fields).map((place) => place?.name)])
  if (kind === undefined || refers !== undefined) return null
  const found = own.find((property) => {
    if (property.hubspotDefined || property.archived || property.hidden || taken.has(property.name)) return false
    return plain(decodedName(property.name)) === plain(ours) && isFit(property, kind) && (!unique || property.hasUniqueValue)
  })
  const place = found && placeOf(found)
  return place ? { ...place, kind } : null
}

const plain = (name: string) => name.replaceAll('_', '').toLowerCase()

function isFit(property: Property, kind: FieldKind): boolean {
  const own = kindOf(property)
  return own !== undefined && own !== 'choices' && FIELD_KINDS[own] === FIELD_KINDS[kind]
}

/** A choice of ours with the words that the account has for it, or those of a new account where it does not tell. */
function withChoices(place: Place, object: string, name: string, properties: readonly Property[] | undefined): Place {
  if (place.kind !== 'choice') return place
  const property = properties?.find((one) => one.name === name)
  const usual = { usual: USUAL[object]?.[name] ?? {} }
  if (!property) {
    const standard = STANDARD[object]?.[name]
    return standard ? { ...worded(place, standard, usual), closed: place.closed ?? false } : place
  }
  if (property.type !== 'enumeration' || property.externalOptions) return place
  // A record may have several of them, which are shown as one text, and which HubSpot does not compare as such.
  return { ...worded(place, choicesOf(property), usual), ...(isMultiple(property) && { filters: false }) }
}

/** The kinds of properties that are no choices; undefined for what has no kind of ours. */
const KINDS: { readonly [type: string]: (property: Property) => FieldKind | undefined } = {
  string: ({ fieldType }) => (fieldType === 'textarea' || fieldType === 'html' ? 'longText' : fieldType === 'phonenumber' ? 'phone' : 'text'),
  phone_number: () => 'phone',
  number: () => 'number',
  date: () => 'date',
  datetime: () => 'timestamp',
  bool: () => 'boolean',
  enumeration: (property) => {
    if (property.fieldType === 'booleancheckbox') return 'boolean'
    if (property.externalOptions) return 'text'
    return isMultiple(property) ? 'choices' : 'choice'
  },
}

export function kindOf(property: Property): FieldKind | undefined {
  return Object.hasOwn(KINDS, property.type) ? KINDS[property.type]?.(property) : undefined
}

/** Where values of a property live, with the words of its options; undefined where it has no kind of ours. */
function placeOf(property: Property): Place | undefined {
  const kind = kindOf(property)
  if (kind === undefined) return undefined
  const place: Place = { name: property.name, kind, ...(isReadOnly(property) && { readOnly: true }), ...(property.hasUniqueValue && { unique: true }) }
  return kind === 'choice' || kind === 'choices' ? worded(place, choicesOf(property), {}) : place
}

function accountFieldOf(property: Property): AccountField | undefined {
  const place = placeOf(property)
  return place && { ...place, ours: decodedName(property.name), label: property.label }
}
