import type { Fault } from '../../../contract/errors.ts'
import { FIELD_KINDS, type FieldKind } from '../../../contract/fields.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { nearest } from '../../../contract/names.ts'
import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { quoted } from '../../../contract/visible-text.ts'
import { isObject } from '../../../helpers/is-object.ts'
import type { Value } from '../../platform.ts'
import { isFieldName, takenName } from './account-fields.ts'
import type { Place, Table, Tables } from './tables.ts'

/** The kinds that a field of a CRM can be: JSON is the connector's own. */
const KINDS: readonly FieldKind[] = (Object.keys(FIELD_KINDS) as FieldKind[]).filter((kind) => kind !== 'json')

/** A value of the configuration, with where it stands and how its faults are reported. */
interface Entry {
  readonly value: unknown
  readonly at: string
  fault(code: Fault['code'], message: string, more?: Partial<Fault>): void
  /** The same for a member of it. */
  member(name: string): Entry
}

/**
 * The tables with what the configuration says of them: other objects and fields, other words, other defaults, and fields that the
 * contract does not have. Everything that is wrong is added to the faults.
 */
export function overridden(base: Tables, given: unknown, faults: Fault[], at: string): Tables {
  if (given === undefined) return base
  const here = entryAt(given, at, faults)
  const types = membersOf(here)
  const known = Object.keys(base)
  const tables = Object.entries(types).flatMap(([type, one]) => {
    const table = Object.hasOwn(base, type) ? base[type] : undefined
    if (table) return [[type, tableWith(type, table, one)]]
    one.fault('unknown', `There is no table for ${quoted(type)}.`, { expected: known.join(', '), ...near(type, known) })
    return []
  })
  return { ...base, ...Object.fromEntries(tables) }
}

const TABLE_MEMBERS = ['object', 'fields', 'defaults', 'fixed']

function tableWith(type: string, base: Table, entry: Entry): Table {
  const members = membersOf(entry, TABLE_MEMBERS)
  const object = members.object && textIn(members.object)
  const { fields, ...ofAccount } = members.fields ? fieldsWith(type, base, members.fields) : base
  const table: Table = {
    ...base,
    ...(object !== undefined && { object }),
    fields,
    ...ofAccount,
    ...(members.defaults && { defaults: valuesWith(base.defaults, members.defaults) }),
    ...(members.fixed && { fixed: valuesWith(base.fixed, members.fixed) }),
  }
  return table
}

/** Values by their names, with others over them; null takes one away. */
function valuesWith(base: Table['defaults'], entry: Entry): { readonly [theirs: string]: Value } {
  const given = Object.entries(membersOf(entry)).flatMap(([name, one]): [string, Value][] => {
    if (one.value === null || ['string', 'number', 'boolean'].includes(typeof one.value)) return [[name, one.value as Value]]
    one.fault('type', `${name} must be a text, a number, a truth value, or null for none.`)
    return []
  })
  return Object.fromEntries(Object.entries({ ...base, ...Object.fromEntries(given) }).filter(([, value]) => value !== null))
}

/** The places of fields; and, for fields that only the account describes, what they are called and which are hidden. */
function fieldsWith(type: string, { fields: base }: Table, entry: Entry): Pick<Table, 'fields' | 'renamed' | 'hidden'> {
  const record = RECORD_TYPES.find(({ name }) => name === type)
  const [renamed, hidden]: [{ [ours: string]: string }, string[]] = [{}, []]
  const places = Object.entries(membersOf(entry)).flatMap(([field, one]): [string, Place | null, Entry][] => {
    if (isOfAccount(field, record, base, one)) {
      if (typeof one.value === 'string') renamed[field] = one.value
      else hidden.push(field)
      return []
    }
    const place = placeWith(field, Object.hasOwn(base, field) ? base[field] : undefined, record, base, one)
    return place === undefined ? [] : [[field, place, one]]
  })
  const fields: { [ours: string]: Place | null } = { ...base, ...Object.fromEntries(places) }
  // A table is read in both directions, so no two fields may live in one place.
  const livesAt = (place: Place | null | undefined) => place?.name.toLowerCase()
  const given = new Set(places.map(([field]) => field))
  for (const [field, place, one] of places) {
    const [other] = Object.entries(fields).find(([name, its]) => name !== field && its && livesAt(its) === livesAt(place)) ?? []
    if (other === undefined) continue
    // An optional field that the configuration does not name gives way, so that what was configured before there was such a field goes on working.
    const { required, access } = record?.fields[other] ?? {}
    if (!given.has(other) && required === false && access === 'write') fields[other] = null
    else one.fault('conflict', `${field} cannot be ${quoted(place?.name)}: ${other} is.`)
  }
  return { fields, ...(Object.keys(renamed).length > 0 && { renamed }), ...(hidden.length > 0 && { hidden }) }
}

