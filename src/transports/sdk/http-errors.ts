import { CrmError, ERROR_CODES, ERRORS, type ErrorCode, errorOf, type Problem } from '../../contract/errors.ts'
import { retryAfterMs } from '../../helpers/retry-after.ts'
import { TimeoutError } from './timeouts.ts'

/** Errors of a connection that was never made, so that nothing was sent. */
const NOT_SENT = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** The error where `where` did not answer. A write that may have arrived all the same is `outcome_unknown`. */
export function noAnswer(where: string, writes: boolean, cause: unknown, hint?: string): CrmError {
  const { code = '' } = Object((cause as Error | undefined)?.cause) as { code?: string }
  const late = cause instanceof TimeoutError ? ` within ${cause.seconds} s` : ''
  return new CrmError(writes && !NOT_SENT.includes(code) ? 'outcome_unknown' : 'platform_unavailable', `${where} did not answer${late}.`, {
    cause,
    ...(hint && { hint }),
  })
}

/** The answer in a response. Throws CrmError where it is a refusal, or no answer of the service. */
export async function readAnswer(response: Response, writes: boolean): Promise<unknown> {
  const text = await response.text()
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) throw redirected(response)
  const answer = parsed(text)
  // Every answer is an object. Anything else was cut off, or comes from a proxy or another service.
  if (response.ok && Object(answer) === answer) return answer
  const { code, detail } = Object(answer) as Partial<Problem>
  if (code && detail && Object.hasOwn(ERRORS, code)) throw errorOf({ retryAfter: retryAfterSeconds(response), ...(answer as object) } as Problem)
  throw unexpectedAnswer(response, text, writes)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The error where a proxy or another service answered. */
export function unexpectedAnswer(response: Response, text: string, writes: boolean): CrmError {
  const { status, url } = response
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const excerpt = (/^(text\/html|application\/xhtml)/.test(type) ? (/<title>([^<]*)</i.exec(text)?.[1] ?? '') : text).trim()
  const after = retryAfterSeconds(response)
  return new CrmError(
    codeOf(response, writes, type === 'application/json' && parsed(text) === undefined),
    `${url} answered ${status} with ${type} that is no answer of this service${excerpt && `: ${excerpt.slice(0, 200)}`}`,
    {
      hint: 'Is a proxy in between, or does baseUrl lead elsewhere?',
      ...(after !== undefined && { retryAfter: after }),
    },
  )
}

function codeOf({ ok, status }: Response, writes: boolean, isCutOff: boolean): ErrorCode {
  // A proxy that answers so may have passed the request on.
  if (writes && (ok || status >= 500 || status === 408)) return 'outcome_unknown'
  if (status > 500 || status === 408 || (ok && isCutOff)) return 'platform_unavailable'
  return ERROR_CODES.find((one) => ERRORS[one].status === status) ?? 'internal'
}

function redirected(response: Response): CrmError {
  const to = response.headers.get('location')
  return new CrmError('invalid_input', `The service is not at baseUrl: it redirects${to ? ` to ${to}` : ' elsewhere'}.`, {
    hint: 'Give the address it leads to as baseUrl.',
  })
}

function retryAfterSeconds({ headers }: Response): number | undefined {
  const ms = retryAfterMs(headers.get('retry-after'))
  return ms === undefined ? undefined : ms / 1000
}
