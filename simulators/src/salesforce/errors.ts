import type { WireAnswer } from '../simulated.ts'

export interface Wrong {
  readonly message: string
  readonly errorCode: string
  readonly fields?: readonly string[]
}

/** An error answer of the REST API: a status and a list of errors. */
export class Refusal extends Error {
  readonly status: number
  readonly wrong: Wrong

  constructor(status: number, errorCode: string, message: string, fields?: readonly string[]) {
    super(message)
    this.status = status
    this.wrong = { message, errorCode, ...(fields && { fields }) }
  }

  answer(): WireAnswer {
    return { status: this.status, body: [this.wrong] }
  }
}

export const wrongField = (errorCode: string, message: string, ...fields: string[]) => new Refusal(400, errorCode, message, fields)

export const noResource = () => new Refusal(404, 'NOT_FOUND', 'The requested resource does not exist')
export const isDeleted = () => new Refusal(404, 'ENTITY_IS_DELETED', 'entity is deleted', [])
export const noReference = () => wrongField('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id')
export const invalidSession = () => new Refusal(401, 'INVALID_SESSION_ID', 'Session expired or invalid')
export const notAllowed = (method: string, allowed: string) =>
  new Refusal(405, 'METHOD_NOT_ALLOWED', `HTTP Method '${method}' not allowed. Allowed are ${allowed}`)
export const unparsable = (message: string) => new Refusal(400, 'JSON_PARSER_ERROR', message)

/** The error as an item of a list of results, where `errorCode` is called `statusCode`. */
export function asResult({ wrong }: Refusal): { readonly success: false; readonly errors: readonly unknown[] } {
  const { errorCode, fields = [], ...rest } = wrong
  return { success: false, errors: [{ statusCode: errorCode, fields, ...rest }] }
}
