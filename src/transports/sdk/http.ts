import type { CallOptions } from '../../contract/client/transport.ts'
import { followStream } from './follow.ts'
import { readAnswer } from './http-errors.ts'
import { toJson } from './json.ts'
import type { ServiceOptions } from './options.ts'
import { createRequest } from './request.ts'
import type { Attempt, AttemptTransport } from './retries.ts'

/** Sends calls to a service over HTTP. Uses nothing but fetch, so it runs in browsers too. */
export function overHttp(options: ServiceOptions): AttemptTransport {
  const request = createRequest(options)

  function post(operation: string, path: string, input: unknown, given: CallOptions, { number, timeoutMs, writes }: Attempt): Promise<unknown> {
    const { signal, idempotencyKey, dryRun, confirm, confirmation, onOutcome } = given
    return request({
      operation,
      attempt: number,
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
        'dry-run': dryRun && 'true',
        confirm: confirm === true ? 'deletes' : confirm,
        'confirmation-token': confirmation,
      },
      body: toJson(input),
      timeoutMs,
      signal,
      writes,
      async read(response) {
        const answer = await readAnswer(response, writes)
        onOutcome?.({ changeId: response.headers.get('change-id') ?? undefined, replayed: response.headers.get('idempotency-replayed') === 'true' })
        return answer
      },
    })
  }

  return {
    call: (operation, input, given, attempt) => post(operation, `/v1/operations/${encodeURIComponent(operation)}`, input, given, attempt),
    batch: (batch, given, attempt) => post('batch', '/v1/batch', batch, given, attempt),
    follow: (given) => followStream(request, given),
  }
}
