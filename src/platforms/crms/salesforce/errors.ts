import type { Fault } from '../../../contract/errors.ts'
import { type CrmAnswer, type CrmRequest, reads, retryAfterMs } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { fieldOf } from '../engine/translation.ts'
import { codeOf, codesOf, type SalesforceError } from './answered-errors.ts'
import { ruleIn } from './duplicates.ts'
import { MEANINGS, meaningOf } from './error-codes.ts'
import { soapFault } from './metadata.ts'

/** Combines the errors of a refusal into one. */
export function driverError(errors: readonly SalesforceError[], status: number, table?: Table): DriverError {
  const [first = {}] = errors
  const code = codeOf(first)
  const meaning = MEANINGS[code] ?? meaningOf(status)
  const faults = errors.flatMap((error) => faultsOf(error, table))
  const message = errors.map((error) => textOf(error) || codeOf(error)).join(' ') || `it answered with status ${status}, and did not say why.`
  // A daily quota is not restored within a retry budget.
  const daily = code === 'REQUEST_LIMIT_EXCEEDED' && /TotalRequests/i.test(message)
  const { rule, hint = meaning.hint } = ruleIn(first)
  return new DriverError(meaning.code, `Salesforce: ${message}${code && ` (${[code, rule].filter(Boolean).join(' by the rule ')})`}`, {
    ...(faults.length > 0 && { errors: faults }),
    retryable: (meaning.retryable ?? false) && !daily,
    ...(hint !== undefined && { hint }),
    ...(meaning.retryAfterMs !== undefined && { retryAfterMs: meaning.retryAfterMs }),
    ...(daily && { hint: 'The account has used up its API requests of the last 24 hours.', retryAfterMs: HOUR_MS }),
    cause: { status, errors },
  })
}

const HOUR_MS = 3_600_000

/** What Salesforce says, without the query that it repeats before. */
const textOf = ({ message = '' }: SalesforceError) => message.replace(/^.*\nERROR at Row:\d+:Column:\d+\n/s, '').trim()

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

/** What a refused request means: by the code that Salesforce gives, and by the status only where it gives none that is known. */
export function refusalOf(answer: CrmAnswer, request: CrmRequest, tableOf: (object: string) => Table | undefined): DriverError {
  const { status } = answer
  const soap = request.path.startsWith('/services/Soap/') ? soapFault(answer.text) : undefined
  if (soap && soap.code !== 'UNKNOWN_EXCEPTION') return driverError([{ errorCode: soap.code, message: soap.message }], 400)
  const errors = errorsIn(answer.text)
  const meaning = MEANINGS[codeOf(errors[0] ?? {})]
  if (meaning ? meaning.ended : status >= 500) return endedOf(errors, answer, request)
  const object = objectIn(request.path)
  const known = driverError(errors, status, tableOf(object))
  if (isCreate(request) && isNoObject(errors)) return notShown(object, known)
  if (known.code !== 'rate_limited') return known
  return new DriverError('rate_limited', known.message, {
    retryable: known.retryable,
    ...(known.hint !== undefined && { hint: known.hint }),
    ...(known.retryAfterMs !== undefined && { retryAfterMs: known.retryAfterMs }),
    ...retryAfter(answer),
  })
}

/** An error that leaves open whether a write was executed. */
function endedOf(errors: readonly SalesforceError[], answer: CrmAnswer, request: CrmRequest): DriverError {
  const { message, hint } = driverError(errors, answer.status)
  const details = hint === undefined ? {} : { hint }
  return reads(request)
    ? new DriverError('platform_unavailable', message, { ...details, retryable: true, ...retryAfter(answer) })
    : new DriverError('outcome_unknown', message, { ...details, unknown: 'ended' })
}

const isCreate = ({ method, path }: CrmRequest) => method === 'POST' && /\/v[\d.]+\/sobjects\/\w+$/.test(path)

/** Whether a create was refused because there is no such object, as far as the user can see. */
export const isNoObject = (errors: readonly SalesforceError[]) => errors.some((error) => codeOf(error) === 'NOT_FOUND')

/** The refusal of a create in an object that is hidden from the user. */
export function notShown(object: string, { cause }: DriverError): DriverError {
  const campaign = object.startsWith('Campaign') ? ' For campaigns, also tick “Marketing User” on the user.' : ''
  return new DriverError('forbidden', `Salesforce does not show ${object} to the user that the connector signs in as.`, {
    hint: `Give that user Read and Create of ${object} in a permission set.${campaign}`,
    cause,
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

/** Whether a fresh session may help: of a 401 that is for another reason, it does not. */
export function isExpired({ status, text }: CrmAnswer): boolean {
  return status === 401 && !errorsIn(text).some((error) => MEANINGS[codeOf(error)]?.lasting)
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
