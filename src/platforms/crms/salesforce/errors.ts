import type { Fault } from '../../../contract/errors.ts'
import { type CrmAnswer, type CrmRequest, reads, retryAfterMs } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { fieldOf } from '../engine/translation.ts'
import { MEANINGS, meaningOf } from './error-codes.ts'
import { soapFault } from './metadata.ts'

/** An error of Salesforce: with `errorCode` in a response, with `statusCode` in a list of results. */
export interface SalesforceError {
  readonly message?: string
  readonly errorCode?: string
  readonly statusCode?: string
  readonly fields?: readonly string[]
}

/** Combines the errors of a refusal into one. */
export function driverError(errors: readonly SalesforceError[], status: number, table?: Table): DriverError {
  const [first = {}] = errors
  const code = codeOf(first)
  const meaning = MEANINGS[code] ?? meaningOf(status)
  const faults = errors.flatMap((error) => faultsOf(error, table))
  const message = errors.map((error) => error.message?.trim() || codeOf(error)).join(' ') || `it answered with status ${status}, and did not say why.`
  // A daily quota is not restored within a retry budget.
  const daily = code === 'REQUEST_LIMIT_EXCEEDED' && /TotalRequests/i.test(message)
  return new DriverError(meaning.code, `Salesforce: ${message}${code && ` (${code})`}`, {
    ...(faults.length > 0 && { errors: faults }),
    retryable: (meaning.retryable ?? false) && !daily,
    ...(meaning.hint !== undefined && { hint: meaning.hint }),
    ...(daily && { hint: 'The account has used up its API requests of the last 24 hours.', retryAfterMs: HOUR_MS }),
    cause: { status, errors },
  })
}

const HOUR_MS = 3_600_000

export const codeOf = ({ errorCode, statusCode }: SalesforceError) => errorCode ?? statusCode ?? ''

function faultsOf(error: SalesforceError, table: Table | undefined): Fault[] {
  const code = MEANINGS[codeOf(error)]?.fault ?? 'value'
  const message = error.message?.trim() || codeOf(error)
  const fields = error.fields?.length ? error.fields : namedIn(message, table)
  return fields.map((field) => ({ field: fieldOf(table, field), code, message }))
}

/** How fields are named that stand only in the message. */
const IN_MESSAGE: readonly RegExp[] = [
  /No such column '([\w.]+)'/,
  /^Required fields are missing: \[([\w, ]+)\]/,
  /^Unable to create\/update fields: ([\w, ]+)\./,
  /^duplicate value found: (\w+) duplicates/,
  /\bfield '(\w+)'/,
  /^The (\w+) field should not be specified/,
]

/** The fields that are only named in the message; one of ours may also be named by itself, before a colon. */
function namedIn(message: string, table: Table | undefined): string[] {
  for (const pattern of IN_MESSAGE) {
    const [, names] = pattern.exec(message) ?? []
    if (names !== undefined) return names.split(',').map((name) => name.trim())
  }
  const [, label = ''] = /^([\w ]{1,40}): /.exec(message) ?? []
  const name = label.replaceAll(' ', '')
  return name !== '' && fieldOf(table, name) !== name ? [name] : Object.hasOwn(table?.fields ?? {}, name) ? [name] : []
}

/** What a refused request means. */
export function refusalOf(answer: CrmAnswer, request: CrmRequest, tableOf: (object: string) => Table | undefined): DriverError {
  const { status } = answer
  const soap = request.path.startsWith('/services/Soap/') ? soapFault(answer.text) : undefined
  if (soap && soap.code !== 'UNKNOWN_EXCEPTION') return driverError([{ errorCode: soap.code, message: soap.message }], 400)
  const errors = errorsIn(answer.text)
  // Such an error leaves open whether the write was executed.
  if (status >= 500) {
    const message = driverError(errors, status).message
    return reads(request)
      ? new DriverError('platform_unavailable', message, { retryable: true, ...retryAfter(answer) })
      : new DriverError('outcome_unknown', message, { unknown: 'ended' })
  }
  const known = driverError(errors, status, tableOf(objectIn(request.path)))
  if (known.code !== 'rate_limited') return known
  return new DriverError('rate_limited', known.message, {
    retryable: known.retryable,
    ...(known.hint !== undefined && { hint: known.hint }),
    ...(known.retryAfterMs !== undefined && { retryAfterMs: known.retryAfterMs }),
    ...retryAfter(answer),
  })
}

function errorsIn(text: string): SalesforceError[] {
  try {
    const body: unknown = JSON.parse(text)
    return (Array.isArray(body) ? body : [body]).filter((one): one is SalesforceError => typeof one === 'object' && one !== null)
  } catch {
    // Gateways in front of Salesforce answer with pages of their own.
    return []
  }
}

function retryAfter(answer: CrmAnswer): { retryAfterMs?: number } {
  const afterMs = retryAfterMs(answer)
  return afterMs === undefined ? {} : { retryAfterMs: afterMs }
}

/** The object that a request is about, from its path. */
const objectIn = (path: string) => (/\/sobjects\/(\w+)/.exec(path) ?? /\bFROM(?:%20|\+)(\w+)/.exec(path))?.[1] ?? ''

/** Salesforce's own codes for what went wrong. */
export function codesOf(error: DriverError): string[] {
  const { errors = [] } = (error.cause ?? {}) as { readonly errors?: readonly SalesforceError[] }
  return Array.isArray(errors) ? errors.map(codeOf) : []
}

/** Whether it does not exist, or a gateway in front of Salesforce refuses it. */
export function isNotOffered(error: unknown): boolean {
  if (!(error instanceof DriverError)) return false
  const gateway = codesOf(error).every((code) => code === '') && (error.code === 'forbidden' || error.code === 'platform_rejected')
  return error.code === 'not_found' || gateway
}

/** Whether a body is one of Salesforce's own errors, over REST or over SOAP. */
export function isError(text: string): boolean {
  return errorsIn(text).some((error) => codeOf(error) !== '') || soapFault(text) !== undefined
}
