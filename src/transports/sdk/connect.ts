import { type CallOptions, type Crm, clientOf } from '../../contract/client.ts'
import { CrmError, errorOf, type Problem } from '../../contract/errors.ts'

export interface ConnectOptions {
  /** Where the service listens: `http://127.0.0.1:8484`. */
  readonly baseUrl: string
  readonly key: string
}

/** The typed client over HTTP. Refusals are thrown as CrmError. */
export function connect({ baseUrl, key }: ConnectOptions): Crm {
  const base = baseUrl.replace(/\/+$/, '')
  return clientOf(async (operation, input, options: CallOptions = {}) => {
    const response = await send(`${base}/v1/operations/${encodeURIComponent(operation)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      ...(options.signal && { signal: options.signal }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw errorOf(answer as Problem)
    return answer
  })
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
    throw new CrmError('platform_unavailable', `The service did not answer at ${new URL(url).origin}.`, { cause: error })
  }
}

export { type Crm, CrmError }
