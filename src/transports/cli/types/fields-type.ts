import type { Answer } from '../../../contract/client/calls.ts'
import type { ReferredRecords } from '../../../contract/client/further-fields.ts'
import { FIELD_KINDS, type FieldKind } from '../../../contract/fields.ts'
import { RECORD_TYPES } from '../../../contract/operations.ts'
import { nameBehind } from '../../../contract/record.ts'

type Described = Answer<'describe'>
type DescribedField = Described['RecordTypes'][number]['Fields'][number]

/** The first line of each file, by which one that was written before is known. */
export const WRITTEN = '// Written by crm types. Run it again once the fields of the workspace have changed.'

const USAGE = `// connect<WorkspaceFields>({ … }) of crm-connector takes and answers with these fields.`

/** The fields that a workspace has beyond the contract, as the type that the SDK takes. */
export function fieldsType({ RecordTypes }: Pick<Described, 'RecordTypes'>): string {
  const extended = RecordTypes.flatMap(({ Name, Fields }) => {
    const type = RECORD_TYPES.find(({ name }) => name === Name)
    const further = type?.owned && !type.userDefined ? Fields.filter((one) => !Object.hasOwn(type.fields, one.Name) && isKnown(one)) : []
    return further.length > 0 ? [{ Name, further }] : []
  })
  const types = extended.map(({ Name, further }) => `  ${Name}: {\n${further.map(memberOf).join('\n')}\n  }`)
  const references = extended.flatMap(({ Name, further }) => {
    const members = further.flatMap(referenceOf)
    return members.length > 0 ? [`    ${Name}: { ${members.join('; ')} }`] : []
  })
  if (references.length > 0)
    types.push(`  /** The records behind references, by the names that Include has for them. */\n  References: {\n${references.join('\n')}\n  }`)
  const body = types.length > 0 ? `export interface WorkspaceFields {\n${types.join('\n')}\n}` : 'export type WorkspaceFields = Record<never, never>'
  return `${WRITTEN}\n${USAGE}\n\n${body}\n`
}

function referenceOf({ Name, RefersTo }: DescribedField): string[] {
  return RefersTo !== null && Object.hasOwn(REFERRED, RefersTo) ? [`${memberName(nameBehind(Name))}: ${JSON.stringify(RefersTo)}`] : []
}

/** The record types that the SDK has a type for behind references. */
const REFERRED: { readonly [name in keyof ReferredRecords]: true } = {
  Lead: true,
  Opportunity: true,
  Case: true,
  Company: true,
  Contact: true,
  Campaign: true,
  User: true,
}

const memberName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

const isKnown = ({ Type }: DescribedField) => Object.hasOwn(FIELD_KINDS, Type)

function memberOf(field: DescribedField): string {
  const { Name, Label, Required, Writable } = field
  return `    /** ${Label.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */\n    ${Writable ? '' : 'readonly '}${memberName(Name)}${Required && Writable ? '' : '?'}: ${valueType(field)}`
}

function valueType({ Type, AllowedValues }: DescribedField): string {
  if (Type === 'json') return 'unknown'
  const family = FIELD_KINDS[Type as FieldKind]
  const words = AllowedValues && AllowedValues.length > 0 ? AllowedValues.map((value) => JSON.stringify(value)).join(' | ') : 'string'
  if (family === 'number' || family === 'boolean') return family
  return family === 'list' ? `(${words})[]` : Type === 'choice' ? words : 'string'
}
