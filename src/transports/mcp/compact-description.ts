import { FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'
import type { Verb } from '../../contract/operation.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import { quotedChoice } from '../../contract/visible-text.ts'
import { TOOLS } from './tools.ts'
import type { Members } from './truncate.ts'

interface Described {
  readonly Name: string
  readonly Type: string
  readonly Required: boolean
  readonly Writable: boolean
  readonly AllowedValues: readonly string[] | null
  readonly SuggestedValues: readonly string[] | null
  readonly Operators: readonly string[]
  readonly Retired?: boolean
}

const TYPES = new Set(TOOLS.map(({ record }) => record.name))

/** The answer of describe, with one line for each field, and the operators listed once for each type. */
export function compactDescription(answer: Members, left: string[]): Members {
  const { Platform, RecordTypes, CustomObjects } = answer as unknown as {
    Platform: string
    RecordTypes: readonly { Name: string; Summary: string; Fields: readonly Described[] }[]
    CustomObjects: readonly { ObjectName: string; Fields: readonly Described[] }[]
  }
  const types = RecordTypes.length === 1 ? RecordTypes : RecordTypes.filter(({ Name }) => TYPES.has(Name))
  const all = [...types, ...CustomObjects].flatMap(({ Fields }) => Fields)
  left.push('labels, descriptions and lengths')
  if (types.length < RecordTypes.length) left.push('record types that are administration')
  return {
    Platform,
    RecordTypes: types.map(({ Name, Summary, Fields }) => ({ Name, Summary, Fields: linesOf(Fields, writesOf(Name)) })),
    ...(CustomObjects.length > 0 && { CustomObjects: CustomObjects.map(({ ObjectName, Fields }) => ({ ObjectName, Fields: linesOf(Fields) })) }),
    Operators: Object.fromEntries(all.flatMap(({ Type, Operators }) => (Operators.length > 0 ? [[Type, Operators.join(' ')]] : []))),
  }
}

const linesOf = (fields: readonly Described[], writes?: Writes) => Object.fromEntries(fields.map((field) => [field.Name, lineOf(field, writes)]))

/** The fields of a record type, and those that the tools take to create and update it. */
interface Writes {
  readonly known: readonly string[]
  readonly create: readonly string[]
  readonly required: readonly string[]
  readonly update: readonly string[]
}

/** Undefined where no tool writes the record type; its fields are then not marked as read-only one by one. */
function writesOf(type: string): Writes | undefined {
  const input = (verbs: readonly Verb[]) => TOOLS.find(({ record, verb }) => record.name === type && verbs.includes(verb))?.input as Taken | undefined
  const [create, update] = [input(['create', 'createCustom']), input(['update'])]
  if (!create && !update) return undefined
  return {
    known: Object.keys(RECORD_TYPES.find(({ name }) => name === type)?.fields ?? {}),
    create: Object.keys(create?.properties ?? {}),
    required: create?.required ?? [],
    update: Object.keys(update?.properties.FieldsToUpdate?.properties ?? {}),
  }
}

interface Taken {
  readonly properties: { readonly [name: string]: { readonly properties?: object } }
  readonly required?: readonly string[]
}

function lineOf({ Name, Type, Required, Writable, Operators, AllowedValues, SuggestedValues, Retired }: Described, writes: Writes | undefined): string {
  const isSupported = Writable || Operators.length > 0 || FIELD_KINDS[Type as FieldKind] === undefined
  const parts = [
    Type,
    ...(Retired ? ['retired'] : []),
    ...(isSupported ? (writes ? settingOf(Name, Required, Writable, writes) : []) : ['has no place on this platform']),
    ...(AllowedValues ? [`one of: ${valuesOf(AllowedValues)}`] : SuggestedValues ? [`such as: ${valuesOf(SuggestedValues)}`] : []),
  ]
  return parts.join('; ')
}

const valuesOf = (values: readonly string[]) => values.map(quotedChoice).join(', ')

/** Which tool sets a field, where not both do, and whether it may be empty. */
function settingOf(name: string, notNull: boolean, writable: boolean, { known, create, required, update }: Writes): string[] {
  // A field that only the platform has is set by create and update.
  const isExtra = !known.includes(name) && writable
  const [onCreate, onUpdate] = [isExtra || create.includes(name), isExtra || update.includes(name)]
  if (!onCreate && !onUpdate) return ['read-only']
  return [
    ...(required.includes(name) ? ['required'] : notNull && onUpdate ? ['cannot be cleared'] : []),
    ...(onUpdate ? (onCreate ? [] : ['only by update']) : ['only by create']),
  ]
}
