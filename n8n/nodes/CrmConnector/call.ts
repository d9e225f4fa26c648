import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow'
import { isObject } from './values.ts'

export const CREDENTIALS = 'crmConnectorApi'

/** What every context of n8n has that can call the service. */
interface Context {
  getCredentials<T extends object>(type: string): Promise<T>
  helpers: { httpRequestWithAuthentication(this: unknown, type: string, request: IHttpRequestOptions): Promise<unknown> }
}

/** What is wrong with one input. */
export interface Fault {
  readonly field: string
  readonly code: string
  readonly message: string
  readonly expected?: string
  readonly didYouMean?: string
}

/** A refusal of the service, as it travels. */
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
 * Carries out one operation. What the service refuses is thrown as a Refusal, all else as n8n throws it. Redirects are not followed: a
 * write would arrive as a read, which succeeds, or take the key to another host.
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

/** The problem in an answer, or one that says that there is none: somebody in between has answered. */
function problemIn({ statusCode, body, headers }: Response): Problem {
  if (isObject(body) && typeof body.code === 'string' && typeof body.detail === 'string') return body as unknown as Problem
  if (statusCode >= 300 && statusCode < 400)
    return {
      code: 'no_answer',
      status: statusCode,
      detail: `The Base URL of the credentials leads elsewhere (${statusCode}): to ${headers.location ?? 'no address'}.`,
      hint: 'Nothing was sent there. Give the credentials the address where the service itself answers, often https instead of http.',
      retryable: false,
    }
  return {
    code: 'no_answer',
    status: statusCode,
    detail: `The answer (${statusCode}) is not one of the CRM Connector.`,
    hint: 'Does the Base URL of the credentials lead to the service, and does something in between answer in its place?',
    retryable: statusCode >= 500 || statusCode === 429,
  }
}

/** What a person reads beneath the message: every fault, and what to do. */
export function adviceOf({ errors = [], hint }: Problem): string {
  const faults = errors.map(({ field, message, expected, didYouMean }) => {
    const more = [expected && `expected ${expected}`, didYouMean && `did you mean ${didYouMean}?`].filter(Boolean).join('; ')
    return `${field}: ${message}${more === '' ? '' : ` (${more})`}`
  })
  return [...faults, ...(hint === undefined ? [] : [hint])].join('\n')
}
