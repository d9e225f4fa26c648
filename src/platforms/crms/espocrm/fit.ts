import { recordType } from '../../../contract/operations.ts'
import type { Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import { familyOf, toOurWord } from '../engine/translation.ts'
import { DIGITS } from './codec.ts'
import { type Definitions, type FieldDefs, type FieldsDefs, fieldOfAttribute, initialIn, lengthOf as longestOf, optionsOf, STOCK } from './metadata.ts'

/** What EspoCRM says of itself in its settings. */
type Settings = { readonly [name: string]: unknown }

/**
 * The tables with what the account's own definitions say of lengths, digits, options and required fields. What was configured stays as it is.
 * A field that EspoCRM does not have is refused here, because EspoCRM would silently drop its values; an optional one of the contract that an
 * EspoCRM of another version lacks has no place.
 */
export function fitted(given: Tables, base: Tables, definitions: Definitions, settings: Settings = {}): Tables {
  const tables = withoutLacking(given, base, definitions)
  const missing: string[] = []
  const fit = Object.entries(tables).map(([type, table]): [string, Table] => {
    const defs = definitions[table.object]?.fields
    if (defs) missing.push(...missingIn(type, table, defs))
    const known = defs ?? STOCK[table.object] ?? {}
    const fields = Object.entries(table.fields).map(([field, place]) => [
      field,
      place && fittedPlace(type, field, place, base[type]?.fields[field], { defs: known, definitions, settings }),
    ])
    return [type, { ...table, fields: Object.fromEntries(fields) }]
  })
  if (missing.length > 0)
    throw new DriverError('unsupported', `EspoCRM does not have ${missing.join(', ')}.`, {
      hint: 'Make these fields in the Entity Manager of EspoCRM, or correct their names in the configuration.',
    })
  return Object.fromEntries(fit)
}

/** The tables without the optional fields that are in their usual place, and that this EspoCRM does not have there. */
export function withoutLacking(tables: Tables, base: Tables, definitions: Definitions): Tables {
  const left = Object.entries(tables).map(([type, table]): [string, Table] => {
    const defs = definitions[table.object]?.fields
    if (!defs) return [type, table]
    const { fields } = recordType(type)
    const isLacking = (field: string, place: Place | null) =>
      place !== null &&
      place.name === base[type]?.fields[field]?.name &&
      Object.hasOwn(fields, field) &&
      OPTIONAL.has(fields[field]?.access ?? '') &&
      !fields[field]?.required &&
      field !== 'OwnerID' &&
      fieldOfAttribute(defs, place.name) === undefined
    const places = Object.entries(table.fields).map(([field, place]) => [field, isLacking(field, place) ? null : place])
    return [type, { ...table, fields: Object.fromEntries(places) }]
  })
  return Object.fromEntries(left)
}

const OPTIONAL: ReadonlySet<string> = new Set(['write', 'create'])

/** The fields of a table that EspoCRM has no attribute for. */
export function missingIn(type: string, table: Table, defs: FieldsDefs): string[] {
  const named = Object.entries(table.fields).flatMap(([field, place]) => (place ? [[`${type}.${field}`, place.name] as const] : []))
  const given = [...Object.keys(table.defaults ?? {}), ...Object.keys(table.fixed ?? {})].map((name) => [`${type}`, name] as const)
  return [...named, ...given].flatMap(([ours, name]) =>
    name === 'id' || fieldOfAttribute(defs, name) !== undefined ? [] : [`${table.object}.${name} (for ${ours})`],
  )
}

interface Known {
  /** Of the object itself. */
  readonly defs: FieldsDefs
  readonly definitions: Definitions
  readonly settings: Settings
}

function fittedPlace(type: string, field: string, place: Place, base: Place | null | undefined, { defs, definitions, settings }: Known): Place {
  const name = fieldOfAttribute(defs, place.name)
  const found = name === undefined ? undefined : defs[name]
  // A part of a field, such as the opt-out of an address, is not what the field itself is.
  if (!found || (name !== place.name && found.type !== 'link') || place.name === 'id' || familyOf(place) === undefined) return place
  const definition: FieldDefs = { ...found, options: optionsOf(found, definitions) ?? null }
  const worded =
    place.kind === 'choice' || definition.type === 'enum' ? withOptions(place, base, definition, recordType(type).fields[field]?.defaultValue) : place
  return {
    ...worded,
    ...lengthOf(worded, definition),
    ...precisionOf(worded, definition),
    ...remarkOn(worded, settings),
    ...needsOf(type, field, worded, definition),
    ...initialIn(definition),
    ...(isExtra(type, field) && definition.readOnly && { readOnly: true }),
  }
}

const isExtra = (type: string, field: string) => !Object.hasOwn(recordType(type).fields, field)

function lengthOf(place: Place, defs: FieldDefs): Partial<Place> {
  const max = longestOf(defs)
  return place.max === undefined && max !== undefined && familyOf(place) === 'text' && place.kind !== 'id' && place.kind !== 'choice' ? { max } : {}
}

/** An `int` drops fractions without a word, and every other number is rounded. */
function precisionOf(place: Place, { type }: FieldDefs): Partial<Place> {
  if (familyOf(place) !== 'number') return {}
  return type === 'int' ? { decimals: place.decimals ?? 0 } : { digits: place.digits ?? DIGITS }
}

/** What EspoCRM does with texts of a kind, whatever their definition says. */
function remarkOn({ kind, remark }: Place, { phoneNumberInternational }: Settings): Partial<Place> {
  if (remark !== undefined) return {}
  if (kind === 'email') return { remark: 'EspoCRM stores it in lower case.' }
  if (kind !== 'phone' || !phoneNumberInternational) return {}
  return { remark: 'EspoCRM takes numbers that exist, with + and the country, and stores them as in +442079460958.' }
}

/** Whether EspoCRM requires the field, and with which default. A required amount without a default is 0. */
function needsOf(type: string, field: string, place: Place, defs: FieldDefs): Partial<Place> {
  const { required, default: given, readOnly } = defs
  if (!(required || isNeverEmpty(defs)) || readOnly || place.readOnly || place.required !== undefined) return {}
  const own = Object.hasOwn(recordType(type).fields, field) ? recordType(type).fields[field] : undefined
  const first = isValue(given) ? toOurWord(place, given) : place.kind === 'money' ? 0 : undefined
  const initial = place.defaultValue ?? (own?.required || own?.defaultValue !== undefined ? undefined : first)
  return { required: true, ...(initial !== undefined && { defaultValue: initial }) }
}

/** A choice without an empty option cannot be left empty. */
const isNeverEmpty = ({ type, options }: FieldDefs) => type === 'enum' && (options ?? []).length > 0 && !options?.includes('')

const isValue = (value: unknown): value is Value => ['string', 'number', 'boolean'].includes(typeof value) && value !== ''

/** A choice only accepts its options. Options that our default words map to are shown as those words. */
function withOptions(place: Place, base: Place | null | undefined, { type, options, default: first }: FieldDefs, defaultValue: unknown): Place {
  const words = (options ?? []).filter((option) => option !== '')
  if (type !== 'enum' || words.length === 0 || place.allowed !== undefined) return place
  const isOurs = place.values === base?.values
  const values = isOurs ? usual(place.values ?? {}, words, first, defaultValue) : (place.values ?? {})
  const taken = new Set(Object.values(values))
  return { ...place, values, allowed: words.filter((word) => !taken.has(word)), closed: place.closed ?? true }
}

/**
 * The default mapping of our words to options of the account. A word that is an option itself needs no mapping, one whose option is missing is
 * dropped; our default value maps to the default option of the account unless either is mapped already.
 */
function usual(values: NonNullable<Place['values']>, words: readonly string[], first: unknown, defaultValue: unknown): { [ours: string]: string } {
  const mapped = Object.entries(values).filter(([ours, theirs]) => !words.includes(ours) && words.includes(theirs))
  const isLost = typeof defaultValue === 'string' && !words.includes(defaultValue) && !mapped.some(([ours]) => ours === defaultValue)
  const isFree = typeof first === 'string' && words.includes(first) && !mapped.some(([, theirs]) => theirs === first)
  return Object.fromEntries(isLost && isFree ? [[defaultValue, first], ...mapped] : mapped)
}
