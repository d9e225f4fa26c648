import type { Failure, WireAnswer, WireRequest } from '../simulated.ts'
import { asResult, invalidSession, Refusal, wrongField } from './errors.ts'
import { partsOf } from './rest/routes.ts'
import { fault, isSoap } from './soap/soap.ts'

/** The answer to each failure. Salesforce has no 429: exceeded limits are 403. */
const REFUSALS: { readonly [T in Failure]: Refusal } = {
  'rate-limit': new Refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentPerOrgLongTxn Limit exceeded.'),
  'daily-quota': new Refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
  error: new Refusal(
    500,
    'UNKNOWN_EXCEPTION',
    'An unexpected error occurred. Please include this ErrorId if you contact support: 1234567890-12345 (1234567890)',
  ),
  'expired-session': invalidSession(),
  'lock-row': wrongField('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record or 1 records'),
}

/** The answers to sign-ins. */
const SIGN_IN: { readonly [T in Failure]?: WireAnswer } = {
  'rate-limit': { status: 400, body: { error: 'invalid_grant', error_description: 'login rate exceeded' } },
  error: { status: 500, body: { error: 'unknown_error', error_description: 'retry your request' } },
}

/** The answer to a failure; undefined if it does not concern the request, which is then answered as usual. */
export function failureAnswer(fail: Failure, request: WireRequest, signIn: boolean): WireAnswer | undefined {
  const refusal = REFUSALS[fail]
  if (isSoap(request)) return fault(refusal.wrong.errorCode, refusal.message)
  if (signIn) return SIGN_IN[fail]
  const found = partsOf(request)
  if (fail === 'lock-row') return found ? locked(refusal, request, found.parts) : undefined
  return refusal.answer()
}

const READS = /<(?:\w+:)?(?:readMetadata|listMetadata|getServerTimestamp|getUserInfo|logout)[\s>]/

/** Whether a record lock would affect a request. */
export function isLocked(request: WireRequest): boolean {
  if (isSoap(request)) return !READS.test(request.body)
  try {
    return failureAnswer('lock-row', request, false) !== undefined
  } catch {
    return false
  }
}

/** A lock affects writes only: a single record is refused with a 500, and of a collection each record in its place. */
function locked(refusal: Refusal, { method, body, query }: WireRequest, [resource, kind, type, key]: readonly string[]): WireAnswer | undefined {
  if (resource === 'sobjects') return { ...refusal.answer(), status: 500 }
  if (resource !== 'composite') return undefined
  if (kind !== 'sobjects') return kind === undefined ? lockedParts(refusal, body) : undefined
  if (type !== undefined && key === undefined) return undefined
  const count = method === 'DELETE' ? (query.get('ids') ?? '').split(',').length : readList(body, 'records')?.length
  return count === undefined ? undefined : { status: 200, body: Array.from({ length: count }, () => asResult(refusal)) }
}

function lockedParts(refusal: Refusal, body: string): WireAnswer | undefined {
  const all = readList(body, 'compositeRequest')
  if (!all?.some((one) => /^(?:POST|PATCH|DELETE|PUT)$/i.test(String((one as { readonly method?: unknown } | null)?.method)))) return undefined
  const compositeResponse = all.map((one) => ({
    body: refusal.answer().body,
    httpHeaders: {},
    httpStatusCode: refusal.status,
    referenceId: (one as { readonly referenceId?: unknown } | null)?.referenceId,
  }))
  return { status: 200, body: { compositeResponse } }
}

function readList(body: string, name: string): readonly unknown[] | undefined {
  try {
    const list: unknown = (JSON.parse(body) as { readonly [name: string]: unknown } | null)?.[name]
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}
