import { CrmError, type Fault } from 'crm-connector'
import { faultText } from '../data/error-text.ts'

/** `FieldsToUpdate.Email`, `Fields.Email.Value`, `Opportunity.Email` and `Email` are all about the field Email. */
export function fieldOf({ field }: Pick<Fault, 'field'>): string {
  return field.replace(/^(FieldsToUpdate|Fields|Opportunity)\./, '').split('.')[0] ?? field
}

/** The messages of an error by field. */
export function faultsOf(error: unknown, fields: readonly string[], labels: { readonly [field: string]: string } = {}): { readonly [field: string]: string } {
  if (!(error instanceof CrmError)) return {}
  const faults = (error.errors ?? []).filter((fault) => fields.includes(fieldOf(fault)))
  return Object.fromEntries(faults.map((fault) => [fieldOf(fault), faultText(fault, labels[fieldOf(fault)])]))
}

export const faultOf = (error: unknown, field: string): string | undefined => faultsOf(error, [field])[field]

/** Whether the error has faults that belong to none of the fields, and so must be shown for the whole form. */
export function hasOtherFaults(error: unknown, fields: readonly string[]): boolean {
  if (error === undefined) return false
  if (!(error instanceof CrmError) || !error.errors?.length) return true
  return error.errors.some((fault) => !fields.includes(fieldOf(fault)))
}
