import { FIELD_KINDS, type FieldKind } from '../../../contract/fields.ts'
import { recordType } from '../../../contract/operations.ts'
import { words } from '../../../contract/record.ts'
import { type AccountField, withAccountFields } from '../engine/account-fields.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { familyOf } from '../engine/translation.ts'
import type { Me } from './api.ts'
import { DIGITS } from './codec.ts'
import { attributesOf, type Definitions, type FieldDefs, type FieldsDefs, initialIn, lengthOf, optionsOf, partsBeside } from './metadata.ts'
import { fieldNameOf } from './names.ts'

/** What EspoCRM's field types are to us. Types that are not here, such as files and links to many, are left out. */
const KINDS: { readonly [type: string]: FieldKind } = {
  varchar: 'text',
  url: 'text',
  barcode: 'text',
  colorpicker: 'text',
  number: 'text',
  text: 'longText',
  wysiwyg: 'longText',
  enum: 'choice',
  multiEnum: 'choices',
  array: 'choices',
  checklist: 'choices',
  urlMultiple: 'choices',
  bool: 'boolean',
  int: 'integer',
  enumInt: 'integer',
  autoincrement: 'integer',
  float: 'number',
  enumFloat: 'number',
  decimal: 'number',
  currency: 'money',
  date: 'date',
  datetime: 'timestamp',
  email: 'email',
  phone: 'phone',
  link: 'id',
  linkOne: 'id',
}

/** EspoCRM sets these itself. */
const READ_ONLY: ReadonlySet<string> = new Set(['number', 'autoincrement', 'linkOne', 'foreign'])

/** Types that EspoCRM does not search by in the way that others are. */
const UNSEARCHED: ReadonlySet<string> = new Set(['urlMultiple', 'linkOne', 'foreign'])

/** Who has created and changed a record last: the API user, for all that is done here. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['createdBy', 'modifiedBy'])

/** What EspoCRM keeps of a conversion, and of the stages that an opportunity was in. */
const DERIVED: ReadonlySet<string> = new Set(['Lead.createdAccount', 'Lead.createdContact', 'Lead.createdOpportunity', 'Opportunity.lastStage'])

export const kindOf = (type: string): FieldKind | undefined => (Object.hasOwn(KINDS, type) ? KINDS[type] : undefined)

type Labels = { readonly [field: string]: string }

interface Described {
  readonly definitions: Definitions
  /** The types that links can point to are those of the tables. */
  readonly tables: Tables
  readonly acl?: Me['acl'] | undefined
  readonly labels?: { readonly [object: string]: { readonly fields?: Labels } | undefined } | undefined
}

/** How ExternalID gets a place; docs/platforms/espocrm.md says more. */
export const EXTERNAL_ID_REMEDY =
  'In Administration → Entity Manager → the entity → Fields, add a field of type Varchar called externalId, and restart the connector.'

/**
 * The tables with every field that the account has. A field of the contract that EspoCRM has no place for lives in a field of the account that is called
 * like it. Notes and comments are posts, which have no fields of an account.
 */
export function withFieldsOfAccount(described: Described): Tables {
  const tables = Object.entries(described.tables).map(([type, table]): [string, Table] => {
    if (table.fixed?.type === 'Post') return [type, table]
    const found = accountFields(table.object, described)
    return [type, withAccountFields(type, adopted(type, table, found), found)]
  })
  return Object.fromEntries(tables)
}

/** Whether any of these objects has a field that people have made, whose label only EspoCRM's texts have. */
export const hasFieldsOfItsOwn = (definitions: Definitions) =>
  Object.values(definitions).some((defs) => Object.values(defs?.fields ?? {}).some(({ isCustom }) => isCustom))

function accountFields(object: string, described: Described): AccountField[] {
  const { fields } = described.definitions[object] ?? {}
  if (!fields) return []
  return Object.entries(fields).flatMap(([field, defs]) => accountField(object, field, defs, fields, described) ?? [])
}

