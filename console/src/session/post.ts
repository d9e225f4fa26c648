import { CrmError } from 'crm-connector'
import { errorOf, type Problem } from 'crm-connector/contract'

/** Posts to an address of the service that is not an operation. Rejects with CrmError. */
export type Post = <T>(path: string, body: object, signal?: AbortSignal) => Promise<T>

/** Gets what is there. */
export type Get = <T>(path: string, signal?: AbortSignal) => Promise<T>

/** The same as Post, where the answer is a line of JSON for each step. */
export type PostForLines = (path: string, onLine: (line: object) => void) => Promise<void>

export function createPost(baseUrl: string, key: string | undefined, send: typeof fetch): Post {
  const request = requester(baseUrl, key, send)
  return async <T>(path: string, body: object, signal?: AbortSignal) => (await request(path, body, signal)).json() as Promise<T>
}

export function createGet(baseUrl: string, key: string, send: typeof fetch): Get {
  const request = requester(baseUrl, key, send)
  return async <T>(path: string, signal?: AbortSignal) => (await request(path, undefined, signal)).json() as Promise<T>
}

export function createPostForLines(baseUrl: string, key: string, send: typeof fetch): PostForLines {
  const request = requester(baseUrl, key, send)
  return async (path, onLine) => {
    const { body } = await request(path, {})
    const reader = (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read().catch((cause: unknown) => {
        throw new CrmError('platform_unavailable', 'The service did not answer to the end.', { cause })
      })
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const read = JSON.parse(line) as { readonly error?: Problem }
        if (read.error) throw errorOf(read.error)
        onLine(read)
      }
    }
  }
}

function requester(baseUrl: string, key: string | undefined, send: typeof fetch) {
  return async (path: string, body: object | undefined, signal?: AbortSignal): Promise<Response> => {
    const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' }
    const how = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await send(baseUrl + path, { headers, ...how, ...(signal && { signal }) }).catch((cause: unknown) => {
      throw new CrmError('platform_unavailable', 'The service did not answer.', { cause })
    })
    if (response.ok) return response
    const answer: unknown = await response.json().catch(() => undefined)
    throw typeof answer === 'object' && answer !== null && 'code' in answer
      ? errorOf(answer as Problem)
      : new CrmError('platform_unavailable', `The service answered with ${response.status}.`)
  }
}
