import type { DriverError } from '../engine/errors.ts'

/** What a duplicate rule has found. */
export interface DuplicateResult {
  readonly duplicateRule?: string
  /** Whether the rule only warns, so that the record can be saved all the same. */
  readonly allowSave?: boolean
  readonly matchResults?: readonly {
    readonly matchRecords?: readonly { readonly record?: { readonly Id?: string; readonly attributes?: { readonly type?: string } } }[]
  }[]
}

/** An error of Salesforce: with `errorCode` in a response, with `statusCode` in a list of results. */
export interface SalesforceError {
  readonly message?: string
  readonly errorCode?: string
  readonly statusCode?: string
  readonly fields?: readonly string[]
  readonly duplicateResult?: DuplicateResult
  readonly duplicateResut?: DuplicateResult
}

export const codeOf = ({ errorCode, statusCode }: SalesforceError) => errorCode ?? statusCode ?? ''

/** What Salesforce itself has answered with. */
export function errorsOf(error: DriverError): readonly SalesforceError[] {
  const { errors = [] } = (error.cause ?? {}) as { readonly errors?: readonly SalesforceError[] }
  return Array.isArray(errors) ? errors : []
}

/** Salesforce's own codes for what went wrong. */
export const codesOf = (error: DriverError): string[] => errorsOf(error).map(codeOf)

/** The status that it was answered with; undefined where that is not known. */
export const statusOf = (error: DriverError) => ((error.cause ?? {}) as { readonly status?: number }).status
