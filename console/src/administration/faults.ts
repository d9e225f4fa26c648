import { CrmError } from 'crm-connector'

/** What a refusal says of a field of a form: of the field itself, or of something in it. */
export function faultOf(error: unknown, field: string): string | undefined {
  const found = faultsIn(error).find(({ field: at }) => fieldOf(at) === field)
  return found && (found.didYouMean ? `${found.message} Did you mean ${found.didYouMean}?` : found.message)
}

/** Whether a refusal says something that belongs to none of these fields. */
export function isElsewhere(error: unknown, fields: readonly string[]): boolean {
  const faults = faultsIn(error)
  return error !== undefined && (faults.length === 0 || faults.some(({ field }) => !fields.includes(fieldOf(field))))
}

const faultsIn = (error: unknown) => (error instanceof CrmError ? (error.errors ?? []) : [])
const fieldOf = (at: string) => at.replace(/^FieldsToUpdate\./, '').split('.')[0] ?? at
