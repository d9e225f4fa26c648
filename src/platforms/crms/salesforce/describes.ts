import type { CustomType } from '../../../contract/records/custom-object.ts'
import type { Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Api } from './api.ts'
import { isNotOffered } from './errors.ts'

export interface FieldDescribe {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly length?: number
  readonly digits?: number
  readonly precision?: number
  readonly scale?: number
  readonly createable?: boolean
  readonly updateable?: boolean
  readonly filterable?: boolean
  readonly sortable?: boolean
  readonly nillable?: boolean
  readonly defaultedOnCreate?: boolean
  readonly defaultValue?: unknown
  readonly restrictedPicklist?: boolean
  readonly unique?: boolean
  readonly deprecatedAndHidden?: boolean
  readonly referenceTo?: readonly string[]
  readonly relationshipName?: string | null
  /** The field that this one is a part of. */
  readonly compoundFieldName?: string | null
  readonly picklistValues?: readonly { readonly value: string; readonly active: boolean; readonly defaultValue?: boolean }[]
}

export interface ObjectDescribe {
  readonly name: string
  readonly label?: string
  readonly keyPrefix?: string | null
  readonly custom?: boolean
  readonly customSetting?: boolean
  readonly deprecatedAndHidden?: boolean
  readonly queryable?: boolean
  readonly searchable?: boolean
  readonly createable?: boolean
  readonly updateable?: boolean
  readonly deletable?: boolean
  readonly fields: readonly FieldDescribe[]
}

/**
 * What the account says of these objects, by name; undefined for those that were not modified since a time that is given for them. Those that it does
 * not show us, or does not describe, are left out.
 */
export async function describesSince(
  api: Api,
  objects: readonly { readonly name: string; readonly since: number | undefined }[],
): Promise<Map<string, ObjectDescribe | undefined>> {
  const answers = await api.several<ObjectDescribe>(objects.map(({ name, since }) => ({ path: `/sobjects/${encodeURIComponent(name)}/describe`, since })))
  const found = new Map<string, ObjectDescribe | undefined>()
  for (const [at, { name, since }] of objects.entries()) {
    const answer = answers[at]
    if (!(answer instanceof DriverError)) {
      if (Array.isArray(answer?.fields) || (answer === undefined && since !== undefined)) found.set(name, answer)
    } else if (answer.code !== 'forbidden' && !isNotOffered(answer)) throw answer
  }
  return found
}

/** The same for objects of which nothing is known yet. */
export async function describes(api: Api, objects: readonly string[]): Promise<Map<string, ObjectDescribe>> {
  const unknown = [...new Set(objects)].map((name) => ({ name, since: undefined }))
  return (await describesSince(api, unknown)) as Map<string, ObjectDescribe>
}

export const fieldIn = (describe: ObjectDescribe | undefined, name: string) => describe?.fields.find((field) => field.name.toLowerCase() === name.toLowerCase())

/** Whether a record cannot be made without it. */
export const insists = ({ createable, nillable, defaultedOnCreate }: FieldDescribe) => createable === true && nillable === false && defaultedOnCreate !== true

/** What Salesforce fills in by itself in a new record. A formula makes other defaults, which are not foreseen. */
export function initialIn({ type, defaultValue }: FieldDescribe): { readonly initial?: Value } {
  if (type === 'boolean') return { initial: defaultValue === true }
  return typeof defaultValue === 'string' || typeof defaultValue === 'number' ? { initial: defaultValue } : {}
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'textarea', 'email', 'phone', 'url', 'picklist', 'combobox', 'encryptedstring'])
const NUMBERS: ReadonlySet<string> = new Set(['double', 'currency', 'percent', 'int'])

/** How much a field keeps and what it can be asked for, as far as the account says. */
export function limitsIn({ type, length = 0, digits = 0, precision = 0, scale = 0, filterable, sortable, picklistValues = [] }: FieldDescribe) {
  const whole = type === 'int' ? digits || 9 : precision - scale
  return {
    ...(TEXTS.has(type) && length > 0 && { max: length }),
    ...(NUMBERS.has(type) && { decimals: type === 'int' ? 0 : scale, ...(whole > 0 && { digits: whole }) }),
    ...(filterable === false && { filters: false }),
    ...(sortable === false && { sorts: false }),
    ...((type === 'picklist' || type === 'multipicklist') && picklistValues.length > 0 && { words: picklistValues.map(({ value }) => value) }),
  }
}

/** The types of user-defined fields, by theirs. */
export function customType(type: string): CustomType | undefined {
  return CUSTOM[type] ?? (TEXTS.has(type) ? 'String' : NUMBERS.has(type) ? 'Number' : undefined)
}

const CUSTOM: { readonly [type: string]: CustomType } = {
  boolean: 'Boolean',
  date: 'Date',
  datetime: 'DateTime',
  picklist: 'Choice',
  combobox: 'Choice',
  multipicklist: 'Choices',
  reference: 'Reference',
}

/** The values of a picklist that takes no others. */
export const closedValues = ({ restrictedPicklist, picklistValues = [] }: FieldDescribe): readonly string[] | undefined =>
  restrictedPicklist && picklistValues.length > 0 ? picklistValues.flatMap(({ value, active }) => (active ? [value] : [])) : undefined