/** Whether an entry names or hides a field that only the account describes. A name that is close to one of the contract's is a typing error. */
function isOfAccount(field: string, record: RecordType | undefined, fields: Table['fields'], { value }: Entry): boolean {
  const known = [...Object.keys(fields), ...Object.keys(record?.fields ?? {})]
  if (known.includes(field) || !isFieldName(field) || nearest(field, known).length > 0) return false
  return value === null || (typeof value === 'string' && value.trim() !== '' && takenName(field, record, known) === undefined)
}

/** The place of a field with its overrides; undefined where they are faulty. */
function placeWith(
  field: string,
  base: Place | null | undefined,
  record: RecordType | undefined,
  fields: Table['fields'],
  entry: Entry,
): Place | null | undefined {
  const own = record && Object.hasOwn(record.fields, field) ? record.fields[field] : undefined
  const isExtra = base === undefined && own === undefined
  if (own && base === undefined && own.access !== 'write') return entry.fault('read_only', `${field} is the connector's own.`) as undefined
  if (isExtra && !mayBeCalled(field, record, fields, entry)) return undefined
  if (entry.value === null) {
    // Without these nothing is a record of ours.
    if (isExtra || own?.access === 'read' || field === 'OwnerID') return entry.fault('required', `${field} needs a place.`) as undefined
    return null
  }
  const partial = typeof entry.value === 'string' ? nameIn(entry) : partialPlace(entry, base?.kind ?? own?.kind, isExtra)
  if (partial === undefined) return undefined
  const kind = base?.kind ?? own?.kind
  const place: Partial<Place> = { ...(kind && { kind }), ...base, ...partial }
  const missing = (['name', 'kind'] as const).filter((name) => place[name] === undefined)
  for (const name of missing) {
    // The fault of a value that was given is reported already.
    if (isObject(entry.value) && Object.hasOwn(entry.value, name)) continue
    if (name === 'name') entry.fault('missing', `${field} needs the name that it has in the CRM.`)
    else entry.fault('missing', `${field} is not in the contract, and needs a kind.`, { expected: KINDS.join(', ') })
  }
  if (missing.length > 0) return undefined
  if (isExtra && place.required && place.readOnly) entry.fault('conflict', `${field} cannot be both required and read-only.`)
  return place as Place
}

/** Whether a further field can have this name; a likely typing error is reported with the nearest name. */
function mayBeCalled(field: string, record: RecordType | undefined, fields: Table['fields'], entry: Entry): boolean {
  const known = [...new Set([...Object.keys(fields), ...Object.keys(record?.fields ?? {})])]
  const [like] = nearest(field, known)
  const taken = takenName(field, record, known)
  if (taken !== undefined) entry.fault('conflict', `A further field cannot be called ${field}: ${taken} means something else.`)
  else if (!isFieldName(field))
    entry.fault('form', `${quoted(field)} cannot be the name of a field.`, {
      expected: `letters, digits and _, beginning with a letter, at most ${LIMITS.name}`,
    })
  else if (entry.value === null || typeof entry.value === 'string')
    entry.fault('unknown', `The contract has no field called ${field}.`, {
      expected: `one of ${known.join(', ')}; or, for a further one, { "name": …, "kind": … }`,
      ...(like !== undefined && { didYouMean: like }),
    })
  else return true
  return false
}

type Check = (entry: Entry, kind: FieldKind | undefined) => unknown

/** How each member of a place is read; undefined where it makes no sense. */
const MEMBERS: { readonly [member in Exclude<keyof Required<Place>, 'initial' | 'unique'>]: Check } = {
  name: (entry) => textIn(entry),
  kind: (entry, kind) => kindIn(entry, kind),
  label: (entry) => textIn(entry),
  values: (entry) => wordsIn(entry),
  allowed: (entry) => (isTexts(entry.value) ? entry.value : entry.fault('type', 'allowed must be a list of texts.')),
  closed: (entry) => truthIn(entry),
  filters: (entry) => truthIn(entry),
  sorts: (entry) => truthIn(entry),
  readOnly: (entry) => truthIn(entry),
  required: (entry) => truthIn(entry),
  refers: (entry) => textIn(entry),
  max: (entry) => wholeIn(entry, 1),
  maxBytes: (entry) => wholeIn(entry, 1),
  decimals: (entry) => wholeIn(entry, 0),
  digits: (entry) => wholeIn(entry, 1),
  remark: (entry) => textIn(entry),
  defaultValue: (entry, kind) => valueIn(entry, kind),
}

