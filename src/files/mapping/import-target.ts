import type { Crm } from '../../contract/client/client.ts'
import { FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'
import type { Operation, Verb } from '../../contract/operation.ts'
import { OPERATIONS, RECORD_TYPES, STORE_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { bare, type Named } from './column-names.ts'

export type Description = Awaited<ReturnType<Crm['describe']>>
type DescribedField = Description['RecordTypes'][number]['Fields'][number]

/** What writes a field: the create itself, an update right after it, or a call that attaches it to the record. */
export type Step = 'create' | 'update' | 'attach'

/** A field that a column can be written to. */
export interface TargetField extends Named {
  readonly kind: FieldKind
  readonly step: Step
  readonly required: boolean
  /** Whether no two records have the same value. */
  readonly unique?: boolean
  /** Whether the users of the workspace define it. */
  readonly isCustom?: true
}

/** What rows become: a record type, the operations that write it, and its fields in the order in which a row is written. */
export interface ImportTarget {
  readonly type: RecordType
  readonly create: Operation
  readonly update: Operation | undefined
  readonly attach: Operation | undefined
  readonly fields: readonly TargetField[]
  /** All fields of the type, also those that an import cannot write. */
  readonly known: readonly Named[]
  /** The only values that some fields take. */
  readonly allowedValues: ReadonlyMap<string, readonly string[]>
}

const ALL: readonly Operation[] = OPERATIONS

interface Schema {
  readonly properties?: object
  readonly required?: readonly string[]
}

export interface HowToTarget {
  /** What `describe` says of the type; without it only the contract's fields are known. */
  readonly description?: Pick<Description, 'RecordTypes'> | undefined
  /** Whether the caller may call an operation; what is not allowed is not offered. */
  readonly may?: (operation: string) => boolean
  /** Whether rows update the records that match them, and create only the others. */
  readonly upserts?: boolean | undefined
}

/** Undefined where no operation creates records of the type, or the caller may not call it. */
export function importTarget(type: RecordType, { description, may = () => true, upserts = false }: HowToTarget = {}): ImportTarget | undefined {
  const operation = (...verbs: Verb[]) => ALL.find((one) => one.record.name === type.name && verbs.includes(one.verb) && may(one.id))
  const [create, update, attach] = [
    upserts ? operation('upsert', 'upsertCustom') : operation('create', 'createCustom'),
    operation('update'),
    operation('attach'),
  ]
  if (!create) return undefined
  const described = new Map(description?.RecordTypes.find(({ Name }) => Name === type.name)?.Fields.map((field) => [field.Name, field]))
  const { properties = {}, required = [] } = create.input as Schema
  const field = (name: string, step: Step): TargetField => ({
    name,
    label: described.get(name)?.Label ?? type.fields[name]?.label ?? name,
    kind: (described.get(name)?.Type as FieldKind | undefined) ?? type.fields[name]?.kind ?? 'longText',
    step,
    unique: described.get(name)?.Unique ?? type.fields[name]?.unique ?? false,
    required:
      step === 'create' && !upserts && (required.includes(name) || (described.get(name)?.Required === true && type.fields[name]?.defaultValue === undefined)),
  })
  // A custom object's own fields are not among those of its type.
  const created = Object.keys(properties).filter((name) => Object.hasOwn(type.fields, name) && (upserts || !isSetLater(type, name)))
  const extras = [...described.values()].filter((one) => isExtra(type, one)).map(({ Name }) => Name)
  const isWritable = (name: string) => type.fields[name]?.access === 'write' && described.get(name)?.Writable !== false
  const updated = update ? Object.keys(type.fields).filter((name) => isWritable(name) && !created.includes(name)) : []
  const attached = attach ? type.children.map((one) => one.type).filter((name) => Object.hasOwn((attach.input as Schema).properties ?? {}, name)) : []
  return {
    type,
    create,
    update,
    attach,
    fields: [
      ...[...created, ...extras].map((name) => field(name, 'create')),
      ...updated.map((name) => field(name, 'update')),
      ...attached.map((name) => field(name, 'attach')),
    ],
    known: [
      ...Object.entries(type.fields).flatMap(([name, { label, access }]) => (access === 'secret' ? [] : [{ name, label }])),
      ...[...described.values()].map(({ Name, Label }) => ({ name: Name, label: Label })),
    ],
    allowedValues: new Map([...described.values()].flatMap(({ Name, AllowedValues }) => (AllowedValues ? [[Name, AllowedValues] as const] : []))),
  }
}

/** The fields by which rows can be matched with records that are there. */
export const matchFields = ({ fields }: ImportTarget): readonly TargetField[] =>
  fields.filter(({ step, kind }) => step === 'create' && FIELD_KINDS[kind] !== undefined && FIELD_KINDS[kind] !== 'list')

/**
 * The owner, and the status of a lead, are set once the record is there: a row in which only these were corrected is still the same row, which is not
 * created again.
 */
const isSetLater = (type: RecordType, name: string) => name === 'OwnerID' || (type.name === 'Lead' && name === type.state)

/** Whether a field is one that the platform has beyond the contract. */
function isExtra({ fields, owned, userDefined }: RecordType, { Name, Type, Writable }: DescribedField): boolean {
  return owned && userDefined === undefined && Writable && !Object.hasOwn(fields, Name) && Object.hasOwn(FIELD_KINDS, Type)
}

/** All that rows can become. */
export const IMPORT_TARGETS: readonly ImportTarget[] = RECORD_TYPES.filter(({ name }) => !STORE_TYPES.includes(name)).flatMap(
  (type) => importTarget(type) ?? [],
)

const namesOf = ({ type }: ImportTarget) => [bare(type.name), bare(type.plural)]

/** The target with this name, in any spelling. */
export const targetNamed = (name: string) => IMPORT_TARGETS.find((one) => namesOf(one).includes(bare(name)))

/** The targets that a file's name (without its ending) or its columns fit; the file is clear where there is exactly one. `fits` counts the columns that
 *  a target has fields for, and is undefined where a required one is missing. */
export function targetsFor(name: string, columns: readonly string[], fits: (target: ImportTarget) => number | undefined): readonly ImportTarget[] {
  const words = [name, ...name.split(/[^A-Za-z]+/)].map(bare)
  // Only records of custom objects name their object.
  const isCustom = columns.some((column) => bare(column) === 'objectname')
  const named = IMPORT_TARGETS.filter((one) => (isCustom ? one.type.userDefined : namesOf(one).some((known) => words.includes(known))))
  if (named.length === 1) return named
  const counts = IMPORT_TARGETS.filter(({ type }) => !type.userDefined).map((target) => ({ target, count: fits(target) ?? 0 }))
  const best = Math.max(...counts.map(({ count }) => count))
  const fitting = best * 2 > columns.length ? counts.filter(({ count }) => count === best).map(({ target }) => target) : []
  // Rows that could be leads or contacts are leads, unless the file's name or the caller says otherwise.
  const first = fitting.filter(({ create }) => !create.extension)
  return first.length > 0 ? first : fitting
}
