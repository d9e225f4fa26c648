import type { FastifyInstance } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { isAllowedAny } from '../../../core/access/access.ts'
import { executeBatch } from '../../../core/batch/batch.ts'
import type { Call } from '../../../core/service.ts'
import { bytesToRead } from '../body.ts'
import { readConfirm, readConfirmation, readDeadline, readDryRun, readKey } from '../call-headers.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { ResponseHangUp } from '../hang-up.ts'
import { readBatchBody } from '../large-body.ts'
import { batchAnswerBytes } from '../limits/answer-bytes.ts'
import { parsedBytes, SMALL_BYTES } from '../limits/memory.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { measured } from '../metrics/measure.ts'
import { JSON_TYPE, respond } from '../response.ts'

/** `POST /v1/batch`: many calls in one request. Each counts against the limit of the key. */
export function batchRoute(app: FastifyInstance, context: Context): void {
  app.post(
    '/v1/batch',
    createHandler(context, async (request, reply) => {
      const { headers } = request.raw
      const json = await measured(context, 'batch', async () => {
        // A batch may be large, so its body is read only after authentication, and counts as one call until its calls are known.
        const caller = await context.signIn(context.credentials(request.raw), request)
        await enforceRateLimit(context, reply.raw, caller)
        const reserved = context.memory.reserve(caller, reply.raw)
        const length = bytesToRead(request.raw, LIMITS.batchBytes)
        const isLarge = length >= SMALL_BYTES
        if (isLarge && !isAllowedAny(caller)) throw forbidden()
        if (isLarge) await reserved.take(length, readDeadline(headers['request-timeout']))
        let bytes = 0
        const input = await readBatchBody(request.raw, (length, values) => {
          bytes = parsedBytes(length, values)
          if (isLarge) reserved.workOn(bytes)
        })
        const { Operations } = Object(input) as { Operations?: unknown }
        if (headers['if-match'] !== undefined)
          throw new CrmError('invalid_input', 'If-Match does not apply to a batch.', { hint: 'Give each call its own IfRevision.' })
        const operations: readonly unknown[] = Array.isArray(Operations) ? Operations : []
        if (operations.length > 1) await enforceRateLimit(context, reply.raw, caller, operations.length, 1)
        const call: Call = {
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
        }
        const leave = context.places.batches(caller)
        try {
          const answered = batchAnswerBytes(operations)
          if (isLarge) reserved.workOn(bytes + answered)
          else if (answered >= SMALL_BYTES) await reserved.take(answered, call.deadline)
          const { json } = await executeBatch(context.service, call)
          reserved.answer(json.length, true)
          return json
        } finally {
          leave()
        }
      })
      respond(reply.raw, request.id, 200, JSON_TYPE, json)
    }),
  )
}

const forbidden = () =>
  new CrmError('forbidden', 'This key allows no operation of a batch.', { hint: 'Ask an admin of this workspace for a key with other scopes.' })
