export type FieldType =
  | 'id'
  | 'string'
  | 'textarea'
  | 'picklist'
  | 'multipicklist'
  | 'email'
  | 'phone'
  | 'url'
  | 'base64'
  | 'boolean'
  | 'int'
  | 'double'
  | 'currency'
  | 'percent'
  | 'date'
  | 'datetime'
  | 'reference'
  | 'address'
  | 'complexvalue'

export interface Field {
  readonly name: string
  readonly label: string
  readonly type: FieldType
  readonly length: number
  readonly precision: number
  readonly scale: number
  readonly createable: boolean
  readonly updateable: boolean
  readonly nillable: boolean
  readonly defaultedOnCreate: boolean
  readonly filterable: boolean
  readonly groupable: boolean
  readonly sortable: boolean
  readonly permissionable: boolean
  readonly restricted: boolean
  readonly idLookup: boolean
  readonly nameField: boolean
  readonly autoNumber: boolean
  /** Whether it is a formula. */
  readonly calculated: boolean
  /** Counted in bytes rather than in characters. */
  readonly inBytes: boolean
  readonly custom: boolean
  readonly externalId: boolean
  readonly unique: boolean
  readonly defaultValue: string | number | boolean | null
  readonly picklist: readonly string[]
  readonly referenceTo: readonly string[]
  readonly relationshipName: string | null
  /** The name of the child records, seen from the parent. */
  readonly childRelationship: string | null
  /** Whether child records are deleted with their parent. */
  readonly cascade: boolean
  /** The field this one is a part of. */
  readonly compound: string | null
}

export const TEXT: ReadonlySet<FieldType> = new Set(['string', 'textarea', 'picklist', 'multipicklist', 'email', 'phone', 'url'])
export const NUMERIC: ReadonlySet<FieldType> = new Set(['int', 'double', 'currency', 'percent'])
const DECIMAL: ReadonlySet<FieldType> = new Set(['double', 'currency', 'percent'])
const IDS: ReadonlySet<FieldType> = new Set(['id', 'reference'])
/** Neither filtered, sorted nor grouped. */
const OPAQUE: ReadonlySet<FieldType> = new Set(['base64', 'complexvalue'])

/** A long text cannot be filtered, sorted or grouped, and makes pages smaller. */
export const isLong = ({ type, length }: Pick<Field, 'type' | 'length'>) => type === 'textarea' && length > 255

export const isRequired = ({ createable, nillable, defaultedOnCreate }: Field) => createable && !nillable && !defaultedOnCreate

export function makeField(given: Partial<Field> & Pick<Field, 'name' | 'type'>): Field {
  const length = IDS.has(given.type) ? 18 : (given.length ?? 0)
  const opaque = OPAQUE.has(given.type) || isLong({ type: given.type, length })
  return {
    label: labelOf(given.name),
    precision: 0,
    scale: 0,
    createable: false,
    updateable: false,
    nillable: false,
    defaultedOnCreate: false,
    filterable: !opaque,
    groupable:
      !opaque && !DECIMAL.has(given.type) && given.type !== 'datetime' && given.type !== 'address' && given.type !== 'multipicklist' && !given.autoNumber,
    sortable: !opaque && given.type !== 'address' && given.type !== 'multipicklist',
    permissionable: false,
    restricted: false,
    idLookup: false,
    nameField: false,
    autoNumber: false,
    calculated: false,
    inBytes: false,
    custom: false,
    externalId: false,
    unique: false,
    defaultValue: null,
    picklist: [],
    referenceTo: [],
    relationshipName: null,
    childRelationship: null,
    cascade: false,
    compound: null,
    ...given,
    length,
  }
}

/** `LastModifiedById` is labelled Last Modified By ID. */
function labelOf(name: string): string {
  return name
    .replace(/__c$/, '')
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\bId\b/g, 'ID')
}

const FLAGS: { readonly [letter: string]: Partial<Field> } = {
  c: { createable: true },
  u: { updateable: true },
  n: { nillable: true },
  d: { defaultedOnCreate: true },
  p: { permissionable: true },
  r: { restricted: true },
  i: { idLookup: true },
  N: { nameField: true },
  a: { autoNumber: true },
  b: { inBytes: true },
  f: { filterable: false },
  g: { groupable: false },
  s: { sortable: false },
  S: { sortable: true },
  U: { unique: true },
  '-': {},
}

/**
 * Reads a table of fields, one a line: name, type with length or with precision and scale, flags (see FLAGS), then optionally
 * `>Object|Object:Relationship/Children!` for a reference (`!`: children are deleted with the parent), `#values` for a picklist, `=value` for
 * a default, `@Compound` for the compound field it is part of, and a label in quotes.
 */
export function readFields(table: string, picklists: { readonly [name: string]: readonly string[] }): Field[] {
  return table
    .trim()
    .split('\n')
    .map((line) => readField(line.trim(), picklists))
}

function readField(line: string, picklists: { readonly [name: string]: readonly string[] }): Field {
  const label = /"(.*)"$/.exec(line)?.[1]
  const [name = '', typed = '', flags = '', ...rest] = line.replace(/\s*"(.*)"$/, '').split(/\s+/)
  const [, type = '', size = '0', scale = '0'] = /^(\w+)(?:\((\d+)(?:,(\d+))?\))?$/.exec(typed) ?? []
  const numeric = DECIMAL.has(type as FieldType)
  const made: { -readonly [K in keyof Field]?: Field[K] } = numeric ? { precision: Number(size), scale: Number(scale) } : { length: Number(size) }
  for (const letter of flags) Object.assign(made, FLAGS[letter])
  for (const more of rest) {
    const text = more.slice(1)
    if (more.startsWith('>')) {
      const [, to = '', relationship, children, cascade] = /^([\w|]*)(?::(\w+))?(?:\/(\w+)(!)?)?$/.exec(text) ?? []
      Object.assign(made, { referenceTo: to.split('|'), relationshipName: relationship ?? null, childRelationship: children ?? null, cascade: cascade === '!' })
    } else if (more.startsWith('#')) {
      const values = picklists[text] ?? []
      made.picklist = values.map((value) => value.replace(/\*$/, ''))
      made.defaultValue = values.find((value) => value.endsWith('*'))?.slice(0, -1) ?? null
    } else if (more.startsWith('=')) made.defaultValue = text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text
    else if (more.startsWith('@')) made.compound = text
  }
  if (label !== undefined) made.label = label
  return makeField({ ...made, name, type: type as FieldType })
}
