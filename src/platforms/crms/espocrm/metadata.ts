import type { Value } from '../../platform.ts'

/** A field as EspoCRM's metadata describes it. */
export interface FieldDefs {
  readonly type: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly maxLength?: number | null
  readonly options?: readonly string[] | null
  readonly default?: unknown
  readonly isCustom?: boolean
  readonly notStorable?: boolean
  readonly [parameter: string]: unknown
}

export type FieldsDefs = { readonly [field: string]: FieldDefs }

export interface LinkDefs {
  readonly type: string
  readonly entity?: string
}

/** The definition of an object. */
export interface EntityDefs {
  readonly fields: FieldsDefs
  readonly links: { readonly [link: string]: LinkDefs | undefined }
}

/** What EspoCRM's own definitions say, by object; null where they cannot be read. */
export type Definitions = { readonly [object: string]: EntityDefs | null }

/** The metadata of a scope. */
export interface ScopeDefs {
  readonly entity?: boolean
  readonly isCustom?: boolean
  readonly disabled?: boolean
  readonly [parameter: string]: unknown
}

/** What EspoCRM fills in by itself in a new record. Dates that depend on the day are made by its own forms. */
export function initialIn({ type, default: given }: FieldDefs): { readonly initial?: Value } {
  if (type === 'bool') return { initial: given === true }
  const isFixed = typeof given === 'number' || (typeof given === 'string' && given !== '' && type !== 'date' && type !== 'datetime')
  return isFixed ? { initial: given } : {}
}

const choice = (options: readonly string[]): FieldDefs => ({ type: 'enum', options, default: options[0] })
const NAME: FieldDefs = { type: 'varchar', required: true }

const optional = (options: readonly string[]): FieldDefs => ({ type: 'enum', options: ['', ...options] })
const SOURCES = ['Call', 'Email', 'Existing Customer', 'Partner', 'Public Relations', 'Web Site', 'Campaign', 'Other']
const REACH: FieldsDefs = { emailAddress: { type: 'email' }, phoneNumber: { type: 'phone' } }
const PART: FieldDefs = { type: 'varchar', maxLength: 100 }

/** The definitions of an EspoCRM as it is installed, for when its metadata cannot be read. */
export const STOCK: { readonly [scope: string]: FieldsDefs } = {
  Lead: {
    firstName: PART,
    lastName: PART,
    ...REACH,
    status: choice(['New', 'Assigned', 'In Process', 'Converted', 'Recycled', 'Dead']),
    accountName: { type: 'varchar' },
    title: PART,
    salutationName: optional(['Mr.', 'Ms.', 'Mrs.', 'Dr.']),
    website: { type: 'url' },
    addressStreet: { type: 'text', maxLength: 255 },
    source: optional(SOURCES),
  },
  Opportunity: {
    name: NAME,
    stage: choice(['Prospecting', 'Qualification', 'Proposal', 'Negotiation', 'Closed Won', 'Closed Lost']),
    closeDate: { type: 'date', required: true },
    amount: { type: 'currency', required: true },
    leadSource: optional(SOURCES),
    probability: { type: 'int' },
  },
  Case: {
    name: NAME,
    status: choice(['New', 'Assigned', 'Pending', 'Closed', 'Rejected', 'Duplicate']),
    priority: { ...choice(['Low', 'Normal', 'High', 'Urgent']), default: 'Normal' },
    type: optional(['Question', 'Incident', 'Problem']),
  },
  Account: { name: { ...NAME, maxLength: 249 }, ...REACH, website: { type: 'url' }, billingAddressStreet: { type: 'text', maxLength: 255 } },
  Contact: { firstName: PART, lastName: { ...PART, required: true }, title: PART, ...REACH, addressStreet: { type: 'text', maxLength: 255 } },
  Campaign: { name: NAME, status: choice(['Planning', 'Active', 'Inactive', 'Complete']) },
}

/** EspoCRM's default maximum lengths, by field type. */
const LENGTHS: { readonly [type: string]: number } = { varchar: 255, url: 255, phone: 36, email: 255 }

export const lengthOf = ({ type, maxLength }: FieldDefs): number | undefined => (typeof maxLength === 'number' ? maxLength : LENGTHS[type])

/** The options of a choice, which may be those of another field: `Account.industry`. */
export function optionsOf({ options, optionsReference }: FieldDefs, definitions: Definitions): readonly string[] | undefined {
  if (typeof optionsReference !== 'string' || optionsReference === '') return options ?? undefined
  const [object = '', field = ''] = optionsReference.split('.')
  return definitions[object]?.fields[field]?.options ?? STOCK[object]?.[field]?.options ?? undefined
}

/** Attributes that one field has beside, or in the place of, one of its own name. */
const PARTS: { readonly [type: string]: readonly string[] } = {
  link: ['Id', 'Name'],
  linkOne: ['Id', 'Name'],
  file: ['Id', 'Name'],
  image: ['Id', 'Name'],
  linkParent: ['Id', 'Type', 'Name'],
  linkMultiple: ['Ids'],
  currency: ['', 'Currency', 'Converted'],
  email: ['', 'IsOptedOut', 'IsInvalid', 'Data'],
  phone: ['', 'IsOptedOut', 'IsInvalid', 'Data'],
  address: ['Street', 'City', 'State', 'Country', 'PostalCode'],
}

/** The field that an attribute belongs to: `assignedUser` for `assignedUserId`. */
export function fieldOfAttribute(defs: FieldsDefs, attribute: string): string | undefined {
  if (Object.hasOwn(defs, attribute) && partsOf(defs[attribute]).includes('')) return attribute
  return Object.keys(defs).find((field) => partsOf(defs[field]).some((part) => part !== '' && `${field}${part}` === attribute))
}

/** The attributes that a field is written by and read as. */
export function attributesOf(field: string, defs: FieldDefs | undefined): string[] {
  return partsOf(defs).map((part) => `${field}${part}`)
}

/** Attributes that are part of another field, which EspoCRM may describe as fields beside it. The parts of an address are fields of their own. */
export function partsBeside(defs: FieldsDefs): ReadonlySet<string> {
  let known = besides.get(defs)
  if (!known) {
    const parts = Object.entries(defs).filter(([, { type }]) => type !== 'address')
    known = new Set(parts.flatMap(([field, one]) => attributesOf(field, one).filter((attribute) => attribute !== field)))
    besides.set(defs, known)
  }
  return known
}

const besides = new WeakMap<FieldsDefs, ReadonlySet<string>>()

const partsOf = (defs: FieldDefs | undefined) => PARTS[defs?.type ?? ''] ?? ['']
