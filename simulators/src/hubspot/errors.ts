import { randomUUID } from 'node:crypto'
import type { WireAnswer } from '../simulated.ts'

export type Members = { readonly [name: string]: unknown }

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly members: Members

  constructor(status: number, message: string, members: Members = {}) {
    super(message)
    this.status = status
    this.members = members
  }
}

export function answerOf({ status, message, members }: Refusal): WireAnswer {
  return { status, body: { status: 'error', message, correlationId: randomUUID(), ...members } }
}

export const invalid = (message: string, members: Members = {}) => new Refusal(400, message, { ...members, category: 'VALIDATION_ERROR' })

/** A missing record. HubSpot names no category here. */
export const notFound = () => new Refusal(404, 'resource not found')

export const objectNotFound = (message: string, members: Members = {}) => new Refusal(404, message, { ...members, category: 'OBJECT_NOT_FOUND' })

export const conflict = (message: string) => new Refusal(409, message, { category: 'CONFLICT' })

export const unreadable = (reason: string) => invalid(`Invalid input JSON on line 1, column 1: ${reason}`)

export function missingFields(fields: readonly string[]): Refusal {
  return invalid(`Invalid input JSON on line 1, column 2. Some required fields were not set: [${fields.join(', ')}]`)
}

/** An invalid search; HubSpot puts the reason into the list of errors. */
export function badSearch(reason: string): Refusal {
  return invalid('There was a problem with the request.', { errors: [{ message: reason }] })
}

export const badCursor = (after: string) => invalid(`The paging cursor ${JSON.stringify(after)} is not valid. It may have expired.`)

export interface Problem {
  readonly name: string
  readonly error: string
  readonly message: string
}

/** HubSpot embeds the problems as JSON in the message, and repeats them in the list of errors. */
export function badProperties(problems: readonly Problem[], portalId: number): Refusal {
  const results = problems.map(({ name, error, message }) => ({ isValid: false, message, error, name, localizedErrorMessage: message, portalId }))
  const errors = problems.map(({ name, error, message }) => ({ message, code: error, context: { propertyName: [name] } }))
  return invalid(`Property values were not valid: ${JSON.stringify(results)}`, { errors })
}

export function missingScopes(scopes: readonly string[]): Refusal {
  const message =
    "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes."
  const errors = [{ message: 'One or more of the following scopes are required.', context: { requiredGranularScopes: scopes } }]
  return new Refusal(403, message, { errors, links: { scopes: 'https://developers.hubspot.com/scopes' }, category: 'MISSING_SCOPES' })
}

/** The HTML page for unknown paths and methods. */
export function page(status: number, reason: string): WireAnswer {
  const head = `<head>\n<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>\n<title>Error ${status} ${reason}</title>\n</head>`
  const body = `<html>\n${head}\n<body><h2>HTTP ERROR ${status} ${reason}</h2>\n</body>\n</html>\n`
  return { status, headers: { 'content-type': 'text/html;charset=utf-8' }, body }
}
