import { CrmError } from 'crm-connector'
import { faultText } from '../data/error-text.ts'

/** The messages about the members of `Secrets` or `Options`, by the name of the member. */
export function memberFaults(error: unknown, field: 'Secrets' | 'Options'): { readonly [name: string]: string } {
  if (!(error instanceof CrmError)) return {}
  const at = new RegExp(`^(?:FieldsToUpdate\\.)?${field}\\.(.+)$`)
  return Object.fromEntries(
    (error.errors ?? []).flatMap((fault) => {
      const name = at.exec(fault.field)?.[1]
      return name === undefined ? [] : [[name, faultText(fault, name)]]
    }),
  )
}

/** Whether the CRM has refused the secrets as they are, together. */
export const isRefused = (error: unknown): error is CrmError =>
  error instanceof CrmError && (error.errors ?? []).some(({ field }) => /^(?:FieldsToUpdate\.)?Secrets$/.test(field))
