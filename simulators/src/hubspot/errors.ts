import { randomUUID } from 'node:crypto'
import type { WireAnswer } from '../simulated.ts'

export type Members = { readonly [name: string]: unknown }

/** A refusal, thrown wherever it is noticed and answered in one place. */
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

/** A refusal as an answer. Every answer has its own correlation id. */
export function answerOf({ status, message, members }: Refusal): WireAnswer {
  return { status, body: { status: 'error', message, correlationId: randomUUID(), ...members } }
}

export const invalid = (message: string, members: Members = {}) => new Refusal(400, message, { ...members, category: 'VALIDATION_ERROR' })

/** What is said of a record that is not there: the real one names no category. */
export const notFound = () => new Refusal(404, 'resource not found')

export const objectNotFound = (message: string, members: Members = {}) => new Refusal(404, message, { ...members, category: 'OBJECT_NOT_FOUND' })

export const conflict = (message: string) => new Refusal(409, message, { category: 'CONFLICT' })

export const unreadable = (reason: string) => invalid(`Invalid input JSON on line 1, column 1: ${reason}`)

export function lacking(fields: readonly string[]): Refusal {
  return invalid(`Invalid input JSON on line 1, column 2. Some required fields were not set: [${fields.join(', ')}]`)
}

/** What is said of a search that cannot be carried out; the reason is in the list behind it. */
export function badSearch(reason: string): Refusal {
  return invalid('There was a problem with the request.', { errors: [{ message: reason }] })
}

export const badCursor = (after: string) => invalid(`The paging cursor ${JSON.stringify(after)} is not valid. It may have expired.`)

/** What is wrong with the value of a property. */
export interface Problem {
  readonly name: string
  readonly error: string
  readonly message: string
}

/** The names of the properties are only inside a JSON text within the message, and again in the list of errors. */
export function badProperties(problems: readonly Problem[], portalId: number): Refusal {
  const results = problems.map(({ name, error, message }) => ({ isValid: false, message, error, name, localizedErrorMessage: message, portalId }))
  const errors = problems.map(({ name, error, message }) => ({ message, code: error, context: { propertyName: [name] } }))
  return invalid(`Property values were not valid: ${JSON.stringify(results)}`, { errors })
}

/** A field that the app may not touch, because a scope is missing. */
export function missingScopes(scopes: readonly string[]): Refusal {
  const message =
    "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes."
  const errors = [{ message: 'One or more of the following scopes are required.', context: { requiredGranularScopes: scopes } }]
  return new Refusal(403, message, { errors, links: { scopes: 'https://developers.hubspot.com/scopes' }, category: 'MISSING_SCOPES' })
}

/** The page of the server in front, for paths and methods that nothing answers. */
export function page(status: number, reason: string): WireAnswer {
  const head = `<head>\n<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>\n<title>Error ${status} ${reason}</title>\n</head>`
  const body = `<html>\n${head}\n<body><h2>HTTP ERROR ${status} ${reason}</h2>\n</body>\n</html>\n`
  return { status, headers: { 'content-type': 'text/html;charset=utf-8' }, body }
}
