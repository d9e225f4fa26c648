import type { FastifyInstance } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { isAllowedAny } from '../../../core/access/access.ts'
import { executeBatch } from '../../../core/batch/batch.ts'
import { lengthOf, parseBody, readBody, SMALL_BODY } from '../body.ts'
import { readConfirm, readConfirmation, readDeadline, readDryRun, readKey } from '../call-headers.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { ResponseHangUp } from '../hang-up.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { measured } from '../metrics/measure.ts'
import { JSON_TYPE, respond } from '../response.ts'

/** `POST /v1/batch`: many calls in one request. Each counts against the limit of the key. */
export function batchRoute(app: FastifyInstance, context: Context): void {
  app.post(
    '/v1/batch',
    createHandler(context, async (request, reply) => {
      const { headers } = request.raw
      const answer = await measured(context, 'batch', async () => {
        // A batch may be large, so its body is read only after authentication, and counts as one call until its calls are known.
        const caller = await context.signIn(headers.authorization, request.ip)
        await enforceRateLimit(context, reply.raw, caller)
        if (lengthOf(request.raw) > SMALL_BODY && !isAllowedAny(caller)) throw forbidden()
        const input = parseBody(await readBody(request.raw, LIMITS.batchBytes), LIMITS.batchValues)
        const { Operations } = Object(input) as { Operations?: unknown }
        if (headers['if-match'] !== undefined)
          throw new CrmError('invalid_input', 'If-Match does not apply to a batch.', { hint: 'Give each call its own IfRevision.' })
        if (Array.isArray(Operations) && Operations.length > 1) await enforceRateLimit(context, reply.raw, caller, Operations.length, 1)
        const leave = context.places.batches(caller)
        return executeBatch(context.service, {
          operation: 'batch',
          input,
          caller,
          transport: 'http',
          requestId: request.id,
          idempotencyKey: readKey(headers['idempotency-key']),
          dryRun: readDryRun(headers['dry-run']),
          confirm: readConfirm(headers.confirm),
          confirmation: readConfirmation(headers['confirmation-token']),
          deadline: readDeadline(headers['request-timeout']),
          hangUp: new ResponseHangUp(reply.raw),
        }).finally(leave)
      })
      respond(reply.raw, request.id, 200, JSON_TYPE, answer.json)
    }),
  )
}

const forbidden = () =>
  new CrmError('forbidden', 'This key allows no operation of a batch.', { hint: 'Ask an admin of this workspace for a key with other scopes.' })
