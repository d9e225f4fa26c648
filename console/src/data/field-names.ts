import { RECORD_TYPES } from 'crm-connector/contract'

const LABELS = new Map(RECORD_TYPES.flatMap(({ fields }) => Object.entries(fields).map(([name, { label }]) => [name, label] as const)))

/** The label of a field of the contract, or its name. */
export const labelOf = (field: string): string => LABELS.get(field) ?? field
