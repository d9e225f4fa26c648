import { CrmError, ERROR_CODES, ERRORS, type ErrorCode, errorOf, type Problem } from '../../contract/errors.ts'
import { TimeoutError } from './timeouts.ts'

/** What failed before anything was sent. */
const NOT_SENT = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Why there was no answer from `where`. `writes` says that it would matter whether the request arrived all the same. */
export function noAnswer(where: string, writes: boolean, cause: unknown, hint?: string): CrmError {
  const { code = '' } = Object((cause as Error | undefined)?.cause) as { code?: string }
  const late = cause instanceof TimeoutError ? ` within ${cause.seconds} s` : ''
  return new CrmError(writes && !NOT_SENT.includes(code) ? 'outcome_unknown' : 'platform_unavailable', `${where} did not answer${late}.`, {
    cause,
    ...(hint !== undefined && { hint }),
  })
}

/** The answer as it was meant, or what was refused. */
export async function readAnswer(response: Response, writes: boolean): Promise<unknown> {
  const text = await response.text()
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) throw redirected(response)
  const answer = parsed(text)
  // Every answer is an object. What is not one was cut off, or is somebody else's.
  if (response.ok && Object(answer) === answer) return answer
  const { code, detail } = Object(answer) as Partial<Problem>
  if (code && detail && Object.hasOwn(ERRORS, code)) throw errorOf({ retryAfter: retryAfter(response), ...(answer as object) } as Problem)
  throw unexpectedAnswer(response, text, writes)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What was answered by somebody else: a proxy, or a service of another kind. */
export function unexpectedAnswer(response: Response, text: string, writes: boolean): CrmError {
  const { status, url } = response
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const said = /^(text\/html|application\/xhtml)/.test(type) ? (/<title>\s*([^<]*?)\s*</i.exec(text)?.[1] ?? '') : text.trim()
  const after = retryAfter(response)
  return new CrmError(
    codeOf(response, writes, type === 'application/json' && parsed(text) === undefined),
    `${url} answered ${status} with ${type} that is no answer of this service${said && `: ${said.slice(0, 200)}`}`,
    {
      hint: 'Is a proxy in between, or does baseUrl lead elsewhere?',
      ...(after !== undefined && { retryAfter: after }),
    },
  )
}

function codeOf({ ok, status }: Response, writes: boolean, isCutOff: boolean): ErrorCode {
  // Whoever says so may have heard the service, or have sent it the request at least.
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

/** The header in seconds, whether it says so many or when. */
function retryAfter({ headers }: Response): number | undefined {
  const said = headers.get('retry-after')
  if (said === null) return undefined
  const seconds = /^\d+$/.test(said.trim()) ? Number(said) : (Date.parse(said) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
