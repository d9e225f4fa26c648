import { CrmError } from 'crm-connector'
import { errorOf, type Problem } from 'crm-connector/contract'

/** Posts to an address of the service that is not an operation. Rejects with CrmError. */
export type Post = <T>(path: string, body: object, signal?: AbortSignal) => Promise<T>

export function createPost(baseUrl: string, key: string, send: typeof fetch): Post {
  return async <T>(path: string, body: object, signal?: AbortSignal) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await send(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) }).catch((cause: unknown) => {
      throw new CrmError('platform_unavailable', 'The service did not answer.', { cause })
    })
    const answer = await response.json().catch(() => undefined)
    if (response.ok) return answer as T
    throw typeof answer === 'object' && answer !== null && 'code' in answer
      ? errorOf(answer as Problem)
      : new CrmError('platform_unavailable', `The service answered with ${response.status}.`)
  }
}
