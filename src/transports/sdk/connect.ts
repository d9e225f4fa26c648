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
  async function post(path: string, body: unknown, { signal, idempotencyKey, dryRun, confirmation, onOutcome }: CallOptions = {}): Promise<unknown> {
    const response = await send(`${base}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(dryRun && { 'dry-run': 'true' }),
        ...(confirmation !== undefined && { 'confirmation-token': confirmation }),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw errorOf(answer as Problem)
    onOutcome?.({ changeId: response.headers.get('change-id') ?? undefined, replayed: response.headers.get('idempotency-replayed') === 'true' })
    return answer
  }
  return clientOf({
    call: (operation, input, options) => post(`/v1/operations/${encodeURIComponent(operation)}`, input, options),
    batch: (batch, options) => post('/v1/batch', batch, options),
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
