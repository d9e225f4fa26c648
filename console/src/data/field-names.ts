import { RECORD_TYPES } from 'crm-connector/contract'

const CONTRACT = new Map(RECORD_TYPES.flatMap(({ fields }) => Object.entries(fields).map(([name, { label }]) => [name, label] as const)))

/** The labels of the fields that a workspace has: by record type and name, and by name alone. */
let described: ReadonlyMap<string, string> = new Map()

/** What decides how a value is shown. */
export interface KnownField {
  readonly Name: string
  readonly Label: string
  readonly Type: string
  readonly RefersTo?: string | null
}

let fields: ReadonlyMap<string, KnownField> = new Map()

interface Labelled {
  readonly RecordTypes: readonly { readonly Name: string; readonly Fields: readonly KnownField[] }[]
}

/** Called with every description, so that a field has its label wherever it is named, also outside of a page of its type. */
export function rememberLabels({ RecordTypes }: Labelled): void {
  const all = RecordTypes.flatMap(({ Name: type, Fields }) => Fields.map(({ Name, Label }) => ({ type, Name, Label })))
  const known = RecordTypes.flatMap(({ Name: type, Fields }) => Fields.map((field) => [type, field] as const))
  // By name alone, a reference to a record says more than the id of the record itself.
  const byName = known.toSorted(([, one], [, other]) => Number(Boolean(one.RefersTo)) - Number(Boolean(other.RefersTo)))
  fields = new Map([...byName.map(([, field]) => [field.Name, field] as const), ...known.map(([type, field]) => [`${type}.${field.Name}`, field] as const)])
  described = new Map([...all.map(({ Name, Label }) => [Name, Label] as const), ...all.map(({ type, Name, Label }) => [`${type}.${Name}`, Label] as const)])
}

/** The field, by its type or, as in a membership, by its name alone; undefined where it is not known. */
export const fieldOf = (field: string, recordType?: string): KnownField | undefined => fields.get(`${recordType}.${field}`) ?? fields.get(field)

/** The label of a field, or its name. */
export const labelOf = (field: string, recordType?: string): string =>
  described.get(`${recordType}.${field}`) ?? CONTRACT.get(field) ?? described.get(field) ?? field
