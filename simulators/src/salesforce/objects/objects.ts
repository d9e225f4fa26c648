import { type Field, makeField, readFields } from './fields.ts'
import { PICKLISTS } from './picklists.ts'
import { SALES } from './sales.ts'
import { SERVICE } from './service.ts'
import { DEFINITIONS, SETUP } from './setup.ts'
import type { StandardObject } from './standard-object.ts'

export interface SObject {
  readonly name: string
  readonly label: string
  readonly labelPlural: string
  readonly keyPrefix: string
  readonly custom: boolean
  readonly createable: boolean
  readonly updateable: boolean
  readonly deletable: boolean
  readonly virtual: boolean
  readonly tooling: boolean
  /** By lower-case name, in order. */
  readonly fields: Map<string, Field>
}

/** Objects whose records may be owned by a queue; other standard objects are owned by users only. */
const QUEUED = new Set(['Lead', 'Case'])

const SYSTEM = `
  CreatedDate datetime d
  CreatedById reference d >User:CreatedBy
  LastModifiedDate datetime d
  LastModifiedById reference d >User:LastModifiedBy
  SystemModstamp datetime d`

export function standardObjects(): SObject[] {
  return [...SALES, ...SERVICE, ...SETUP, ...DEFINITIONS].map((made) =>
    makeObject(
      { ...made, label: made.label ?? made.plural.replace(/ies$/, 'y').replace(/s$/, ''), custom: false, owned: made.owned ?? false },
      readFields(made.fields, PICKLISTS),
    ),
  )
}

/** An object with its own fields and those that every object has. */
export function makeObject(
  made: Omit<StandardObject, 'fields' | 'label'> & { readonly label: string; readonly custom: boolean },
  own: readonly Field[],
): SObject {
  const { name, label, plural, prefix, custom, owned, virtual = false, tooling = false } = made
  const ownerTo = QUEUED.has(name) || custom ? 'Group|User' : 'User'
  const fields = [
    makeField({ name: 'Id', type: 'id', label: custom ? 'Record ID' : `${label} ID`, defaultedOnCreate: true, idLookup: true }),
    ...(virtual ? [] : [makeField({ name: 'IsDeleted', type: 'boolean', label: 'Deleted', defaultedOnCreate: true, defaultValue: false })]),
    ...own,
    ...(owned ? readFields(`OwnerId reference cud >${ownerTo}:Owner`, PICKLISTS) : []),
    ...(virtual ? [] : readFields(SYSTEM, PICKLISTS)),
  ]
  return {
    name,
    label,
    labelPlural: plural,
    keyPrefix: prefix,
    custom,
    createable: made.createable ?? !virtual,
    updateable: !virtual,
    deletable: made.deletable ?? !virtual,
    virtual,
    tooling,
    fields: new Map(fields.map((field) => [field.name.toLowerCase(), field])),
  }
}
