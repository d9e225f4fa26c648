import { RECORD_TYPES } from 'crm-connector/contract'

const LABELS = new Map(RECORD_TYPES.flatMap(({ fields }) => Object.entries(fields).map(([name, { label }]) => [name, label] as const)))

/** What a person calls a field, where nothing is known of it but its name or its path. */
export const labelOf = (field: string): string => LABELS.get(field) ?? field
