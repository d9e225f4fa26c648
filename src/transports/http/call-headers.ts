import type { IncomingHttpHeaders } from 'node:http'
import { CrmError } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { CONFIRMABLE_IN_CALL, type ConfirmInCall } from '../../contract/records/plan.ts'
import type { Outcome } from '../../core/call/types.ts'
import type { Call, Deadline, HangUp } from '../../core/service.ts'
import type { HeaderLines } from './response.ts'

/** A call with the options in its headers. Headers for writes are ignored on a read. */
export function readCall(
  headers: IncomingHttpHeaders,
  operation: Operation,
  given: Pick<Call, 'input' | 'caller' | 'publicUrl'> & { readonly requestId: string; readonly hangUp: HangUp },
): Call {
  const match = headers['if-match']
  const writes = operation.effect !== 'read'
  return {
    operation: operation.id,
    input: match === undefined ? given.input : withRevision(operation, given.input, match),
    caller: given.caller,
    transport: 'http',
    requestId: given.requestId,
    publicUrl: given.publicUrl,
    idempotencyKey: writes ? readKey(headers['idempotency-key']) : undefined,
    dryRun: writes || operation.sends ? readDryRun(headers['dry-run']) : false,
    confirm: writes ? readConfirm(headers.confirm) : undefined,
    confirmation: writes ? readConfirmation(headers['confirmation-token']) : undefined,
    deadline: readDeadline(headers['request-timeout']),
    // A write that has arrived is executed even if the caller hangs up.
    hangUp: writes ? undefined : given.hangUp,
  }
}

/** `Request-Timeout: 2.5`: the seconds within which the caller wants the answer. */
export function readDeadline(header: string | string[] | undefined): Deadline | undefined {
  if (header === undefined) return undefined
  const ms = /^\d{1,6}(\.\d{1,3})?$/.test(String(header)) ? 1000 * Number(header) : 0
  if (ms > 0) return { at: performance.now() + ms, ms }
  throw headerFault('Request-Timeout', 'seconds, such as 10 or 0.5')
}

/** Some clients put the key into quotes, as the IETF draft of the header does. */
export function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header).replace(/^"(.*)"$/, '$1')
  if (isIdempotencyKey(key)) return key
  throw headerFault('Idempotency-Key', IDEMPOTENCY_KEY)
}

export function readDryRun(header: string | string[] | undefined): boolean {
  const value = header === undefined ? 'false' : String(header).trim().toLowerCase()
  if (value === 'true' || value === 'false') return value === 'true'
  throw headerFault('Dry-Run', 'true or false')
}

/** `Confirm: deletes` or `Confirm: person` requires confirmation of deletes, as a key may. */
export function readConfirm(header: string | string[] | undefined): ConfirmInCall | undefined {
  const confirm = CONFIRMABLE_IN_CALL.find((one) => one === header)
  if (header === undefined || confirm) return confirm
  throw headerFault('Confirm', CONFIRMABLE_IN_CALL.join(', '))
}

export function readConfirmation(header: string | string[] | undefined): string | undefined {
  if (header === undefined || isIdempotencyKey(String(header))) return header as string | undefined
  throw headerFault('Confirmation-Token', 'the Token of a plan')
}

/** `If-Match: "3"` is the same as `IfRevision: 3` in the input. `*` matches any revision. */
function withRevision(operation: Operation, input: unknown, header: string): unknown {
  if (!Object.hasOwn((operation.input as unknown as { properties: object }).properties, 'IfRevision'))
    throw new CrmError('invalid_input', `If-Match does not apply to ${operation.name}.`, { hint: 'It is for operations that take IfRevision.' })
  if (header.trim() === '*' || typeof input !== 'object' || input === null) return input
  const [, digits] = /^\s*"(\d{1,15})"\s*$/.exec(header) ?? []
  if (digits === undefined) throw headerFault('If-Match', 'the ETag of an earlier answer, such as "3", or *')
  const revision = Number(digits)
  const { IfRevision = revision } = input as { IfRevision?: unknown }
  if (IfRevision !== revision) throw new CrmError('invalid_input', 'If-Match and IfRevision name different revisions.', { hint: 'Send one of them.' })
  return { ...input, IfRevision }
}

function headerFault(field: string, expected: string): CrmError {
  const message = `The header ${field} is not acceptable.`
  return new CrmError('invalid_input', message, { errors: [{ field, code: 'form', message, expected }] })
}

/** The headers of a call's outcome. */
export function outcomeHeaders({ result, changeId, replayed }: Outcome, more: HeaderLines | undefined): HeaderLines | undefined {
  const revision = (result as { Revision?: unknown } | null)?.Revision
  if (changeId === undefined && replayed !== true && typeof revision !== 'number') return more
  const lines = more === undefined ? [] : [...more]
  if (changeId !== undefined) lines.push('Change-Id', changeId)
  if (replayed) lines.push('Idempotency-Replayed', 'true')
  if (typeof revision === 'number') lines.push('ETag', `"${revision}"`)
  return lines
}
