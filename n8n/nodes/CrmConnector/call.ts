import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow'
import { isObject } from './values.ts'

export const CREDENTIALS = 'crmConnectorApi'

/** The part of n8n's contexts that is needed for a call. */
interface Context {
  getCredentials<T extends object>(type: string): Promise<T>
  helpers: { httpRequestWithAuthentication(this: unknown, type: string, request: IHttpRequestOptions): Promise<unknown> }
}

export interface Fault {
  readonly field: string
  readonly code: string
  readonly message: string
  readonly expected?: string
  readonly didYouMean?: string
}

/** The problem document of a refused call. */
export interface Problem {
  readonly code: string
  readonly status: number
  readonly detail: string
  readonly title?: string
  readonly retryable?: boolean
  readonly requestId?: string
  readonly hint?: string
  readonly retryAfter?: number
  readonly errors?: readonly Fault[]
  readonly plan?: { readonly [member: string]: unknown }
}

export class Refusal extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export interface Answered {
  readonly body: IDataObject
  readonly headers: { readonly [name: string]: unknown }
}

interface Response extends Answered {
  readonly statusCode: number
}

/**
 * Calls one operation. Refusals of the service are thrown as Refusal, other errors as n8n throws them. Redirects are not followed: a write
 * could arrive as a read, which would succeed, or the key be sent to another host.
 */
export async function call(context: Context, operation: string, input: unknown, headers: { readonly [name: string]: string } = {}): Promise<Answered> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>(CREDENTIALS)
  const answer = (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIALS, {
    method: 'POST',
    url: `${baseUrl.trim().replace(/\/+$/, '')}/v1/operations/${operation}`,
    body: input as IDataObject,
    headers: { ...headers },
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  })) as Response
  if (answer.statusCode === 200 && isObject(answer.body) && !Array.isArray(answer.body)) return answer
  throw new Refusal(problemIn(answer))
}

/** The problem of a response, or one that says that the response is not from the service. */
function problemIn({ statusCode, body, headers }: Response): Problem {
  if (isObject(body) && typeof body.code === 'string' && typeof body.detail === 'string') return body as unknown as Problem
  if (statusCode >= 300 && statusCode < 400)
    return {
      code: 'no_answer',
      status: statusCode,
      detail: `The Base URL of the credentials redirects (${statusCode}) to ${headers.location ?? 'no address'}.`,
      hint: 'Nothing was sent there. Set the Base URL to the address of the service itself, often https instead of http.',
      retryable: false,
    }
  return {
    code: 'no_answer',
    status: statusCode,
    detail: `The response (${statusCode}) is not from the CRM Connector.`,
    hint: 'Check the Base URL of the credentials, and whether a proxy answers in place of the service.',
    retryable: statusCode >= 500 || statusCode === 429,
  }
}

/** All faults and the hint, shown below the message. */
export function adviceOf({ errors = [], hint }: Problem): string {
  const faults = errors.map(({ field, message, expected, didYouMean }) => {
    const more = [expected && `expected ${expected}`, didYouMean && `did you mean ${didYouMean}?`].filter(Boolean).join('; ')
    return `${field}: ${message}${more === '' ? '' : ` (${more})`}`
  })
  return [...faults, ...(hint === undefined ? [] : [hint])].join('\n')
}
