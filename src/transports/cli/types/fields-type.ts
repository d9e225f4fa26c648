import type { Answer } from '../../../contract/client/calls.ts'
import { FIELD_KINDS, type FieldKind } from '../../../contract/fields.ts'
import { RECORD_TYPES } from '../../../contract/operations.ts'

type Described = Answer<'describe'>
type DescribedField = Described['RecordTypes'][number]['Fields'][number]

/** The first line of each file, by which one that was written before is known. */
export const WRITTEN = '// Written by crm types. Run it again once the fields of the workspace have changed.'

const USAGE = `// connect<WorkspaceFields>({ … }) of crm-connector takes and answers with these fields.`

/** The fields that a workspace has beyond the contract, as the type that the SDK takes. */
export function fieldsType({ RecordTypes }: Pick<Described, 'RecordTypes'>): string {
  const types = RecordTypes.flatMap(({ Name, Fields }) => {
    const type = RECORD_TYPES.find(({ name }) => name === Name)
    const further = type?.owned && !type.userDefined ? Fields.filter((one) => !Object.hasOwn(type.fields, one.Name) && isKnown(one)) : []
    return further.length > 0 ? [`  ${Name}: {\n${further.map(memberOf).join('\n')}\n  }`] : []
  })
  const body = types.length > 0 ? `export interface WorkspaceFields {\n${types.join('\n')}\n}` : 'export type WorkspaceFields = Record<never, never>'
  return `${WRITTEN}\n${USAGE}\n\n${body}\n`
}

const isKnown = ({ Type }: DescribedField) => Object.hasOwn(FIELD_KINDS, Type)

function memberOf(field: DescribedField): string {
  const { Name, Label, Required, Writable } = field
  const name = /^[A-Za-z_]\w*$/.test(Name) ? Name : JSON.stringify(Name)
  return `    /** ${Label.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */\n    ${Writable ? '' : 'readonly '}${name}${Required && Writable ? '' : '?'}: ${valueType(field)}`
}

function valueType({ Type, AllowedValues }: DescribedField): string {
  if (Type === 'json') return 'unknown'
  const family = FIELD_KINDS[Type as FieldKind]
  const words = AllowedValues && AllowedValues.length > 0 ? AllowedValues.map((value) => JSON.stringify(value)).join(' | ') : 'string'
  if (family === 'number' || family === 'boolean') return family
  return family === 'list' ? `(${words})[]` : Type === 'choice' ? words : 'string'
}
