import { RECORD_TYPES } from 'crm-connector/contract'

const CONTRACT = new Map(RECORD_TYPES.flatMap(({ fields }) => Object.entries(fields).map(([name, { label }]) => [name, label] as const)))

/** The labels of the fields that a workspace has: by record type and name, and by name alone. */
let described: ReadonlyMap<string, string> = new Map()

interface Labelled {
  readonly RecordTypes: readonly { readonly Name: string; readonly Fields: readonly { readonly Name: string; readonly Label: string }[] }[]
}

/** Called with every description, so that a field has its label wherever it is named, also outside of a page of its type. */
export function rememberLabels({ RecordTypes }: Labelled): void {
  const all = RecordTypes.flatMap(({ Name: type, Fields }) => Fields.map(({ Name, Label }) => ({ type, Name, Label })))
  described = new Map([...all.map(({ Name, Label }) => [Name, Label] as const), ...all.map(({ type, Name, Label }) => [`${type}.${Name}`, Label] as const)])
}

/** The label of a field, or its name. */
export const labelOf = (field: string, recordType?: string): string =>
  described.get(`${recordType}.${field}`) ?? CONTRACT.get(field) ?? described.get(field) ?? field