function partialPlace(entry: Entry, kind: FieldKind | undefined, isExtra: boolean): Partial<Place> | undefined {
  if (!isObject(entry.value))
    return entry.fault('type', 'A field is its name in the CRM, an object that says more, or null where it has no place.') as undefined
  const members = membersOf(entry, Object.keys(MEMBERS))
  const given = isExtra && KINDS.includes(entry.value.kind as FieldKind) ? (entry.value.kind as FieldKind) : kind
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, one]) => {
      const value = MEMBERS[name as keyof typeof MEMBERS](one, given)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function nameIn(entry: Entry): Pick<Place, 'name'> | undefined {
  const name = textIn(entry)
  return name === undefined ? undefined : { name }
}

function kindIn(entry: Entry, kind: FieldKind | undefined): FieldKind | undefined {
  const given = entry.value as FieldKind
  if (!KINDS.includes(given)) entry.fault('value', `${quoted(entry.value)} is no kind of field.`, { expected: KINDS.join(', '), ...near(String(given), KINDS) })
  else if (kind !== undefined && FIELD_KINDS[given] !== FIELD_KINDS[kind])
    entry.fault('value', `The contract compares it as a ${FIELD_KINDS[kind]}, and a ${given} cannot be.`, {
      expected: KINDS.filter((one) => FIELD_KINDS[one] === FIELD_KINDS[kind]).join(', '),
    })
  else return given
  return undefined
}

/** Words of ours and theirs, one to one, so that the mapping is reversible. */
function wordsIn(entry: Entry): Place['values'] | undefined {
  const words = membersOf(entry)
  const seen = new Map<unknown, string>()
  for (const [ours, one] of Object.entries(words)) {
    if (typeof one.value !== 'string') one.fault('type', `${quoted(ours)} must be a text in the CRM's own words.`)
    else if (seen.has(one.value))
      one.fault('conflict', `${quoted(ours)} and ${quoted(seen.get(one.value))} cannot both be ${quoted(one.value)}: the mapping must be reversible.`)
    else seen.set(one.value, ours)
  }
  return isObject(entry.value) ? (entry.value as Place['values']) : undefined
}

const TYPES = { text: 'string', date: 'string', timestamp: 'string', number: 'number', boolean: 'boolean', list: undefined } as const

function valueIn(entry: Entry, kind: FieldKind | undefined): Value | undefined {
  const family = kind && FIELD_KINDS[kind]
  if (['string', 'number', 'boolean'].includes(typeof entry.value) && (!family || typeof entry.value === TYPES[family])) return entry.value as Value
  return entry.fault('type', `defaultValue must be a ${family ?? 'text, number or truth value'}.`) as undefined
}

function textIn(entry: Entry): string | undefined {
  if (typeof entry.value === 'string' && entry.value.trim() !== '') return entry.value
  return entry.fault('type', `${entry.at.split('.').at(-1)} must be a text.`) as undefined
}

function truthIn(entry: Entry): boolean | undefined {
  if (typeof entry.value === 'boolean') return entry.value
  return entry.fault('type', `${entry.at.split('.').at(-1)} must be true or false.`) as undefined
}

function wholeIn(entry: Entry, from: number): number | undefined {
  if (Number.isSafeInteger(entry.value) && (entry.value as number) >= from) return entry.value as number
  return entry.fault('value', `${entry.at.split('.').at(-1)} must be a whole number from ${from}.`) as undefined
}

function entryAt(value: unknown, at: string, faults: Fault[]): Entry {
  return {
    value,
    at,
    fault: (code, message, more = {}) => void faults.push({ field: at, code, message, ...more }),
    member: (name) => entryAt((value as Record<string, unknown>)[name], `${at}.${name}`, faults),
  }
}

/** The members of an object; only these, where they are known. */
function membersOf(entry: Entry, known?: readonly string[]): { readonly [name: string]: Entry } {
  if (!isObject(entry.value)) {
    entry.fault('type', `${entry.at.split('.').at(-1)} must be an object.`)
    return {}
  }
  const members = Object.keys(entry.value).flatMap((name): [string, Entry][] => {
    const member = entry.member(name)
    if (!known || known.includes(name)) return [[name, member]]
    member.fault('unknown', `There is no ${quoted(name)} here.`, { expected: known.join(', '), ...near(name, known) })
    return []
  })
  return Object.fromEntries(members)
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

function near(name: string, known: readonly string[]): { didYouMean?: string } {
  const [didYouMean] = nearest(name, known)
  return didYouMean === undefined ? {} : { didYouMean }
}
