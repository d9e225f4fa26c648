import type { WireAnswer } from '../simulated.ts'

/** A refusal: a status, usually a reason in a header, rarely a body. */
export class EspoError extends Error {
  override readonly name = 'EspoError'
  readonly status: number
  readonly body: unknown
  readonly type: string

  constructor(status: number, reason = '', body: unknown = '', type = 'application/json') {
    super(reason)
    this.status = status
    this.body = body
    this.type = type
  }
}

export const badRequest = (reason?: string) => new EspoError(400, reason)
export const forbidden = (reason?: string, body?: unknown) => new EspoError(403, reason, body)
export const notFound = (reason?: string) => new EspoError(404, reason)
export const conflict = (reason: string, body?: unknown) => new EspoError(409, reason, body)

/** Internal errors, and values that only the database refuses. EspoCRM mostly gives no reason. */
export const failure = (reason?: string, body?: unknown) => new EspoError(500, reason, body)

/** A message that clients translate. */
export const translated = (label: string, scope: string | null, data: unknown = null) => ({ messageTranslation: { label, scope, data } })

export function invalid(scope: string, field: string, type: string): EspoError {
  return new EspoError(
    400,
    `Field validation failure; entityType: ${scope}, field: ${field}, type: ${type}.`,
    translated('validationFailure', null, { field, type }),
  )
}

export function answerTo({ status, message, body, type }: EspoError): WireAnswer {
  // Like EspoCRM, replaces characters that headers cannot hold.
  const reason = message.replace(/[^ \t\x21-\x7e]/g, ' ')
  return { status, headers: { 'content-type': type, ...(reason && { 'x-status-reason': reason }) }, body }
}
