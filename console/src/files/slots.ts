import { CUSTOM_TYPES, type CustomType, type FieldKind, LIMITS, OPERATIONS, type Operation, recordType, type Verb } from 'crm-connector/contract'
import type { Making } from 'crm-connector/files'
import type { DescribedField, Session } from '../session/session.ts'

/** A field that a column can be written to. */
export interface Slot {
  readonly name: string
  readonly label: string
  readonly kind: FieldKind
  /** What writes it: the create itself, an update right after it, or what is hung on the record. */
  readonly step: 'create' | 'update' | 'attach'
  readonly required: boolean
  /** The type of a field of a custom object, and whether it is yet to be defined. */
  readonly own?: { readonly type: CustomType; readonly isNew: boolean }
}

/** What rows become. */
export interface Destination extends Making {
  readonly name: string
  readonly plural: string
  readonly objectName: string | undefined
  readonly slots: readonly Slot[]
  /** Fields that a record gets by itself. */
  readonly given: readonly string[]
}

const ALL: readonly Operation[] = OPERATIONS

const propertiesOf = ({ input }: Operation) => input as { readonly properties?: object; readonly required?: readonly string[] }

/** Undefined where the key does not allow to make such records. */
export function destinationFor(
  { description, may }: Pick<Session, 'description' | 'may'>,
  type: string,
  objectName: string | undefined,
): Destination | undefined {
  const contract = recordType(type)
  const ofType = (...verbs: Verb[]) => ALL.find((one) => one.record.name === type && verbs.includes(one.verb) && may(one.id))
  const [create, update, attach] = [ofType('create', 'createCustom'), ofType('update'), ofType('attach')]
  if (!create) return undefined
  const described = description.RecordTypes.find(({ Name }) => Name === type)?.Fields ?? []
  const { properties = {}, required = [] } = propertiesOf(create)
  const slot = ({ Name, Label, Type }: Pick<DescribedField, 'Name' | 'Label' | 'Type'>, step: Slot['step']): Slot => {
    return { name: Name, label: Label, kind: Type as FieldKind, step, required: step === 'create' && required.includes(Name) }
  }
  const fields: readonly Pick<DescribedField, 'Name' | 'Label' | 'Type' | 'Writable'>[] =
    described.length > 0
      ? described
      : Object.entries(contract.fields).map(([Name, { label, kind, access }]) => ({ Name, Label: label, Type: kind, Writable: access === 'write' }))
  const isDrafted = (name: string) => Object.hasOwn(properties, name) || !Object.hasOwn(contract.fields, name)
  const plain =
    objectName === undefined
      ? fields.filter(({ Name, Writable }) => Object.hasOwn(properties, Name) || Writable)
      : fields.filter(({ Name }) => Name === 'OwnerID')
  const hung = attach ? contract.hanging.filter(({ type }) => Object.hasOwn(propertiesOf(attach).properties ?? {}, type)) : []
  return {
    type: contract,
    create,
    update,
    attach,
    name: type,
    plural: objectName === undefined ? contract.plural : `${objectName} records`,
    objectName,
    slots: [
      ...plain.flatMap((field) => (isDrafted(field.Name) ? [slot(field, 'create')] : update ? [slot(field, 'update')] : [])),
      ...ownSlots(description.CustomObjects.find(({ ObjectName }) => ObjectName === objectName)?.Fields ?? []),
      ...hung.map(({ type: name }): Slot => ({ name, label: name, kind: 'longText', step: 'attach', required: false })),
    ],
    given: fields.map(({ Name }) => Name),
  }
}

const typeOf = (kind: string): CustomType =>
  (Object.entries(CUSTOM_TYPES).find(([type, known]) => known === kind || type === kind)?.[0] ?? 'String') as CustomType

/** The description of an object names what every record has, too. */
function ownSlots(fields: readonly DescribedField[]): Slot[] {
  return fields.map(({ Name, Label, Type }) => {
    const type = typeOf(Type)
    return { name: Name, label: Label, kind: CUSTOM_TYPES[type], step: 'create', required: false, own: { type, isNew: false } }
  })
}

/** A field that a column would define; undefined where its name can be none. */
export function newSlot(column: string, type: CustomType): Slot | undefined {
  const words = column
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9_]+/)
    .filter(Boolean)
  const name = words.length === 1 ? (words[0] ?? '') : words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  if (!/^[A-Za-z]/.test(name) || name.length > LIMITS.name) return undefined
  return { name, label: column, kind: CUSTOM_TYPES[type], step: 'create', required: false, own: { type, isNew: true } }
}
