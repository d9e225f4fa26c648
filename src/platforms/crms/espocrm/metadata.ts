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

/** The metadata of a scope. */
export interface ScopeDefs {
  readonly entity?: boolean
  readonly isCustom?: boolean
  readonly disabled?: boolean
  readonly [parameter: string]: unknown
}

const choice = (options: readonly string[]): FieldDefs => ({ type: 'enum', options, default: options[0] })
const NAME: FieldDefs = { type: 'varchar', required: true }

/** The definitions of an EspoCRM as it is installed, for when its metadata cannot be read. */
export const STOCK: { readonly [scope: string]: FieldsDefs } = {
  Lead: {
    firstName: { type: 'varchar', maxLength: 100 },
    lastName: { type: 'varchar', maxLength: 100 },
    emailAddress: { type: 'email' },
    phoneNumber: { type: 'phone' },
    status: choice(['New', 'Assigned', 'In Process', 'Converted', 'Recycled', 'Dead']),
  },
  Opportunity: {
    name: NAME,
    stage: choice(['Prospecting', 'Qualification', 'Proposal', 'Negotiation', 'Closed Won', 'Closed Lost']),
    closeDate: { type: 'date', required: true },
    amount: { type: 'currency', required: true },
  },
  Case: { name: NAME, status: choice(['New', 'Assigned', 'Pending', 'Closed', 'Rejected', 'Duplicate']) },
  Campaign: { name: NAME, status: choice(['Planning', 'Active', 'Inactive', 'Complete']) },
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

const partsOf = (defs: FieldDefs | undefined) => PARTS[defs?.type ?? ''] ?? ['']
