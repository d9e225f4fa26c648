import { CrmError, ERRORS, type ErrorCode, errorOf, type Problem } from '../../contract/errors.ts'
import { TimedOut } from './pauses.ts'

/** What a status means where whoever answered did not say it in our words. What is not here is a fault of the service. */
const CODES: { readonly [status: number]: ErrorCode } = {
  400: 'invalid_input',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_found',
  408: 'platform_unavailable',
  413: 'too_large',
  429: 'rate_limited',
  502: 'platform_unavailable',
  503: 'platform_unavailable',
  504: 'platform_unavailable',
}

/** What failed before anything was sent. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Why there was no answer from `where`. `writes` says that it would matter whether the request arrived all the same. */
export function noAnswer(where: string, writes: boolean, cause: unknown, hint?: string): CrmError {
  const { code = '' } = Object((cause as Error | undefined)?.cause) as { code?: string }
  const late = cause instanceof TimedOut ? ` within ${cause.seconds} s` : ''
  return new CrmError(writes && !NOT_SENT.includes(code) ? 'outcome_unknown' : 'platform_unavailable', `${where} did not answer${late}.`, {
    cause,
    ...(hint !== undefined && { hint }),
  })
}

/** The answer as it was meant, or what was refused. */
export async function answerIn(response: Response, writes: boolean): Promise<unknown> {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) throw redirected(response)
  const text = await response.text()
  const answer = parsed(text)
  if (response.ok && answer !== undefined) return answer
  const { code } = Object(answer) as { code?: unknown }
  if (typeof code === 'string' && Object.hasOwn(ERRORS, code)) throw errorOf({ retryAfter: retryAfter(response), ...(answer as Problem) } as Problem)
  throw foreign(response, text, writes)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What was answered by somebody else: a proxy, or a service of another kind. */
function foreign(response: Response, text: string, writes: boolean): CrmError {
  const { status, url } = response
  const code = CODES[status] ?? 'internal'
  // What a proxy could not hear the answer of may have been carried out.
  const unknown = writes && code === 'platform_unavailable' && status !== 503
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'no content type'
  const said = /^(text\/html|application\/xhtml)/.test(type) ? (/<title>\s*([^<]*?)\s*</i.exec(text)?.[1] ?? '') : text.trim()
  const after = retryAfter(response)
  return new CrmError(
    unknown ? 'outcome_unknown' : code,
    `${url} answered ${status} with ${type} that is no answer of this service${said && `: ${said.slice(0, 200)}`}`,
    {
      hint: 'Is a proxy in between, or does baseUrl lead elsewhere?',
      ...(after !== undefined && { retryAfter: after }),
    },
  )
}

function redirected(response: Response): CrmError {
  const to = response.headers.get('location')
  return new CrmError('invalid_input', `The service is not at baseUrl: it redirects${to ? ` to ${to}` : ' elsewhere'}.`, {
    hint: 'Give the address it redirects to as baseUrl. A call that follows a redirect could lose its body or its key.',
  })
}

/** The header in seconds, whether it says so many or when. */
function retryAfter({ headers }: Response): number | undefined {
  const said = headers.get('retry-after')
  if (said === null) return undefined
  const seconds = /^\d+$/.test(said.trim()) ? Number(said) : (Date.parse(said) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