function accountField(object: string, field: string, defs: FieldDefs, all: FieldsDefs, described: Described): AccountField | undefined {
  const { definitions, acl } = described
  const source = defs.type === 'foreign' ? foreignOf(object, defs, definitions) : defs
  const kind = source && kindOf(source.type)
  if (!kind || BOOKKEEPING.has(field) || defs.disabled || (defs.notStorable && defs.type !== 'foreign') || partsBeside(all).has(field)) return undefined
  const rights = acl?.fieldTable?.[object]?.[field]
  if (rights?.read === 'no') return undefined
  const isLink = kind === 'id'
  const readOnly = defs.readOnly === true || READ_ONLY.has(defs.type) || DERIVED.has(`${object}.${field}`) || rights?.edit === 'no'
  const ours = named(field, defs) + (isLink ? 'ID' : '')
  return {
    ours,
    label: described.labels?.[object]?.fields?.[field] ?? words(named(field, defs)),
    name: isLink ? `${field}Id` : field,
    kind,
    ...limitsOf(kind, source, definitions),
    ...(!isLink && initialIn(defs)),
    ...(isLink && refersTo(object, field, described)),
    ...(readOnly && { readOnly: true }),
    ...(defs.required && !readOnly && defs.default == null && { required: true }),
    ...((UNSEARCHED.has(defs.type) || defs.doNotStoreArrayValues === true) && { filters: false }),
  }
}

/** `cScore` is Score, as EspoCRM puts a c before fields that people make in its own objects. */
function named(field: string, { isCustom }: FieldDefs): string {
  return fieldNameOf(isCustom && /^c[A-Z]/.test(field) ? field.slice(1) : field)
}

/** The definition of the field that another one shows of a linked record. */
function foreignOf(object: string, { link, field }: FieldDefs, definitions: Definitions): FieldDefs | undefined {
  const entity = typeof link === 'string' ? definitions[object]?.links[link]?.entity : undefined
  const source = entity !== undefined && typeof field === 'string' ? definitions[entity]?.fields[field] : undefined
  return source && kindOf(source.type) !== 'id' ? source : undefined
}

function refersTo(object: string, field: string, { definitions, tables }: Described): { readonly refers?: string } {
  const entity = definitions[object]?.links[field]?.entity
  const [refers] = Object.entries(tables).find(([, table]) => table.object === entity && table.fixed === undefined) ?? []
  return refers === undefined ? {} : { refers }
}

function limitsOf(kind: FieldKind, defs: FieldDefs, definitions: Definitions): Partial<AccountField> {
  switch (kind) {
    case 'choice':
    case 'choices': {
      const allowed = (optionsOf(defs, definitions) ?? []).filter((option) => option !== '')
      const isOpen = allowed.length === 0 || defs.allowCustomOptions === true
      return isOpen ? {} : { allowed, closed: true }
    }
    case 'integer':
      return { decimals: 0 }
    case 'number':
    case 'money':
      return { digits: DIGITS }
    case 'text':
    case 'longText':
    case 'email':
    case 'phone': {
      const max = lengthOf(defs)
      return max === undefined ? {} : { max }
    }
    default:
      return {}
  }
}

/** A table whose fields without a place have that of the account's field of the same name. */
function adopted(type: string, table: Table, found: readonly AccountField[]): Table {
  const { fields } = recordType(type)
  const places = Object.entries(table.fields).map(([ours, place]) => {
    const own = Object.hasOwn(fields, ours) ? fields[ours] : undefined
    if (place !== null || !own) return [ours, place]
    const same = found.find((one) => one.ours.toLowerCase() === ours.toLowerCase() && familyOf(one) === FIELD_KINDS[own.kind] && one.refers === own.refers)
    if (!same || same.readOnly) return [ours, place]
    const { ours: _, label: __, refers: ___, ...adoptedPlace } = same
    return [ours, adoptedPlace]
  })
  return { ...table, fields: Object.fromEntries(places) }
}

/** The attributes of an object that the answer to a create does not have yet. */
export function unansweredIn(definitions: Definitions, object: string): ReadonlySet<string> {
  const fields = Object.entries(definitions[object]?.fields ?? {})
  return new Set(fields.flatMap(([field, { type }]) => (UNANSWERED.has(type) ? [field] : [])))
}

const UNANSWERED: ReadonlySet<string> = new Set(['autoincrement', 'number', 'foreign'])

/** The attributes by object that a role hides, or closes for editing. */
export function unwritableIn(acl: Me['acl'] | undefined, definitions: Definitions): ReadonlyMap<string, ReadonlySet<string>> {
  const objects = Object.entries(acl?.fieldTable ?? {}).map(([object, fields]): [string, ReadonlySet<string>] => {
    const denied = Object.entries(fields ?? {}).flatMap(([field, rights]) => (rights?.edit === 'no' || rights?.read === 'no' ? [field] : []))
    return [object, new Set(denied.flatMap((field) => [field, ...attributesOf(field, definitions[object]?.fields[field])]))]
  })
  return new Map(objects)
}
